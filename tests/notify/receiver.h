// Takes what Alertmanager posts, on a free loopback port: webhook, Slack and
// PagerDuty are told apart by their paths. Answers every POST with 200.
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace httplib {
class Server;
}

namespace rlrun::notify {

struct Post {
  std::string path;
  std::string authorization;  // header, empty: none
  std::string body;
};

class Receiver {
 public:
  // `on_post` is called by one thread at a time. Throws std::runtime_error
  // where no port is free.
  explicit Receiver(std::function<void(const Post&)> on_post);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  const std::string& address() const { return address_; }  // 127.0.0.1:PORT

 private:
  std::unique_ptr<httplib::Server> server_;
  std::string address_;
  std::thread thread_;
};

}  // namespace rlrun::notify
