#include "tests/notify/receiver.h"

#include <httplib.h>

#include <mutex>
#include <stdexcept>

namespace rlrun::notify {

Receiver::Receiver(std::function<void(const Post&)> on_post)
    : server_(std::make_unique<httplib::Server>()) {
  auto mutex = std::make_shared<std::mutex>();
  server_->Post(
      ".*", [mutex, on_post = std::move(on_post)](
                const httplib::Request& request, httplib::Response& response) {
        const std::lock_guard lock(*mutex);
        on_post({request.path, request.get_header_value("Authorization"),
                 request.body});
        // PagerDuty wants to hear that it was accepted.
        response.status = request.path.ends_with("/enqueue") ? 202 : 200;
        response.set_content("ok", "text/plain");
      });
  // A connection that is kept would hold one of few threads.
  server_->set_keep_alive_max_count(1);
  const int port = server_->bind_to_any_port("127.0.0.1");
  if (port <= 0) throw std::runtime_error("no port is free");
  address_ = "127.0.0.1:" + std::to_string(port);
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

Receiver::~Receiver() {
  server_->stop();
  thread_.join();
}

}  // namespace rlrun::notify
