// The page of one run: the status report as HTML, with curves. HTML made here,
// no script, no outside asset.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/report/curve.h"
#include "exporter/report/page_frame.h"
#include "exporter/report/run_match.h"
#include "exporter/report/run_report.h"

namespace rlrun {

// What a page is made of; immutable once it is shared.
struct RunPage {
  RunReport report;
  std::vector<Curve> curves;
};

// The page of a name that there is no run of, with the names nearest to it.
// `all`: every run is known; else the first pass is under way.
std::string NoSuchRunHtml(const PageLinks& links, std::string_view name,
                          const std::vector<RunName>& near, bool all);

// `now`: Unix seconds, for ages.
std::string RunPageHtml(const RunPage& page, const PageLinks& links,
                        double now);

}  // namespace rlrun
