// critic_starvation: every update of the critic is clipped down, and it does
// not learn.
//
// Formula, over the last 50 points with live returns: explained variance <= 0.3
// on all of them, median `critic/grad_norm` >= 3 x the critic's clip (1.0 where
// it is not stated), and nothing moves: explained variance (median of the last
// 10 of the 50 less that of the first 10) gained <= 0.05 and R gained <= its
// noise.
//   Why: a healthy critic stays below 0.3 for 90 steps, but moves. Points with
//   equal returns have no variance to explain; history.h leaves them out.
//   Known false positive: a task whose returns cannot be predicted.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kCriticStarvationRule;

}  // namespace rlrun
