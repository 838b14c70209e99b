// Rows that a tracker has kept (W&B, TensorBoard) have no line around them:
// whose words their keys are, and which loop of the trainer they come from, the
// keys alone tell.
//
//   {"rollout/raw_reward": 0.5, "rollout/step": 12}                   slime
//   {"train/loss": 0.1, "train/learning_rate": 1e-6, "train/epoch": 1}  TRL
//
// A trainer of Hugging Face says `loss`, `eval_loss`; the trackers are given
// `train/loss`, `eval/loss`. Its own words are put back, so that a run has the
// same keys whichever of its sources is read.
// Pure, but for RowTeller, which belongs to one reader at a time.
#pragma once

#include <string_view>

#include "parsers/model/log_facts.h"
#include "parsers/model/step_record.h"

namespace rlrun {

// Sets dialect, line_class and by_rollout of a record of slime or miles by its
// keys; false: it is of another trainer, and nothing was changed. slime's
// `train/` rows have a step of their own, all others that of a rollout.
bool ClassifySlimeRow(StepRecord* record);

// In what slime keeps: the step of this key is the number of a rollout.
bool CountsRollouts(std::string_view key);

// Whose rows a source holds, from one to the next: a step may come in pieces
// that alone do not tell.
class RowTeller {
 public:
  // Sets what ClassifySlimeRow does, of every trainer, and the words of the
  // keys. The step and the offsets of the record are set.
  void Classify(StepRecord* record, LogFacts* facts);
  // The same of a row in which all stands together that has one number, though
  // slime has two axes: adds what each of its loops says, to facts->steps.
  void ClassifyParts(StepRecord record, LogFacts* facts);

  // `slime`, `trl`; empty: nothing has told.
  std::string_view framework() const { return framework_; }
  // kUnknown without a framework.
  RunMode mode() const { return mode_; }

 private:
  bool ClassifySlime(StepRecord* record);
  bool ClassifyHuggingFace(StepRecord* record, LogFacts* facts);

  std::string_view framework_;
  RunMode mode_ = RunMode::kUnknown;
  bool policy_ = false;  // a policy is trained: its loss is no measure
};

}  // namespace rlrun
