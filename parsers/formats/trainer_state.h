// `trainer_state.json` of a Hugging Face trainer: the history of a run so far,
// written anew with each checkpoint. When to read it is left to the caller.
//
//   {"global_step": 20, "max_steps": 500, "log_history": [{"loss": 1.2,
//   "epoch": 0.1, "step": 10}, {"eval_loss": 0.9, "step": 10}]}
//
// Accepts: members in any order and NaN; each entry of the history with a step
//   is a record: of class val where it has `eval_` keys and no `loss`.
// Ignores (counted): values of an entry that are no numbers.
// Rejects: text that is no JSON object with a history: perhaps half written.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parsers/formats/step_line.h"
#include "parsers/model/step_record.h"

namespace rlrun {

struct TrainerState {
  std::vector<StepRecord> records;
  std::optional<std::int64_t> max_steps;  // planned
  bool supervised = true;                 // no entry has a reward
  bool ended = false;  // an entry sums the run up (`train_runtime`)
};

// Nothing: rejected.
std::optional<TrainerState> ParseTrainerState(std::string_view text,
                                              SkipCounts* skipped);

// `.../trainer_state.json`.
bool IsTrainerStatePath(std::string_view path);

}  // namespace rlrun
