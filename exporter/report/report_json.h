// Status reports as JSON, with stable field names; a field that is not known is
// left out. NaN and infinite values are the strings "NaN", "+Inf" and "-Inf",
// since JSON has no numbers for them.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "exporter/report/run_report.h"

namespace rlrun {

// `{"generated_at": ..., "runs": [...]}`; `now`: Unix seconds.
std::string ReportsJson(const std::vector<RunReport>& reports, double now);

}  // namespace rlrun
