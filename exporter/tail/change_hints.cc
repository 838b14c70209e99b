#include "exporter/tail/change_hints.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

namespace rlrun {
namespace {

using Clock = std::chrono::steady_clock;

// IN_ATTRIB: a file may have become readable. No IN_ACCESS, no IN_OPEN: our own
// reading must not wake us.
constexpr std::uint32_t kMask = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE |
                                IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
                                IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;
constexpr std::uint32_t kLost =
    IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t kEntries =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | kLost | IN_Q_OVERFLOW;
// Without an eventfd an interrupt is noticed this late.
constexpr int kSliceMs = 50;

int Milliseconds(Clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(
      left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

ChangeHints::ChangeHints(bool enabled) {
  event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event_ < 0) status_ = IoStatus::FromErrno(errno);
  if (!enabled) return;
  inotify_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotify_ < 0) status_ = IoStatus::FromErrno(errno);
}

ChangeHints::~ChangeHints() {
  if (inotify_ >= 0) ::close(inotify_);
  if (event_ >= 0) ::close(event_);
}

bool ChangeHints::Watch(const std::string& directory) {
  if (inotify_ < 0) return false;
  if (watches_.contains(directory)) return true;
  const int watch = ::inotify_add_watch(inotify_, directory.c_str(), kMask);
  if (watch < 0) {
    status_ = IoStatus::FromErrno(errno);
    return false;
  }
  watches_[directory] = watch;
  paths_.emplace(watch, directory);
  return true;
}

void ChangeHints::Unwatch(const std::string& directory) {
  const auto it = watches_.find(directory);
  if (it == watches_.end()) return;
  const int watch = it->second;
  watches_.erase(it);
  std::erase_if(paths_, [&](const auto& p) { return p.second == directory; });
  if (!paths_.contains(watch)) ::inotify_rm_watch(inotify_, watch);
}

void ChangeHints::Forget(int watch) {
  const auto [begin, end] = paths_.equal_range(watch);
  for (auto it = begin; it != end; ++it) watches_.erase(it->second);
  if (begin != end) ::inotify_rm_watch(inotify_, watch);  // of a moved one
  paths_.erase(begin, end);
}

void ChangeHints::Collect(Changes* changes) {
  alignas(inotify_event) char buffer[16384];
  ssize_t size;
  while ((size = ::read(inotify_, buffer, sizeof buffer)) > 0) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      if (event.mask & IN_Q_OVERFLOW) changes->everything = true;
      if (event.mask & kEntries) changes->entries = true;
      const auto [begin, end] = paths_.equal_range(event.wd);
      for (auto it = begin; it != end; ++it) {
        changes->directories.push_back(it->second);
      }
      if (event.mask & kLost) Forget(event.wd);
    }
    // A log that is written all the time must not keep us here.
    auto& all = changes->directories;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (size < static_cast<ssize_t>(sizeof buffer / 2)) break;
  }
}

bool ChangeHints::TakeInterrupt() {
  std::uint64_t count;
  if (event_ >= 0) (void)!::read(event_, &count, sizeof count);
  return interrupted_.exchange(false);
}

ChangeHints::Changes ChangeHints::Wait(double seconds) {
  const auto deadline =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
          std::clamp(std::isnan(seconds) ? 0 : seconds, 0.0, 86400.0)));
  Changes changes;
  for (;;) {
    changes.interrupted = TakeInterrupt();
    if (inotify_ >= 0) Collect(&changes);
    int wait = Milliseconds(deadline);
    if (changes.interrupted || changes.everything ||
        !changes.directories.empty() || wait == 0) {
      return changes;
    }
    if (event_ < 0) wait = std::min(wait, kSliceMs);
    // A negative descriptor is skipped.
    pollfd fds[] = {{inotify_, POLLIN, 0}, {event_, POLLIN, 0}};
    ::poll(fds, 2, wait);
  }
}

void ChangeHints::Interrupt() {
  interrupted_ = true;
  const std::uint64_t one = 1;
  if (event_ >= 0) (void)!::write(event_, &one, sizeof one);
}

}  // namespace rlrun
