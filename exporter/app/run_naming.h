// How a run is called, from its first publication on. Shared by its sources, so
// that whichever of them is left, or comes back, brings the name along.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>

#include "exporter/store/run.h"

namespace rlrun {

struct RunNaming {
  RunIdentity claim;     // what its sources say
  RunIdentity identity;  // what it is exposed as; `claim`, or with a suffix
  // Named by a launcher alone: the head of a multi-node launch is not known.
  bool provisional = false;
};

}  // namespace rlrun
