#include "exporter/web/worker_pool.h"

#include <utility>

namespace rlrun {

WorkerPool::WorkerPool(std::vector<std::unique_ptr<RequestHandler>> handlers,
                       std::function<void()> wake)
    : handlers_(std::move(handlers)), wake_(std::move(wake)) {
  try {
    for (const auto& handler : handlers_) {
      threads_.emplace_back([this, h = handler.get()] { Work(h); });
    }
  } catch (...) {  // no thread left
    Stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  filled_.notify_one();
}

std::vector<WorkerPool::Done> WorkerPool::TakeReplies() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

void WorkerPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Work(RequestHandler* handler) {
  for (;;) {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    Done done{job.connection, {}};
    try {
      done.reply = handler->Handle(job.head, job.close);
    } catch (...) {  // out of memory, for one: this client only
      done.reply = {"", true};
    }
    lock.lock();
    done_.push_back(std::move(done));
    lock.unlock();
    wake_();
  }
}

}  // namespace rlrun
