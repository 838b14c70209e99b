// How the trials of a run have ended, as one bar of parts with a legend.
// Pure; safe to call from any thread.
#pragma once

#include <string>

#include "exporter/report/run_report.h"

namespace rlrun {

// One `<section>`: the bar by reason, its legend with numbers, how many are
// scored, solved, running, stuck, and what the trainer has dropped. Before the
// first walk has reached its end it says so and nothing else.
std::string TrialsHtml(const ReportTrials& trials);

}  // namespace rlrun
