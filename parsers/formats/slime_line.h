// One metric line of slime or miles -> its type, its number and its pairs.
// Which lines to ask, copies of lines and events are left to slime_console.h.
//
//   [2026-08-21 10:00:00] model.py:918 - step 0: {'train/loss': 1e-09, 'train/
//   grad_norm': 1.02, 'train/step': 0}
//
// Accepts: `step`, `critic-step`, `rollout`, `perf`, `eval`, `multi_turn`,
//   `passrate`, each with digits and a dict (dict_line.h); in front of it the
//   head of a logger, `file.py:12 - `, `[anything short] `, a progress bar that
//   ends there; behind it a deduplicator's suffix.
// Ignores: what stands behind the dict (counted as glued).
// Rejects: the same words behind other text: `Global step 3: {`, an answer that
//   quotes a step line; a dict without a number in it.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "parsers/formats/step_line.h"
#include "parsers/model/step_record.h"

namespace rlrun {

struct SlimeLine {
  enum class Type : std::uint8_t {
    kNone,
    kStep,
    kCriticStep,
    kRollout,
    kPerf,
    kEval,
    kMultiTurn,
    kPassrate,
  };
  Type type = Type::kNone;
  std::int64_t number = 0;   // of the step, or of the rollout
  std::string_view dict;     // from its brace on
  std::string_view process;  // miles: `actor_cell0_rank0`; else empty
};

// Looks at `payload`: a line behind its actor prefixes, free of escapes.
SlimeLine FindSlimeLine(std::string_view payload);

// `payload` behind the heads of loggers: `[2026-08-21 10:00:00] file.py:12 - `.
// *process: as above.
std::string_view SkipLogHeads(std::string_view payload,
                              std::string_view* process);

// Fills step, by_rollout, line_class, dialect, cut, key_text and pairs; false:
// there is no number in it, and *skipped is as it was. A key of a critic's line
// that the actor's line could have, too, is told apart: `train/critic-loss`.
bool ReadSlimeLine(const SlimeLine& line, StepRecord* record,
                   SkipCounts* skipped);

}  // namespace rlrun
