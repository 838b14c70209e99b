// Which files are of one run because of an id that both of them have.
// Pure.
#pragma once

#include <vector>

#include "exporter/app/index_pairs.h"
#include "exporter/app/tracked_file.h"

namespace rlrun {

// A run record, and what tells its id or is called like its run, its app or its
// W&B run. A name that two records have is none's.
IndexPairs RecordPairs(const std::vector<TrackedFile*>& files);

// A console whose process told W&B's id of its run, and the `run-<id>.wandb`:
// where it told of one run only, and their first steps do not differ.
IndexPairs WandbIdPairs(const std::vector<TrackedFile*>& files);

}  // namespace rlrun
