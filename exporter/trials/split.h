// Whether a trial trains or validates, as the path of its task tells.
// Pure; safe from any thread.
#pragma once

#include <string_view>

#include "exporter/store/trial_totals.h"
#include "exporter/trials/options.h"

namespace rlrun {

// `*` and `?` of the options' patterns match any bytes, `/` too. Empty path:
// unknown.
TrialSplit SplitOfTask(std::string_view task_path, const TrialOptions& options);

}  // namespace rlrun
