// Which runs a status report shows, and how: the part of the command `status`
// that is text in, text out.
// Pure but for LastLines; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/report/report_text.h"
#include "exporter/report/run_report.h"
#include "exporter/tail/file_source.h"

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
// was written last.
StatusChoice ChooseRuns(const std::vector<RunReport>& reports,
                        std::string_view run,
                        const std::vector<std::string>& paths);

// The reports of a choice as text. `tails`: behind each full report, one text
// per element of choice.full; may be empty.
std::string StatusText(const std::vector<RunReport>& reports,
                       const StatusChoice& choice, ReportStyle style,
                       const std::vector<std::string>& tails);

// The worst of the runs shown in full: 0, 1 or 2.
int StatusExitCode(const std::vector<RunReport>& reports,
                   const StatusChoice& choice);

// The last `lines` lines of a file, secrets masked, without control
// characters, 200 bytes of each. Reads at most 1 MiB. Empty: it cannot be read.
std::string LastLines(FileSource& source, const std::string& path,
                      std::size_t lines);

}  // namespace rlrun
