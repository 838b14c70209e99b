// Threads that take tasks in the order in which they came.
// Push may be called from any thread; constructed and destroyed by one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rlrun {

class WorkLane {
 public:
  // Throws std::system_error where no thread is left.
  WorkLane(std::size_t threads, std::size_t most_waiting);
  // Drops what waits; waits for what runs.
  ~WorkLane();
  WorkLane(const WorkLane&) = delete;
  WorkLane& operator=(const WorkLane&) = delete;

  // False, and the task is dropped: too many wait.
  bool Push(std::function<void()> task);

 private:
  void Run();
  void Stop();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  bool stop_ = false;                        // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace rlrun
