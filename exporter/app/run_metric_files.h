// Which files belong to what W&B and TensorBoard keep of a run. Such a file has
// no line that a log has, so run_joins.h asks here: the copy of the console
// lies in the same directory of W&B; event files lie in one directory, or one
// below the other (a writer of several curves makes subdirectories); and the
// first steps agree (first_step.h).
// Pure.
#pragma once

#include <vector>

#include "exporter/app/index_pairs.h"
#include "exporter/app/tracked_file.h"

namespace rlrun {

// Pairs of indices into `files` that are of one run.
IndexPairs MetricFilePairs(const std::vector<TrackedFile*>& files);

// A file of W&B or TensorBoard among these shows another execution than the
// others do, and none the same.
bool MetricsContradict(const std::vector<TrackedFile*>& a,
                       const std::vector<TrackedFile*>& b);

}  // namespace rlrun
