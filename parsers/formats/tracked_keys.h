// Rows that a tracker has kept (W&B, TensorBoard) have no line around them:
// whose words their keys are, and which loop of the trainer they come from, the
// keys alone tell.
//
//   {"rollout/raw_reward": 0.5, "rollout/step": 12}
//
// Pure; safe to call from any thread.
#pragma once

#include "parsers/model/step_record.h"

namespace rlrun {

// Sets dialect, line_class and by_rollout of a record of slime or miles by its
// keys; false: it is of another trainer, and nothing was changed. slime's
// `train/` rows have a step of their own, all others that of a rollout.
bool ClassifySlimeRow(StepRecord* record);

}  // namespace rlrun
