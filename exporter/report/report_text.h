// The status report as text for a terminal, and as Markdown for a chat or a
// ticket: the same lines, there in a block that keeps their columns.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "exporter/report/run_report.h"

namespace rlrun {

enum class ReportStyle : std::uint8_t { kText, kMarkdown };

// Appends the report, its last line ended. Text of others is one line that
// cannot steer a terminal; in Markdown it stays text (plain_text.h).
void AppendReport(const RunReport& report, ReportStyle style, std::string* out);

// One line that says how the run is: for lists of runs.
std::string ReportSummary(const RunReport& report,
                          ReportStyle style = ReportStyle::kText);

// 0 healthy, 1 at risk, 2 critical: the exit code of `status`.
int ReportExitCode(const RunReport& report);

}  // namespace rlrun
