// All sockets of the server on one thread: accepts, collects requests until
// they are complete, hands them to workers, sends replies. A client that is
// silent, slow to send or slow to read costs a file descriptor and a deadline,
// never a thread; when there are too many, the one nearest to its deadline
// makes room.
// Start and Stop are called by one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exporter/web/framing.h"
#include "exporter/web/worker_pool.h"

struct pollfd;

namespace rlrun {

struct LoopLimits {
  using Duration = std::chrono::milliseconds;
  FrameLimits frame;
  std::size_t max_connections = 256;
  // Requests of one connection; the last reply says that it closes.
  int max_requests = 100;
  // From the first byte of a request to its last; also how long a connection
  // on which no request begins is kept.
  Duration request_timeout{5000};
  // From the reply's being ready to its last byte being sent.
  Duration write_timeout{60000};
  // How long a closed connection may still send what we throw away.
  Duration linger_timeout{1000};
  // What replies that are ready may still take when the server stops.
  Duration stop_grace{500};
  // Replies not sent yet, of all connections; beyond it the oldest is dropped.
  std::size_t max_pending_bytes = 512u << 20;
};

class ConnectionLoop {
 public:
  // Takes the listening descriptors. One worker thread per handler.
  ConnectionLoop(std::vector<int> listeners,
                 std::vector<std::unique_ptr<RequestHandler>> handlers,
                 LoopLimits limits);
  ~ConnectionLoop();  // stops
  ConnectionLoop(const ConnectionLoop&) = delete;
  ConnectionLoop& operator=(const ConnectionLoop&) = delete;

  // False: the process has no descriptor left; do not start it.
  bool ok() const { return wake_fd_ >= 0; }
  void Start();
  // Takes stop_grace at most, and what a handler that runs still needs.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase {
    kReading,    // waits for a request or the rest of one
    kWorking,    // a worker has the request
    kWriting,    // the reply is being sent
    kLingering,  // sent; what still arrives is thrown away
  };
  struct Connection {
    int fd = -1;
    Phase phase = Phase::kReading;
    Clock::time_point deadline;
    std::string input;
    std::string output;
    std::size_t sent = 0;  // bytes of output
    int requests = 0;
    bool close = false;  // behind this reply
  };
  using Connections = std::map<std::uint64_t, Connection>;

  void Run();
  bool BeginStop();  // true: nothing is left to do
  int Poll(std::vector<pollfd>* polled, std::vector<std::uint64_t>* ids);
  void Accept(int listener);
  bool MakeRoom();               // false: every connection is in use
  void Serve(std::uint64_t id);  // a poll result of this connection
  bool Read(Connection* c);      // false: close
  bool Write(Connection* c);     // false: close
  bool Linger(Connection* c);    // false: close
  // A complete request in the input goes to a worker.
  void Dispatch(std::uint64_t id, Connection* c);
  void StartReply(Connection* c, std::string bytes, bool close);
  void TakeReplies();
  void DropOldestReplies(std::uint64_t keep);
  void Expire(Clock::time_point now);
  Connections::iterator Close(Connections::iterator it);
  void Wake();

  const LoopLimits limits_;
  std::vector<int> listeners_;
  int wake_fd_ = -1;  // eventfd: a reply is ready, or stop
  std::unique_ptr<WorkerPool> pool_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  // Below: the loop's thread only.
  Connections connections_;  // by number, in the order of arrival
  std::uint64_t next_id_ = 1;
  bool stopping_ = false;
  Clock::time_point stop_deadline_;
  Clock::time_point accept_from_;  // out of descriptors: not before
};

}  // namespace rlrun
