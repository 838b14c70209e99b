#include "parsers/formats/mode_teller.h"

#include <string_view>

#include "parsers/formats/step_line.h"

namespace rlrun {

void ModeTeller::NoteStep(const StepRecord& record) {
  Note(ModeOfPairs(record));
  if (has_explained_variance_ && corrects_actor_) return;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (key == "critic/vf_explained_var") has_explained_variance_ = true;
    if (key.starts_with("actor/rollout_corr/")) corrects_actor_ = true;
  }
}

void ModeTeller::NoteFacts(const RunFacts& facts) {
  if (facts.mode) Note(*facts.mode);
  if (facts.estimator == "gae" && facts.bypass_mode == true) {
    corrects_actor_ = true;
  }
}

void ModeTeller::Note(RunMode mode) {
  if (mode != RunMode::kUnknown && mode_ != RunMode::kAsync) mode_ = mode;
}

}  // namespace rlrun
