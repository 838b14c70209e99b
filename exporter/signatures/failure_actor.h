// The actor does not learn, or hardly.
//
// frozen_model: `actor/lr` exactly 0 on the last 2 training steps, both outside
// a configured warm-up and the last 2 % of the planned steps.
//   Why: one step at 0 is the first of a warm-up; two are a schedule that never
//   leaves 0 (a cosine without a length). A console of few decimals prints 0
//   for any usual rate, so there the rule does not apply.
//   Known false positive: a warm-up that the config block does not state.
//
// grad_starvation: 0 < M_3(grad_norm) <= 0.15 x U, and long answers:
// M_3(response_length/mean) >= 0.6 x cap, or >= 1.5 x T, or >= 1.5 x F.
//   Why: a token mean over very long answers dilutes the gradient by an order
//   of magnitude; without long answers a small gradient is something else.
//   Known false positive: a learning problem that is solved while answers grow.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kFrozenModelRule;
extern const StepRule kGradStarvationRule;

}  // namespace rlrun
