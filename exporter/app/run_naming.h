// How a run is called, from its first publication on. Shared by its sources, so
// that whichever of them is left, or comes back, brings the name along.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "exporter/signatures/options.h"
#include "exporter/store/run.h"

namespace rlrun {

// The numbers in force for the run that claims a name. Never null.
using RulesForRun =
    std::function<std::shared_ptr<const RunRules>(const RunIdentity& claim)>;

struct RunNaming {
  RunIdentity claim;     // what its sources say
  RunIdentity identity;  // what it is exposed as; `claim`, or with a suffix
  // Named by a launcher alone: the head of a multi-node launch is not known.
  bool provisional = false;
};

}  // namespace rlrun
