// The part of a run's page that says what is wrong: verdict, findings with
// their evidence, what has recovered, what to do.
// Pure; safe to call from any thread.
#pragma once

#include <string>

#include "exporter/report/page_frame.h"
#include "exporter/report/run_report.h"

namespace rlrun {

// One `<section>`.
std::string VerdictHtml(const RunReport& report);
// `<section>`s of findings and failed checks, and of what to do.
std::string DiagnosisHtml(const RunReport& report, const PageLinks& links);

}  // namespace rlrun
