// The page at `/`: which runs are seen and where to go on. HTML made here, no
// script, no outside asset.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

#include "exporter/metrics/snapshot.h"
#include "exporter/report/page_frame.h"

namespace rlrun {

// `snapshot` may be null: nothing is known yet. `now` in Unix seconds.
std::string LandingPage(const Snapshot* snapshot, std::string_view version,
                        const PageLinks& links, std::string_view telemetry_path,
                        double now);

// Value of Content-Security-Policy that allows this page's style and nothing
// else.
std::string LandingPagePolicy();

}  // namespace rlrun
