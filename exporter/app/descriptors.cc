#include "exporter/app/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace rlrun {
namespace {

// Listeners, inotify, the standard streams, libraries.
constexpr std::size_t kReserved = 48;
// Of all, as many for clients as the web server takes at most.
constexpr std::size_t kClients = 8, kMostClients = 512;

}  // namespace

std::size_t RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1u << 20));
}

std::size_t FilesPerRoot(std::size_t limit, std::size_t roots,
                         std::size_t wanted) {
  if (roots == 0) return wanted;
  const std::size_t taken =
      kReserved + std::min(limit / kClients, kMostClients);
  const std::size_t left = limit > taken ? limit - taken : 0;
  // A file that was rotated holds two descriptors for a while.
  return std::min(left / roots / 2, wanted);
}

}  // namespace rlrun
