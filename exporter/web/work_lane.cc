#include "exporter/web/work_lane.h"

#include <utility>

namespace rlrun {

WorkLane::WorkLane(std::size_t threads, std::size_t most_waiting)
    : most_waiting_(most_waiting) {
  try {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Run(); });
    }
  } catch (...) {
    Stop();
    throw;
  }
}

WorkLane::~WorkLane() { Stop(); }

void WorkLane::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    tasks_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool WorkLane::Push(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    if (tasks_.size() >= most_waiting_) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void WorkLane::Run() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (stop_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace rlrun
