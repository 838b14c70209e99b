// The bounded memory of one run that its rules are computed from: points of the
// watched roles, ties, validations, and the carried scalars that windows cannot
// hold. Built from step records in text order; a smaller training step drops
// what is at or behind it.
// Not thread-safe; belongs to one Judge.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/signatures/quality_nonfinite_keys.h"
#include "exporter/signatures/role.h"
#include "exporter/signatures/series.h"
#include "exporter/signatures/step_frame.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class History {
 public:
  // What a record was, for the rules.
  struct Change {
    bool training = false;    // a training step began or was added to
    bool validation = false;  // a validation began or was added to
    bool again = false;       // it concerns the step that was newest before
    std::optional<std::int64_t> rewound_to;  // points from here on were dropped
    std::bitset<kRoles> roles;               // printed by this record
  };
  // A training line begins a step, adds to the newest one or rewinds; a line
  // without training keys only adds to the newest step or is a validation.
  Change Apply(const StepRecord& record);
  // The text that follows does not continue the old one.
  void StartNewText();

  // The newest training step; `steps()` of them so far.
  const StepFrame& newest() const { return newest_; }
  std::size_t steps() const { return step_count_; }
  // Steps so far on which something could be learned, and flags of the newest
  // up to 64 steps, the newest first: nothing could be learned there.
  const std::deque<bool>& tied() const { return tied_; }

  // Numbers of the newest up to 64 training steps, the newest first.
  const std::deque<std::int64_t>& training_steps() const {
    return training_steps_;
  }
  // The newest point of the role was a hit of `grad_explosion`. The judge says
  // so right after Apply(), before any rule is run, so that T of the later
  // steps leaves it out.
  void MarkSpike(Role role) { series_[RoleIndex(role)].MarkSpike(); }
  // Values that are not finite, by key.
  const NonfiniteKeys& nonfinite() const { return nonfinite_; }

  const Series& series(Role role) const { return series_[RoleIndex(role)]; }
  // The verbatim key under which the run prints the role; empty: never seen.
  std::string_view key(Role role) const { return keys_[RoleIndex(role)]; }

  // Validations, the newest last; at most 64, and the first one of the run. A
  // score's map is by data source.
  struct Validation {
    ValidationFrame frame;
    std::map<std::string, double, std::less<>> scores;     // finite main scores
    std::map<std::string, std::string, std::less<>> keys;  // verbatim
  };
  const std::deque<Validation>& validations() const { return validations_; }
  const std::optional<Validation>& first_validation() const {
    return first_validation_;
  }

  // 0.5 x 10^-d on a console that prints at most d <= 4 decimals; else 0.
  double quantum() const;
  // `critic/vf_explained_var` was printed, a key that literally starts with
  // `actor/rollout_corr/` was printed.
  bool has_critic() const { return has_critic_; }
  bool has_actor_rollout_corr() const { return has_actor_rollout_corr_; }
  std::uint64_t rewinds() const { return rewinds_; }

 private:
  StepFrame newest_;
  std::size_t step_count_ = 0;
  std::deque<bool> tied_;
  std::deque<std::int64_t> training_steps_;
  std::array<Series, kRoles> series_;
  std::array<std::string_view, kRoles> keys_{};
  std::deque<Validation> validations_;
  std::optional<Validation> first_validation_;
  NonfiniteKeys nonfinite_;
  bool has_critic_ = false;
  bool has_actor_rollout_corr_ = false;
  std::uint64_t rewinds_ = 0;
};

}  // namespace rlrun
