// Nodes of one multi-node launch. Each of them names the run after its own
// clock, in a directory of its own, and only the ray head trains:
//
//   <project>/exp-20260526-232411/logs/exp-20260526-232411.log    (the head)
//   <project>/exp-20260526-232413/logs/launch_20260526-232413.log
//
// A node of whose launch only the launcher has spoken joins the nearest head of
// the same project, stem and parent directory whose stamp is at most 600 s
// away. Where no head is known yet, such nodes join each other, if their
// banners speak of more than one node. Two that train are two runs, however
// alike. Pure.
#pragma once

#include <vector>

#include "exporter/app/tracked_file.h"

namespace rlrun {

// Takes and gives runs as lists of sources (run_joins.h); what joins a head is
// put behind its sources, aside.
std::vector<std::vector<TrackedFile*>> JoinSiblings(
    std::vector<std::vector<TrackedFile*>> runs);

}  // namespace rlrun
