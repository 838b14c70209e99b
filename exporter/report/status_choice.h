// Which runs a status report shows, in full or with one line each, and the
// whole report of them as text or JSON.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/report/report_text.h"
#include "exporter/report/run_report.h"

namespace rlrun {

// Indices of the reports that are shown in full, and of those of which one
// line is shown.
struct StatusChoice {
  std::vector<std::size_t> full;
  std::vector<std::size_t> listed;
  std::string note;   // what is said in front; may be empty
  std::string error;  // not empty: nothing is shown (exit code 3)
};

// `run`: as MatchRuns takes it; empty: the runs that live, the worst first, and
// those of `paths` (canonical) that name a log. Where none lives, the one that
// was finished last, else the one that was written last. No reports: nothing.
StatusChoice ChooseRuns(const std::vector<RunReport>& reports,
                        std::string_view run,
                        const std::vector<std::string>& paths);

// The last lines of a run's log, for each element of StatusChoice::full; may be
// empty.
using LogTails = std::vector<std::vector<std::string>>;

std::string StatusText(const std::vector<RunReport>& reports,
                       const StatusChoice& choice, ReportStyle style,
                       const LogTails& tails);

// The worst of the runs shown in full: 0, 1 or 2.
int StatusExitCode(const std::vector<RunReport>& reports,
                   const StatusChoice& choice);

}  // namespace rlrun
