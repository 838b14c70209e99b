// The lines of the status report that show step values: reward, grads, critic,
// traj, val, also. A key that is not current is left out, and so is a line with
// nothing to show.
// Pure; safe from any thread.
#pragma once

#include "exporter/report/run_report.h"

namespace rlrun {

// Adds to report->lines and sets report->reward_trend.
void FillReportLines(const ReportInput& input, RunReport* report);

}  // namespace rlrun
