// Status reports as JSON, with stable field names: status.schema.json beside
// this file describes them. A field that is not known is left out. NaN and
// infinite values are the strings "NaN", "+Inf" and "-Inf", since JSON has no
// numbers for them.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/report/run_match.h"
#include "exporter/report/run_report.h"
#include "exporter/report/status_choice.h"

namespace rlrun {

// One line: `{"generated_at": ..., "exit_code": 0, "runs": [...],
// "other_runs": [...]}`, the runs shown in full and those that are only listed.
// `now`: Unix seconds. `partial`: more runs may follow, the first pass over the
// files is under way.
std::string StatusJson(const std::vector<RunReport>& reports,
                       const StatusChoice& choice, const LogTails& tails,
                       double now, bool partial = false);

// What the API answers where it has no reports: `{"error": ..., "near":
// [{"project": ..., "run": ...}]}`, the names nearest to the one asked for.
std::string ErrorJson(std::string_view error, const std::vector<RunName>& near);

}  // namespace rlrun
