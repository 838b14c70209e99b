// How a run trains, from what its lines show one after the other. What one line
// shows alone is step_line.h's ModeOfPairs.
//
// Once a source is asynchronous it stays so: its training lines look like those
// of a synchronous run. It is `sao` once `critic/vf_explained_var` was printed
// and either a key that begins with `actor/rollout_corr/` or a config with
// estimator `gae` and bypass mode; plain `rollout_corr/` is printed by others
// too. Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include "parsers/model/run_facts.h"
#include "parsers/model/run_mode.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class ModeTeller {
 public:
  void NoteStep(const StepRecord& record);
  void NoteFacts(const RunFacts& facts);
  void Note(RunMode mode);
  // Synchronous, asynchronous or SFT.
  RunMode base() const { return mode_; }
  RunMode mode() const {
    return has_explained_variance_ && corrects_actor_ ? RunMode::kSao : mode_;
  }

 private:
  RunMode mode_ = RunMode::kUnknown;  // never kSao
  bool has_explained_variance_ = false;
  bool corrects_actor_ = false;
};

}  // namespace rlrun
