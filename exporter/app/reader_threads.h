// The threads that read: one per root, at most kMost; further roots share them.
// A root keeps its thread for life, so that a mount that does not answer costs
// the roots of that thread and no other. Decides nothing about what is read.
// Match, RequestStop, Join and size belong to one thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "exporter/app/root_reader.h"

namespace rlrun {

// Tells the thread that runs Tick that there is something to do. Shared with
// reader threads, because one that the kernel does not let go outlives whoever
// started it.
struct TickSignal {
  std::mutex mutex;
  std::condition_variable_any wake;
  bool news = false;  // guarded by mutex

  void Notify();
};

// Both clocks of the machine.
Now ReadClocks();

class ReaderThreads {
 public:
  static constexpr std::size_t kMost = 16;

  explicit ReaderThreads(std::shared_ptr<TickSignal> signal);
  ~ReaderThreads();
  ReaderThreads(const ReaderThreads&) = delete;
  ReaderThreads& operator=(const ReaderThreads&) = delete;

  // Gives each reader that has none a thread, a new one or the one with the
  // fewest readers, and takes the others away; a thread without readers ends.
  void Match(const std::vector<std::shared_ptr<RootReader>>& readers,
             bool use_inotify);

  void RequestStop();
  // Waits a second for the threads to end after RequestStop. False: one, now or
  // in an earlier Match, waits for a file system and was left behind.
  bool Join();

  std::size_t size() const { return threads_.size(); }

 private:
  class Thread;

  const std::shared_ptr<TickSignal> signal_;
  std::vector<std::unique_ptr<Thread>> threads_;
  bool left_behind_ = false;
};

}  // namespace rlrun
