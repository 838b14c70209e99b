#include "exporter/app/service_manager.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace rlrun {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return {};
  return value;
}

}  // namespace

std::optional<double> WatchdogSeconds(std::string_view usec,
                                      std::string_view for_pid, long pid) {
  if (!for_pid.empty() && Number(for_pid) != pid) return {};
  const std::optional<std::int64_t> value = Number(usec);
  if (!value || *value <= 0) return {};
  return static_cast<double>(*value) * 1e-6;
}

ServiceManager::ServiceManager(std::string socket,
                               std::optional<double> watchdog)
    : socket_(std::move(socket)), watchdog_(watchdog) {}

ServiceManager ServiceManager::FromEnvironment() {
  return ServiceManager(Variable("NOTIFY_SOCKET"),
                        WatchdogSeconds(Variable("WATCHDOG_USEC"),
                                        Variable("WATCHDOG_PID"), getpid()));
}

bool ServiceManager::Ready() { return Send("READY=1"); }

bool ServiceManager::Reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return Send("RELOADING=1\nMONOTONIC_USEC=" +
              std::to_string(now.tv_sec * 1000000 + now.tv_nsec / 1000));
}

bool ServiceManager::Stopping() { return Send("STOPPING=1"); }

bool ServiceManager::Alive(double now) {
  if (!watchdog_) return true;
  if (last_sign_ && now - *last_sign_ < *watchdog_ / 2) return true;
  last_sign_ = now;
  return Send("WATCHDOG=1");
}

bool ServiceManager::Send(std::string_view message) const {
  if (socket_.empty()) return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  // A manager that does not read costs a second, not the service.
  const timeval patience{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const ssize_t sent =
      sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address), size);
  close(fd);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace rlrun
