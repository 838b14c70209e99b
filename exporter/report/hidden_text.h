// Reports without what they quote of logs: for pages that more people see than
// may see the logs.
// Pure; safe from any thread.
#pragma once

#include "exporter/report/run_report.h"

namespace rlrun {

// Takes out the shown line of the log, and of findings what is not in our own
// words. Names, keys and numbers stay.
void HideLogText(RunReport* report);

}  // namespace rlrun
