// The faults, hooks, blocks and counters of InMemoryFileSource, and the copy of
// a real folder.
#include <boost/filesystem.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

namespace fs = boost::filesystem;

bool IsAtOrBelow(const std::string& path, const std::string& top) {
  return path.starts_with(top) &&
         (path.size() == top.size() || path[top.size()] == '/');
}

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path.string(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int InMemoryFileSource::Enter(std::unique_lock<std::mutex>& lock, Call call,
                              const std::string& path) {
  const auto hook = hooks_.find({call, path});
  if (hook != hooks_.end()) {
    const std::function<void()> change = std::move(hook->second);
    hooks_.erase(hook);
    lock.unlock();
    change();
    lock.lock();
  }
  for (auto it = blocked_.begin(); it != blocked_.end();) {
    if (!IsAtOrBelow(path, it->first)) {
      ++it;
      continue;
    }
    const std::string top = it->first;
    ++it->second;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !blocked_.contains(top); });
    it = blocked_.begin();
  }
  const auto fault = faults_.find({call, path});
  if (fault == faults_.end()) return 0;
  const int error = fault->second.error;
  if (fault->second.times > 0 && --fault->second.times == 0) {
    faults_.erase(fault);
  }
  return error;
}

void InMemoryFileSource::Fail(Call call, const std::string& path, int error,
                              int times) {
  const std::lock_guard lock(mutex_);
  if (times != 0) faults_[{call, path}] = {error, times};
}

void InMemoryFileSource::ClearFaults(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::erase_if(faults_, [&](const auto& f) { return f.first.second == path; });
}

void InMemoryFileSource::ShortReads(const std::string& path,
                                    std::size_t at_most) {
  const std::lock_guard lock(mutex_);
  if (at_most == 0) {
    short_reads_.erase(path);
  } else {
    short_reads_[path] = at_most;
  }
}

void InMemoryFileSource::Before(Call call, const std::string& path,
                                std::function<void()> change) {
  const std::lock_guard lock(mutex_);
  hooks_[{call, path}] = std::move(change);
}

void InMemoryFileSource::Block(const std::string& path) {
  const std::lock_guard lock(mutex_);
  blocked_.emplace(path, 0);
}

void InMemoryFileSource::WaitUntilBlocked(const std::string& path) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    const auto it = blocked_.find(path);
    return it == blocked_.end() || it->second > 0;
  });
}

void InMemoryFileSource::Release(const std::string& path) {
  const std::lock_guard lock(mutex_);
  blocked_.erase(path);
  changed_.notify_all();
}

InMemoryFileSource::Counts InMemoryFileSource::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void InMemoryFileSource::ResetCounts() {
  const std::lock_guard lock(mutex_);
  counts_ = {};
}

void InMemoryFileSource::LoadFolder(const std::string& folder,
                                    const std::string& path) {
  Mkdir(path);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string to = path + "/" + entry.path().filename().string();
    if (fs::is_symlink(entry.symlink_status())) {
      Symlink(fs::read_symlink(entry.path()).string(), to);
    } else if (fs::is_directory(entry.status())) {
      LoadFolder(entry.path().string(), to);
    } else if (fs::is_regular_file(entry.status())) {
      Write(to, ReadAll(entry.path()));
      SetMtime(to,
               static_cast<std::int64_t>(fs::last_write_time(entry.path())) *
                   1000000000);
    }
  }
}

}  // namespace rlrun
