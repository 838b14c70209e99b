// Whether a trial trains or validates, as the path of its task tells.
// Pure; safe from any thread.
#pragma once

#include <string_view>

#include "exporter/store/trial_totals.h"
#include "exporter/trials/options.h"

namespace rlrun {

// The options' patterns are those of parsers/values/glob.h. Empty path:
// unknown.
TrialSplit SplitOfTask(std::string_view task_path, const TrialOptions& options);

}  // namespace rlrun
