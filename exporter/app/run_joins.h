// Which files are sources of one run: metrics.md, "Identity". Five reasons,
// and nothing less, put files together:
//   1. their first training lines are equal, measured times included, or those
//      of their bars (first_clocks.h): copies; or their first steps are, for
//      what W&B and TensorBoard keep of a run (run_metric_files.h), which also
//      lies in one directory;
//   2. one names the other: a launcher's banner its log (run_launches.h), a
//      console the run of W&B (run_ids.h);
//   3. they state the same project and experiment, unless they show different
//      executions at the same time;
//   4. what TRL logs, and what trackers keep of it, agrees in several steps and
//      in time, in one tree (run_trails.h);
//   5. a run record and what tells its id, or is called like its run, its app
//      or its W&B run (run_ids.h).
// And nodes that only help join the head of their multi-node launch
// (run_siblings.h).
// Pure; looks at files, marks only those that tell nothing
// (TrackedFile::aside).
#pragma once

#include <vector>

#include "exporter/app/tracked_file.h"

namespace rlrun {

// The sources of one run, in the order in which they are believed; those that
// tell nothing last.
using JoinedSources = std::vector<TrackedFile*>;

// Every file of `files` in exactly one of the results.
std::vector<JoinedSources> JoinSources(const std::vector<TrackedFile*>& files);

// `statement` before path, the pattern of a root before both: how a run with
// these sources is called where nobody else is called so. What a tracker says
// is behind the path of a log.
RunIdentity ClaimOf(const JoinedSources& sources);

// A run that another exporter publishes.
struct RunElsewhere {
  JoinedSources sources;
  RunIdentity claim;
};

}  // namespace rlrun
