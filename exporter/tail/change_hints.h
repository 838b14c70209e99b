// Wakes a reader early when something changes in the directories it watches.
// Only a hint: network file systems send none, queues overflow, limits are
// reached, and whoever relies on it must poll all the same. Where inotify
// cannot be had it stays silent, and Wait is an interruptible sleep.
// One thread calls everything but Interrupt, which is for any thread.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "exporter/tail/file_source.h"

namespace rlrun {

class ChangeHints {
 public:
  struct Changes {
    bool interrupted = false;
    bool everything =
        false;  // events were lost: any directory may have changed
    std::vector<std::string> directories;  // sorted, each once
    // Entries came, went or changed their names somewhere, or may have.
    bool entries = false;
  };

  // False: do not even try inotify.
  explicit ChangeHints(bool enabled = true);
  ~ChangeHints();
  ChangeHints(const ChangeHints&) = delete;
  ChangeHints& operator=(const ChangeHints&) = delete;

  // Asks for hints about the entries of `directory`; again is free. A directory
  // that is deleted, moved or unmounted is reported once and then forgotten, so
  // call it at each listing. False: no hints for it, see status().
  bool Watch(const std::string& directory);
  void Unwatch(const std::string& directory);

  // Returns at the first change, at an interrupt, or after `seconds`. Changes
  // since the last call count.
  Changes Wait(double seconds);
  // Ends the Wait that runs, or the next one.
  void Interrupt();

  // Hints may come at all.
  bool available() const { return inotify_ >= 0; }
  // Why hints are missing, of the last failure: ENOSYS, EMFILE, ENOSPC (the
  // limit of watches). Ok: nothing failed.
  IoStatus status() const { return status_; }

 private:
  void Collect(Changes* changes);
  void Forget(int watch);
  bool TakeInterrupt();

  int inotify_ = -1;
  int event_ = -1;  // eventfd of Interrupt
  std::atomic<bool> interrupted_{false};
  IoStatus status_;
  std::map<std::string, int> watches_;
  // One directory may be watched under several paths.
  std::multimap<int, std::string> paths_;
};

}  // namespace rlrun
