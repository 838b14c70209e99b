// The page at `/`: which runs are seen and where to go on. HTML made here, no
// script, no outside asset.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

#include "exporter/metrics/snapshot.h"

namespace rlrun {

struct LandingLinks {
  // Put in front of every link; empty: links are relative to `/`.
  std::string prefix;
  std::string telemetry_path;
};

// `snapshot` may be null: nothing is known yet. `now` in Unix seconds.
std::string LandingPage(const Snapshot* snapshot, std::string_view version,
                        const LandingLinks& links, double now);

// Value of Content-Security-Policy that allows this page's style and nothing
// else.
std::string LandingPagePolicy();

}  // namespace rlrun
