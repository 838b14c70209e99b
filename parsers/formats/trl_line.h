// One line of a Hugging Face trainer (transformers, TRL) -> its numbers, or how
// far its progress bar is. Which step a line belongs to is for trl_console.h.
//
//   {'loss': 0.0123, 'grad_norm': nan, 'reward': 0.5, 'epoch': 0.01}
//   5%|#         | 25/500 [01:48<34:10,  4.23s/it]{'loss': '1.2', 'epoch': '1'}
//
// Accepts: a dict (dict_line.h) at the front of a line or behind a progress
//   bar, also inside the string of a notebook, that has `loss` and one of
//   `epoch`, `grad_norm`, `learning_rate`; or `eval_` keys and `epoch`; or
//   `train_runtime`.
// Ignores: what stands behind the dict (counted as glued, unless it is a bar).
// Rejects: any other dict; bars with a name in front (`Map: 100%|`).
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/formats/step_line.h"
#include "parsers/model/step_record.h"

namespace rlrun {

struct TrlBar {
  std::int64_t done = 0, total = 0;  // steps
  std::size_t clock = 0;  // hash of what it tells of time; 0: nothing
};

struct TrlLine {
  enum class Role : std::uint8_t { kNone, kTraining, kEvaluation, kSummary };
  Role role = Role::kNone;
  std::optional<TrlBar> before, behind;  // bars around the dict, or alone
};

// `payload`: a line behind its actor prefixes, free of escapes. Fills
// line_class, dialect, cut, key_text and pairs of *record where there is a
// role, and only then adds to *skipped. `step` is left to the caller.
TrlLine ReadTrlLine(std::string_view payload, StepRecord* record,
                    SkipCounts* skipped);

// A cheap look: such a dict may stand in the line.
bool MayBeTrlDict(std::string_view payload);

}  // namespace rlrun
