// What lines between the step lines tell of a run's length: stated totals and
// the training bar. The step itself is only believed from step lines.
//
//   Training Progress:  39%|###9      | 393/1005 [11:26:08<9:53:00, 58.14s/it]
//
// Accepts: the training bar with a total; `Total training steps: N`, also
// behind
//   a stamp; `total_train_steps N` or `total_train_steps: N` in the lines of
//   the asynchronous trainer; `Number of steps/epoch ..., total number of steps
//   N`.
// Ignores: bars of other loops (`Epoch 1/20:`, weight loading), bars without a
//   total, the same words inside other text.
// Rejects: totals below 1.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rlrun {

// Planned steps that `payload` (prefixes and blanks already skipped) states.
std::optional<std::int64_t> ParseTotalSteps(std::string_view payload);

}  // namespace rlrun
