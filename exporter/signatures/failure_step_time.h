// step_slowdown: steps take longer than they did.
//
// Formula, of the step time without validation and checkpoint (role.h): M_3 >=
// 1.5 x median of the 20 points before (5 needed), or M_10 >= 3 x F.
//   Why: single slow steps are common, three that are half as long again are
//   not; the second bound finds what creeps.
//   Known false positive: answers that grow as the model learns to think.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kStepSlowdownRule;

}  // namespace rlrun
