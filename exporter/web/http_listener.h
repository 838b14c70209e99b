// One listen address: one thread accepts, reads and writes for all of its
// connections and waits for none of them, so a client that is slow, silent or
// hostile keeps nobody waiting; a few others make the answers. Bytes are left
// to connection.h, HTTP to http_exchange.h, the socket to listener.h.
// Constructed, stopped and destroyed by one thread; SetAccess is for any.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "exporter/web/access.h"
#include "exporter/web/answer_sizes.h"
#include "exporter/web/connection.h"
#include "exporter/web/http_exchange.h"
#include "exporter/web/router.h"
#include "exporter/web/work_lane.h"

namespace rlrun {

class HttpListener {
 public:
  // Takes the listening descriptor, unless it throws, and serves it at once.
  // `router` outlives this. Throws std::system_error where no thread or no
  // descriptor is left.
  HttpListener(int fd, Router* router, std::shared_ptr<Access> access,
               HttpLimits limits = {});
  // Cuts what is still connected, whatever it is about, and ends the threads.
  // Waits for nobody but a callback that runs.
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  // For connections from now on. Those that are there end with the answer that
  // they wait for.
  void SetAccess(std::shared_ptr<Access> access);
  void StopAccepting();
  // A request was read and its answer is not sent yet.
  bool busy() const { return in_hand_ > 0; }

 private:
  // By a number of ours: a descriptor may be another connection's by the time
  // that an answer is made.
  using Connections = std::map<std::uint64_t, std::unique_ptr<Connection>>;
  struct Done {
    std::uint64_t id;
    std::unique_ptr<Exchange> exchange;
  };

  void Serve();
  void Settle(double now);
  void Wake();
  void TakeDone(double now);
  void TakeAccess();
  void Accept(double now);
  void Listen(bool on);
  bool Full() const { return connections_.size() >= limits_.connections; }
  Connections::iterator LongestWaiting();
  void EvictWaiting();
  // Has the answers made that memory is there for.
  void MakeAnswers(double now);
  bool HasRoom(std::optional<std::size_t> expected, std::size_t held) const;
  void Count(std::optional<std::size_t> expected, bool begins);
  std::size_t BytesHeld() const;
  // Whoever reads slowest, if it is too slow; else the end.
  Connections::iterator SlowReader(double now);
  // A flood of answers leaves memory behind that the library keeps.
  void GiveMemoryBack();
  // Lets it go on and waits for what it needs then.
  void Advance(Connections::iterator it, double now);
  void Hand(std::uint64_t id, Connection* connection);
  void Work(std::uint64_t id, std::unique_ptr<Exchange> exchange);
  void DropLate(double now);
  int Timeout(double now) const;
  void Erase(Connections::iterator it);

  const int fd_;
  const HttpLimits limits_;
  HttpExchanger exchanger_;
  int epoll_ = -1;
  int wake_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ending_{false};
  std::atomic<int> in_hand_{0};

  // The serving thread's own:
  Connections connections_;
  std::shared_ptr<Access> access_;
  std::uint64_t next_id_ = 2;  // above those of the sockets of ours
  bool listening_ = false;
  double pause_ = 0;         // steady seconds until which nothing is accepted
  double next_check_ = 0;    // steady seconds: no deadline ends before
  std::list<Done> waiting_;  // requests, in order
  AnswerSizes sizes_;
  std::size_t making_ = 0;   // bytes that are expected of what is being made
  std::size_t unknown_ = 0;  // answers of unknown size that are being made
  bool flooded_ = false;

  std::mutex mutex_;
  std::vector<Done> done_;               // guarded by mutex_
  std::shared_ptr<Access> next_access_;  // guarded by mutex_

  // Passwords are checked apart: that is slow on purpose, and who guesses them
  // keeps nobody waiting who is known.
  std::unique_ptr<WorkLane> lane_;
  std::unique_ptr<WorkLane> slow_lane_;
  std::thread thread_;
};

}  // namespace rlrun
