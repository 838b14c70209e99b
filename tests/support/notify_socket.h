// What a service manager listens at: a socket for datagrams, in a folder or,
// with `@` in front of its name, without a file.
// Not thread-safe.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

namespace rlrun {

class NotifySocket {
 public:
  explicit NotifySocket(const std::string& name)
      : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
      throw std::runtime_error("cannot listen at " + name);
    }
  }
  ~NotifySocket() { close(fd_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // The next message; empty: none came within `seconds`.
  std::string Next(int seconds = 60) {
    pollfd wanted{fd_, POLLIN, 0};
    if (poll(&wanted, 1, seconds * 1000) != 1) return "";
    char text[4096];
    const ssize_t size = recv(fd_, text, sizeof text, 0);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

 private:
  int fd_;
};

}  // namespace rlrun
