// A few threads that turn complete requests into complete responses. They
// never touch a socket, so no client can hold one up.
// Submit and TakeReplies are called by one thread, handlers run on the pool's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rlrun {

struct Reply {
  std::string bytes;   // empty: close without an answer
  bool close = false;  // the connection ends behind this reply
};

// One request at a time; each worker has its own.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  // `head` ends with its blank line. `close`: the answer is the last one on
  // its connection and says so.
  virtual Reply Handle(const std::string& head, bool close) = 0;
};

class WorkerPool {
 public:
  // One thread per handler. `wake` is called by workers after each reply.
  WorkerPool(std::vector<std::unique_ptr<RequestHandler>> handlers,
             std::function<void()> wake);
  ~WorkerPool();  // stops
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  struct Job {
    std::uint64_t connection = 0;
    std::string head;
    bool close = false;
  };
  struct Done {
    std::uint64_t connection = 0;
    Reply reply;
  };
  void Submit(Job job);
  std::vector<Done> TakeReplies();
  // Drops what waits and returns when what runs is done.
  void Stop();

 private:
  void Work(RequestHandler* handler);

  const std::vector<std::unique_ptr<RequestHandler>> handlers_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Job> jobs_;    // guarded by mutex_
  std::vector<Done> done_;  // guarded by mutex_
  bool stopping_ = false;   // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace rlrun
