// Lines of rollouts in History: trainers that count them apart from their
// steps.
#include <algorithm>

#include "exporter/signatures/history.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxRollouts = 8;

}  // namespace

// A rollout has a number of its own; the training steps that it is used for
// come behind it, its evaluation and its times behind them.
void History::ApplyRollout(const StepRecord& record, const Draft& line,
                           Change* change) {
  if (record.line_class == LineClass::kVal) {
    change->validation =
        validations_.Apply(record, step_count_ == 0 ? 0 : newest_.step);
  } else if (line.frame.has(Role::kStepSeconds)) {
    if (step_count_ != 0) AddTo(line, change);
  } else {
    const bool trained = record.line_class == LineClass::kRollout;
    trainer_tells_ = trainer_tells_ || trained;
    KeepRollout(record.step, line, trained);
  }
}

void History::KeepRollout(std::int64_t number, const Draft& line,
                          bool trained) {
  for (Rollout& rollout : rollouts_) {
    if (rollout.number != number) continue;
    rollout.trained = rollout.trained || trained;
    return Merge(line, &rollout.draft);
  }
  // The run went back: what ran ahead will be generated again.
  if (trained) {
    std::erase_if(rollouts_, [number](const Rollout& rollout) {
      return rollout.trained && rollout.number > number;
    });
  }
  if (rollouts_.size() == kMaxRollouts) rollouts_.erase(rollouts_.begin());
  rollouts_.push_back({number, line, trained});
}

// What was said of the rollout that a new training step begins to use.
void History::TakeRollout(Draft* into) {
  auto used = rollouts_.end();
  if (trainer_tells_) {
    for (auto it = rollouts_.begin(); it != rollouts_.end(); ++it) {
      if (it->trained) used = it;
    }
  } else if (!rollouts_.empty()) {
    used = rollouts_.begin();
  }
  if (used == rollouts_.end()) return;
  const std::int64_t number = used->number;
  Merge(used->draft, into);
  std::erase_if(rollouts_, [number](const Rollout& rollout) {
    return rollout.number <= number;
  });
}

}  // namespace rlrun
