// Which log belongs to what a launcher printed: the one whose path it
// announces, as canonical path, else by its last two segments below the same
// root, where only one file has them; a launcher that names none is of the log
// beside its output, where that can only be one. Pure.
#pragma once

#include <vector>

#include "exporter/app/index_pairs.h"
#include "exporter/app/tracked_file.h"

namespace rlrun {

IndexPairs LaunchPairs(const std::vector<TrackedFile*>& files);

}  // namespace rlrun
