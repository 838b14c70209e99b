// env_avalanche: sandboxes fail to start, more and more of them, and the reward
// falls with it.
//
// Formula: the count of `env_setup_failed` higher than on the step before on
// each of the last 3 steps, or its share >= 0.05 on the last 2; newest count
// >= 3 and newest share > 0.02; and M_2(R) < median of the 5 points of R before
// those 2.
//   Why: a few failures are noise of any cluster; an image that cannot be
//   pulled any more fails one node after the other, and each failure is a
//   reward of 0.
//   Known false positive: a short outage of a registry that heals by itself
//   while the reward is low for another reason.
// A reason that is not printed beside others is 0; a step without any reason is
// not evaluated.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kEnvAvalancheRule;

}  // namespace rlrun
