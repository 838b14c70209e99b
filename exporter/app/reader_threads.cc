#include "exporter/app/reader_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "exporter/tail/change_hints.h"

namespace rlrun {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Shortest time between two passes that a hint caused.
constexpr Seconds kLeastGap{0.05};
// A hint makes the reader look at each file of a directory; with many of them
// hints are followed less often.
constexpr Seconds kGapPerFile{0.0005};
constexpr std::size_t kMaxWatches = 4096;  // per root
// How long a reader that is ahead waits for Tick to take its news.
constexpr Seconds kFullPause{0.01};
// How long a stop waits for a thread before it leaves it behind.
constexpr Seconds kStopPatience{1};

Clock::time_point After(Clock::time_point time, Seconds seconds) {
  return time + std::chrono::duration_cast<Clock::duration>(seconds);
}

// All that a thread touches, owned by it and by its starter together.
struct Parts {
  Parts(std::shared_ptr<TickSignal> s, bool use_inotify)
      : signal(std::move(s)), hints(use_inotify) {}
  const std::shared_ptr<TickSignal> signal;
  const std::shared_ptr<std::atomic<double>> waiting =
      std::make_shared<std::atomic<double>>(0);
  ChangeHints hints;
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::vector<std::shared_ptr<RootReader>> readers;  // guarded by mutex
};

struct Member {
  std::shared_ptr<RootReader> reader;
  double listing = 0;                // whose directories are watched
  std::vector<std::string> watched;  // sorted
};

void TakeMembers(Parts& parts, std::vector<Member>* members) {
  const std::scoped_lock lock(parts.mutex);
  std::vector<Member> now;
  for (const auto& reader : parts.readers) {
    const auto old =
        std::find_if(members->begin(), members->end(),
                     [&](const Member& m) { return m.reader == reader; });
    now.push_back(old == members->end() ? Member{reader, 0, {}}
                                        : std::move(*old));
  }
  *members = std::move(now);
}

void WatchDirectories(ChangeHints* hints, Member* member) {
  if (!hints->available()) return;
  if (member->listing == member->reader->last_listing()) return;
  member->listing = member->reader->last_listing();
  std::vector<std::string> directories = member->reader->directories();
  if (directories.size() > kMaxWatches) directories.resize(kMaxWatches);
  for (const std::string& directory : directories) hints->Watch(directory);
  // What a root had before it failed may tell that it is back.
  if (directories.empty()) return;
  std::sort(directories.begin(), directories.end());
  member->watched = std::move(directories);
}

// Seconds until a member is due again; 0: at once.
double PassAll(const std::stop_token& stop, Parts* parts,
               std::vector<Member>* members) {
  double wait = 1;
  bool first = true;
  bool can_go_on = false;
  for (Member& member : *members) {
    if (stop.stop_requested()) return 0;
    const double due = member.reader->Pass(ReadClocks());
    if (member.reader->HasNews()) parts->signal->Notify();
    wait = std::exchange(first, false) ? due : std::min(wait, due);
    can_go_on = can_go_on || (due == 0 && !member.reader->Full());
    WatchDirectories(&parts->hints, &member);
  }
  if (wait == 0 && !can_go_on) std::this_thread::sleep_for(kFullPause);
  return wait;
}

bool Concerns(const ChangeHints::Changes& changes, const Member& member) {
  return changes.everything ||
         std::any_of(changes.directories.begin(), changes.directories.end(),
                     [&](const std::string& directory) {
                       return std::binary_search(member.watched.begin(),
                                                 member.watched.end(),
                                                 directory);
                     });
}

void ReadLoop(const std::stop_token& stop,
              const std::shared_ptr<Parts>& parts) {
  std::vector<Member> members;
  while (!stop.stop_requested()) {
    const auto begin = Clock::now();
    TakeMembers(*parts, &members);
    const double wait = PassAll(stop, parts.get(), &members);
    if (wait == 0) continue;
    const ChangeHints::Changes changes = parts->hints.Wait(wait);
    if (!changes.everything && changes.directories.empty()) continue;
    std::size_t files = 0;
    for (const Member& member : members) files += member.reader->followed();
    std::this_thread::sleep_until(After(
        begin, std::max(kLeastGap, kGapPerFile * static_cast<double>(files))));
    for (const Member& member : members) {
      if (!Concerns(changes, member)) continue;
      member.reader->Wake(changes.everything ? nullptr : &changes.directories);
      if (changes.entries) member.reader->WakeListing();
    }
  }
  parts->done = true;
}

}  // namespace

void TickSignal::Notify() {
  {
    const std::scoped_lock lock(mutex);
    news = true;
  }
  wake.notify_one();
}

Now ReadClocks() {
  return {Seconds(Clock::now().time_since_epoch()).count(),
          Seconds(std::chrono::system_clock::now().time_since_epoch()).count()};
}

class ReaderThreads::Thread {
 public:
  Thread(std::shared_ptr<TickSignal> signal, bool use_inotify)
      : parts_(std::make_shared<Parts>(std::move(signal), use_inotify)) {}

  void Add(std::shared_ptr<RootReader> reader) {
    reader->ShareWait(parts_->waiting);
    {
      const std::scoped_lock lock(parts_->mutex);
      parts_->readers.push_back(std::move(reader));
    }
    if (thread_.joinable()) return parts_->hints.Interrupt();
    thread_ = std::jthread([parts = parts_](const std::stop_token& stop) {
      ReadLoop(stop, parts);
    });
  }

  template <typename Predicate>
  void RemoveIf(Predicate predicate) {
    const std::scoped_lock lock(parts_->mutex);
    std::erase_if(parts_->readers, predicate);
  }

  bool Has(const std::shared_ptr<RootReader>& reader) const {
    const std::scoped_lock lock(parts_->mutex);
    return std::find(parts_->readers.begin(), parts_->readers.end(), reader) !=
           parts_->readers.end();
  }

  std::size_t readers() const {
    const std::scoped_lock lock(parts_->mutex);
    return parts_->readers.size();
  }

  void RequestStop() {
    thread_.request_stop();
    parts_->hints.Interrupt();
  }

  // False: it did not end in time and was left behind.
  bool Join(Clock::time_point until) {
    while (!parts_->done && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (parts_->done) {
      thread_.join();
      return true;
    }
    thread_.detach();
    return false;
  }

 private:
  std::shared_ptr<Parts> parts_;
  std::jthread thread_;
};

ReaderThreads::ReaderThreads(std::shared_ptr<TickSignal> signal)
    : signal_(std::move(signal)) {}

ReaderThreads::~ReaderThreads() {
  RequestStop();
  Join();
}

void ReaderThreads::Match(
    const std::vector<std::shared_ptr<RootReader>>& readers, bool use_inotify) {
  const auto until = After(Clock::now(), kStopPatience);
  for (auto it = threads_.begin(); it != threads_.end();) {
    (*it)->RemoveIf([&](const auto& reader) {
      return std::find(readers.begin(), readers.end(), reader) == readers.end();
    });
    if ((*it)->readers() != 0) {
      ++it;
      continue;
    }
    (*it)->RequestStop();
    left_behind_ = !(*it)->Join(until) || left_behind_;
    it = threads_.erase(it);
  }
  for (const auto& reader : readers) {
    if (std::any_of(threads_.begin(), threads_.end(),
                    [&](const auto& thread) { return thread->Has(reader); })) {
      continue;
    }
    if (threads_.size() < kMost) {
      threads_.push_back(std::make_unique<Thread>(signal_, use_inotify));
      threads_.back()->Add(reader);
      continue;
    }
    const auto least = std::min_element(threads_.begin(), threads_.end(),
                                        [](const auto& a, const auto& b) {
                                          return a->readers() < b->readers();
                                        });
    (*least)->Add(reader);
  }
}

void ReaderThreads::RequestStop() {
  for (const auto& thread : threads_) thread->RequestStop();
}

bool ReaderThreads::Join() {
  const auto until = After(Clock::now(), kStopPatience);
  for (const auto& thread : threads_) {
    left_behind_ = !thread->Join(until) || left_behind_;
  }
  threads_.clear();
  return !left_behind_;
}

}  // namespace rlrun
