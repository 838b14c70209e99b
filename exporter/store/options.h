// Caps and life times of runs and series. Filled by config from `limits:` and
// `retention:`.
#pragma once

#include <cstddef>

namespace rlrun {

struct StoreOptions {
  // Distinct step keys of one run; further ones are dropped and counted.
  std::size_t max_keys_per_run = 2000;
  // Step series of all runs together; further ones are dropped and counted.
  std::size_t max_series = 1000000;
  // Seconds that a run which ended is still exposed after its last write.
  double retention_finished = 24 * 3600;
  // `serve` does not read a log last written longer ago (seconds).
  double max_age = 7 * 86400;
  // Seconds that the runs of a root which vanished at once are kept.
  double vanish_grace = 15 * 60;
};

}  // namespace rlrun
