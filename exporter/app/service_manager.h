// Tells a service manager, such as systemd with Type=notify, how the service
// fares: datagrams to the socket that $NOTIFY_SOCKET names, as sd_notify(3)
// describes them. Decides nothing about the service. Without such a socket
// every call does nothing.
// Belongs to one thread, the one that runs Tick: where that stops, so do the
// signs of life.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlrun {

class ServiceManager {
 public:
  // `socket`: NOTIFY_SOCKET; a path, or `@` and an abstract name. `watchdog`:
  // seconds between signs of life that the manager insists on.
  explicit ServiceManager(std::string socket = "",
                          std::optional<double> watchdog = {});
  // As the environment of this process says.
  static ServiceManager FromEnvironment();

  // Each of them returns false if there is a manager and it was not reached.
  bool Ready();      // serving; also behind a reload
  bool Reloading();  // the configuration is being read
  bool Stopping();
  // The service has just done a round of its work. Tells it twice as often as
  // is needed. `now`: steady seconds.
  bool Alive(double now);

  std::optional<double> watchdog() const { return watchdog_; }

 private:
  bool Send(std::string_view message) const;

  std::string socket_;
  std::optional<double> watchdog_;
  std::optional<double> last_sign_;
};

// Seconds of $WATCHDOG_USEC, if it is meant for `pid` ($WATCHDOG_PID; empty:
// anybody). Nothing: no watchdog, or no number.
std::optional<double> WatchdogSeconds(std::string_view usec,
                                      std::string_view for_pid, long pid);

}  // namespace rlrun
