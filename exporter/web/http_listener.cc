#include "exporter/web/http_listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "exporter/web/listener.h"

namespace rlrun {
namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::milliseconds kJoinPause{5};

// The library's pool, bounded: while no thread is free, the accept loop waits
// and connections with it, in the kernel's backlog.
class BoundedPool : public httplib::TaskQueue {
 public:
  explicit BoundedPool(std::size_t threads) : free_(threads), pool_(threads) {}
  void enqueue(std::function<void()> task) override {
    {
      std::unique_lock lock(mutex_);
      ended_.wait(lock, [this] { return free_ > 0; });
      --free_;
    }
    pool_.enqueue([this, task = std::move(task)] {
      try {
        task();
      } catch (...) {  // out of memory: this connection only
      }
      {
        const std::lock_guard lock(mutex_);
        ++free_;
      }
      ended_.notify_one();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t free_;  // guarded by mutex_
  httplib::ThreadPool pool_;
};

std::string Joined(const httplib::Headers& headers, const char* name) {
  std::string out;
  const auto [first, last] = headers.equal_range(name);
  for (auto it = first; it != last; ++it) {
    if (!out.empty()) out += ',';
    out += it->second;
  }
  return out;
}

bool HasBody(const httplib::Request& request) {
  const std::string length = Joined(request.headers, "Content-Length");
  return request.has_header("Transfer-Encoding") ||
         (!length.empty() && length != "0");
}

// A body of known length is sent as it is: the library compresses it no second
// time. `in_hand` lives until it is sent. `close`: the connection ends behind
// it, since what follows cannot be told from a request.
void SetBody(const httplib::Request& request, std::string body,
             const std::string& content_type, bool close,
             std::shared_ptr<const bool> in_hand, httplib::Response* response) {
  // The library's own request, which it shows as const.
  auto& changed = const_cast<httplib::Request&>(request);
  changed.ranges.clear();  // nothing here is worth sending in parts
  if (close) {
    changed.headers.erase("Connection");
    changed.set_header("Connection", "close");
  }
  if (body.empty()) {
    response->set_header("Content-Type", content_type);
    return;
  }
  const std::size_t size = body.size();
  const auto shared = std::make_shared<const std::string>(std::move(body));
  response->set_content_provider(
      size, content_type,
      [shared, close, in_hand = std::move(in_hand)](
          std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        sink.write(shared->data() + offset, length);
        return !close;  // false: the library gives the connection up
      });
}

}  // namespace

HttpListener::HttpListener(int fd, Router* router, HttpLimits limits)
    : fd_(fd), router_(router) {
  new_task_queue = [limits] { return new BoundedPool(limits.threads); };
  set_keep_alive_timeout(limits.keep_alive);
  set_keep_alive_max_count(
      static_cast<std::size_t>(limits.keep_alive_requests));
  set_read_timeout(limits.read);
  set_write_timeout(limits.write);
  set_default_headers({{"X-Content-Type-Options", "nosniff"},
                       {"Cache-Control", "no-store"},
                       {"Accept-Ranges", "none"}});
  // Every route is taken here: the library's own go through std::regex, and
  // would wait for the body of a POST that has none.
  set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        Respond(request, &response);
        return HandlerResponse::Handled;
      });
  set_error_handler(HandlerWithResponse([](const httplib::Request& request,
                                           httplib::Response& response) {
    // The router's own answers have a type.
    if (response.has_header("Content-Type")) return HandlerResponse::Unhandled;
    SetBody(request,
            response.status < 500 ? "malformed request\n" : "internal error\n",
            "text/plain; charset=utf-8", true, nullptr, &response);
    return HandlerResponse::Handled;
  }));
  thread_ = std::thread([this] { Serve(); });
}

HttpListener::~HttpListener() {
  StopAccepting();
  // Again and again: a connection may be accepted but not in the list yet.
  while (!done_) {
    CutConnections(fd_);
    std::this_thread::sleep_for(kJoinPause);
  }
  thread_.join();
  ::close(fd_);
}

void HttpListener::StopAccepting() {
  stopping_ = true;
  ::shutdown(fd_, SHUT_RDWR);  // wakes accept, which fails from now on
}

void HttpListener::Serve() {
  while (!stopping_) {
    // The library closes its listening socket and returns where accept fails
    // for a reason it does not know, so it gets a copy.
    svr_sock_ = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (svr_sock_ != INVALID_SOCKET) listen_after_bind();
    if (!stopping_) std::this_thread::sleep_for(kAcceptPause);
  }
  done_ = true;
}

void HttpListener::Respond(const httplib::Request& request,
                           httplib::Response* response) {
  std::shared_ptr<const bool> in_hand = in_hand_;
  WebResponse answer = router_->Answer(
      {request.method, request.path, Joined(request.headers, "Accept"),
       Joined(request.headers, "Accept-Encoding"),
       request.get_param_value("refresh")});
  response->status = answer.status;
  for (const auto& [name, value] : answer.headers) {
    response->set_header(name, value);
  }
  // A body is not read: nothing here needs one.
  SetBody(request, std::move(answer.body), answer.content_type,
          HasBody(request), std::move(in_hand), response);
}

}  // namespace rlrun
