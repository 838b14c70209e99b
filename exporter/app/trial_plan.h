// Which directories hold the trials of a run: the one that its log or launcher
// states, else the one above the log's `logs/`, else the log's own. Whether
// there are trials in them, only a look can tell (trial_reader.h).
//
//   <trials root>/<project>/<exp>/step_0007/<trial>/
//   <trials root>/<project>/<exp>/logs/<exp>.log
//
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exporter/app/run_group.h"
#include "exporter/app/run_joins.h"
#include "exporter/trials/trial_scanner.h"

namespace rlrun {

struct TrialPlace {
  std::string directory;
  bool stated = false;  // else guessed: it must hold trials to be taken
  bool operator==(const TrialPlace&) const = default;
};

struct TrialRun {
  std::uint64_t id = 0;  // of its RunGroup
  // Of each known node of its launch, the head first: places in the order in
  // which they are believed.
  std::vector<std::vector<TrialPlace>> nodes;
  // Nodes that nothing else is known of may have directories beside the head's.
  bool has_siblings = true;
  StuckAfter stuck_after;
};

struct TrialPlan {
  std::vector<TrialRun> runs;
  // Directories that a run of this or another root has for itself.
  std::map<std::string, std::uint64_t> owners;
};

// The set-up budget, seconds, on top of the agent's own limit: what Harbor's
// Kubernetes back end gives a pod to start.
inline constexpr double kTrialSetUp = 1200;
inline constexpr double kValTrialSetUp = 2400;

// By number of the root of each run's first source. A directory that two runs
// guess is of neither, unless one of them is called like it. `elsewhere`: runs
// that others publish; they may have a directory, and none is looked into for
// them.
std::map<std::size_t, TrialPlan> MakeTrialPlans(
    const std::vector<RunGroup*>& groups,
    const std::vector<RunElsewhere>& elsewhere, double stuck_after);

// Notices when plans must be made anew. Not thread-safe.
class TrialPlanWatch {
 public:
  // True if the runs, or what they state, are others than at the last call.
  bool Changed(const std::vector<RunGroup*>& groups,
               const std::vector<RunElsewhere>& elsewhere,
               std::uint64_t generation);

 private:
  std::uint64_t generation_ = 0;
  std::vector<std::shared_ptr<const RunFacts>> facts_;
};

}  // namespace rlrun
