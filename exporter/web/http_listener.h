// One listen address, served by the HTTP library: its accept loop, threads,
// time-outs and keep-alive. What a path answers is left to the router, the
// socket to listener.h.
// Not bounded, since the library does not: the size of a request's head while
// it arrives, and the time of a request whose client sends a byte now and then.
// Constructed, stopped and destroyed by one thread. Every thread is joined at
// the end; none is left behind.
#pragma once

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

#include "exporter/web/router.h"

namespace rlrun {

struct HttpLimits {
  // A thread has one connection until that ends or is idle for too long: so
  // many silent or slow clients, less one, keep nobody else waiting.
  std::size_t threads = 32;
  int keep_alive_requests = 100;  // of one connection
  // Seconds: between two requests, for each read of one, for each write that
  // makes no progress.
  int keep_alive = 2;
  int read = 5;
  int write = 5;
};

class HttpListener : private httplib::Server {
 public:
  // Takes the listening descriptor, unless it throws, and serves it at once.
  // `router` outlives this. Throws std::system_error where no thread is left.
  HttpListener(int fd, Router* router, HttpLimits limits = {});
  // Cuts what is still connected, whatever it is about, and ends the threads.
  // Waits for nobody but a callback that runs.
  ~HttpListener() override;
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  void StopAccepting();
  // A request was read and its answer is not sent yet.
  bool busy() const { return in_hand_.use_count() > 1; }

 private:
  void Serve();
  void Respond(const httplib::Request& request, httplib::Response* response);

  const int fd_;
  Router* const router_;
  // Its use count, less one, is the number of requests in hand.
  const std::shared_ptr<const bool> in_hand_ = std::make_shared<bool>(true);
  std::atomic<bool> stopping_{false};
  std::atomic<bool> done_{false};  // the thread is about to end
  std::thread thread_;
};

}  // namespace rlrun
