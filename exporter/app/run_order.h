// In which order the sources of one run are believed, and which of them tell
// nothing: those of an execution that had ended when a newer one began, and
// those that were left behind by the one that is believed first.
// Pure; sets TrackedFile::aside, helper and beside_log.
#pragma once

#include <vector>

#include "exporter/app/tracked_file.h"

namespace rlrun {

// Sorts: by kind, then by path; those that tell nothing last.
void OrderSources(std::vector<TrackedFile*>* sources);

}  // namespace rlrun
