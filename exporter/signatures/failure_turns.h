// What the agent does with its turns.
//
// no_tool_call_collapse: F(num_turns/mean) >= 4 and M_3 <= max(0.4 x F, 2.1),
// with normal filter reasons (env_setup_failed <= 0.02 and timeout <= 0.20 on
// each of the last 3 points). Critical if M_3(R) < median - 3 x max(s, noise)
// of R over the last 20 steps (3 needed) on which turns were > 0.8 x F.
//   Why: the model ends its episodes without a call; trainers that count user
//   turns never print less than 2. Time-outs and dead sandboxes shorten
//   episodes as well, and are no fault of the model.
//   Known false positive: tasks that turn out to be solvable in one turn; the
//   reward holds, hence only a warning.
//
// all_negative_batch_collapse (SAO): `critic/advantages/mean` < -0.01 on 3
// points in a row among the last 20, and M_3(num_turns/mean) >= 1.1 x its value
// 5 steps ago, and M_3(R) lower than 5 steps ago by >= max(10 % of its size,
// 2 x noise).
//   Why: without whitening a batch of failures pushes every answer down, and
//   the tool that costs no reward grows.
//   Known false positive: harder data that needs more turns.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kNoToolCallCollapseRule;
extern const StepRule kAllNegativeBatchCollapseRule;

}  // namespace rlrun
