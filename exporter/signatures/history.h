// The bounded memory of one run that its rules are computed from: points of the
// watched roles, ties, validations, and the carried scalars that windows cannot
// hold. Built from step records in text order; a smaller training step drops
// what is at or behind it.
// What a trainer says of a rollout (StepRecord::by_rollout) belongs to the
// first training step behind it. Not thread-safe; belongs to one Judge.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "exporter/signatures/key_layouts.h"
#include "exporter/signatures/quality_nonfinite_keys.h"
#include "exporter/signatures/role.h"
#include "exporter/signatures/series.h"
#include "exporter/signatures/step_frame.h"
#include "exporter/signatures/validations.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class History {
 public:
  History();

  // Asks for the memory that the next step will touch; first the heads, a
  // while later what they point to.
  void PrefetchHeads() const {
    PrefetchTail(series_, series_.size());
    nonfinite_.PrefetchHeads();
  }
  void PrefetchPoints() const {
    for (const Series& s : series_) s.Prefetch();
    validations_.Prefetch();
    nonfinite_.PrefetchPoints();
  }

  // What a record was, for the rules.
  struct Change {
    bool training = false;    // a training step began or was added to
    bool validation = false;  // a validation began or was added to
    bool again = false;       // it concerns the step that was newest before
    bool has_training_keys = false;
    std::optional<std::int64_t> rewound_to;  // points from here on were dropped
    std::bitset<kRoles> roles;  // printed by this record, or changed by it
  };
  // A training line begins a step, adds to the newest one or rewinds; a line
  // without training keys only adds to the newest step or is a validation.
  Change Apply(const StepRecord& record);
  // The text that follows does not continue the old one: all is forgotten but
  // the count of rewinds.
  void StartNewText();
  // Trajectories per training step, where known.
  void SetBatch(std::optional<double> batch) { batch_ = batch; }
  // Prompts per rollout, where known.
  void SetPrompts(std::optional<double> prompts) { prompts_ = prompts; }
  // The steps from `step` on never were; not counted as a rewind.
  void DropFrom(std::int64_t step);

  // Plays the newest up to 12 training steps again, oldest first, and calls
  // `judged` after each. Validations and values that are not finite stay as
  // they are now.
  void Replay(const std::function<void()>& judged);

  // The newest training step; `steps()` of them so far.
  const StepFrame& newest() const { return newest_; }
  std::size_t steps() const { return step_count_; }
  // The newest up to 512 training steps, the newest first: whether nothing
  // could be learned there, and their numbers.
  const std::deque<bool>& tied() const { return tied_; }
  const std::deque<std::int32_t>& training_steps() const {
    return training_steps_;
  }
  // Training steps so far on which the task reward's mean, maximum and minimum
  // were 0, without one on which they were not; else 0.
  std::size_t flat_zero_steps() const;

  // Values that roles printed and that are no points of theirs: not finite, or
  // of a step that tells nothing of them. The oldest first, at most 64.
  struct Unused {
    std::int32_t step = 0;
    Role role = Role::kCount;
    double value = 0;
  };
  const std::vector<Unused>& unused() const { return unused_; }

  const Series& series(Role role) const { return series_[RoleIndex(role)]; }
  // The verbatim key under which the run prints the role; empty: never seen.
  std::string_view key(Role role) const;
  // The newest point of the role was a hit of `grad_explosion`. The judge says
  // so right after Apply(), before any rule is run, so that T of the later
  // steps leaves it out.
  void MarkSpike(Role role) { series_[RoleIndex(role)].MarkSpike(); }
  // Values that are not finite, by key.
  const NonfiniteKeys& nonfinite() const { return nonfinite_; }

  using Validation = rlrun::Validation;
  // The newest last; at most 64, and the first one of the run.
  const std::deque<Validation>& validations() const {
    return validations_.list();
  }
  // Some validation had main scores.
  bool has_scores() const { return validations_.scored(); }
  const std::optional<Validation>& first_validation() const {
    return validations_.first();
  }

  // 0.5 x 10^-d on a console that prints at most d <= 4 decimals; else 0.
  double quantum() const;
  // `critic/vf_explained_var` was printed, a key that literally starts with
  // `actor/rollout_corr/` was printed.
  bool has_critic() const { return has_critic_; }
  bool has_actor_rollout_corr() const { return has_actor_rollout_corr_; }
  std::uint64_t rewinds() const { return rewinds_; }
  // Of the newest training line.
  KeyDialect dialect() const { return dialect_; }

 private:
  // A step as its lines have it so far.
  struct Draft {
    StepFrame frame;
    FilterReasons reasons;
    bool training = false;
  };
  // A step before the newest one, as Replay() needs it.
  struct Past {
    StepFrame frame;
    ReasonSums reasons;
  };
  // A rollout that no training step stands behind yet.
  struct Rollout {
    std::int64_t number = 0;
    Draft draft;
    bool trained = false;  // the trainer has spoken of it
  };
  Draft Read(const StepRecord& record, const KeyLayout& layout);
  void ApplyRollout(const StepRecord& record, const Draft& line,
                    Change* change);
  void KeepRollout(std::int64_t number, const Draft& line, bool trained);
  void TakeRollout(Draft* into);
  static void Merge(const Draft& line, Draft* into);
  void Begin(Draft draft, Change* change);
  void BeginNewest(const ReasonSums& reasons);
  void DropSteps(std::int64_t step);
  void AddTo(const Draft& line, Change* change);
  void Keep(const Draft& line);
  void AddPoints(const std::bitset<kRoles>& roles);
  void NoteStep();
  void NoteUnused();
  void DropUnused(std::int64_t step);
  void Derive(const ReasonSums& reasons);
  void CopyReward();

  StepFrame newest_;
  FilterReasons newest_reasons_;
  std::size_t step_count_ = 0;
  std::deque<bool> tied_;
  std::deque<std::int32_t> training_steps_;
  // The newest up to 11 steps before the newest one, the newest last.
  std::deque<Past> recent_;
  // Lines of steps whose training line has not come yet; at most 8.
  std::vector<Draft> drafts_;
  std::vector<Rollout> rollouts_;  // at most 8, the newest last
  bool trainer_tells_ = false;     // of the rollouts that it trains on
  KeyDialect dialect_ = KeyDialect::kVerl;
  std::optional<std::int64_t> nonzero_since_;  // first step with a reward
  std::vector<Series> series_;                 // by role
  std::vector<Unused> unused_;
  std::optional<double> batch_;
  std::optional<double> prompts_;
  std::optional<std::int64_t> score_since_;   // first step with a score
  std::bitset<kRoles> seen_;                  // some step had it
  std::array<std::uint8_t, kRoles> ranks_{};  // of the newest key of a role
  bool old_reason_keys_ = false;
  KeyLayouts layouts_;
  Validations validations_;
  NonfiniteKeys nonfinite_;
  std::uint8_t decimals_ = 0;
  bool has_critic_ = false;
  bool has_actor_rollout_corr_ = false;
  std::uint64_t rewinds_ = 0;
};

}  // namespace rlrun
