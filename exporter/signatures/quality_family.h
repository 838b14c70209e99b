// What the files of the training-quality signals share: the table of each
// family and the few words that all of them need. signatures.md, section
// "Training-quality signals". A signal that lists several keys is judged on
// each of them by itself, and evaluated on a step whose first key among those
// that the run prints is a point there.
// Pure; safe from any thread.
#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "exporter/signatures/rule.h"

namespace rlrun {

std::span<const StepRule> RewardRules();        // quality_reward.cc
std::span<const StepRule> NonfiniteRules();     // quality_nonfinite.cc
std::span<const StepRule> LossRules();          // quality_loss.cc
std::span<const StepRule> EvalRules();          // quality_eval.cc
std::span<const StepRule> GradientRules();      // quality_gradient.cc
std::span<const StepRule> LearningRateRules();  // quality_lr.cc
std::span<const StepRule> EntropyRules();       // quality_entropy.cc
std::span<const StepRule> KlRules();            // quality_kl.cc
std::span<const StepRule> LengthRules();        // quality_length.cc

// The run has printed the role at least once.
inline bool Prints(const RuleInput& input, Role role) {
  return !input.history.key(role).empty();
}

// What the first of `roles` that the run prints makes of the rule on this step:
// not applicable (none is printed), not evaluated (no point), or evaluated.
RuleResult::Kind FirstKey(const RuleInput& input,
                          std::initializer_list<Role> roles);

// The role is a point on this step, at least its `points`-th of the run.
bool HasPoints(const RuleInput& input, Role role, std::size_t points);

// The `back`-th newest number of a column; NaN where it does not reach.
inline double At(std::span<const double> column, std::size_t back) {
  return back < column.size() ? column[column.size() - 1 - back]
                              : std::numeric_limits<double>::quiet_NaN();
}

// The `back`-th newest point lies within the newest `steps` training steps.
bool IsWithinSteps(const History& history, const Series& series,
                   std::size_t back, std::size_t steps);

// Makes *result an evaluated one of at least `level`.
void Raise(Level level, RuleResult* result);
// Adds "name=number" to the detail.
void AddDetail(std::string_view name, double number, RuleResult* result);
// Raise, the newest value of the role as evidence, and what was computed of it.
void Claim(const RuleInput& input, Level level, Role role, double bound,
           std::string_view computed, double number, RuleResult* result);
// Critical because of `hits` of them: the newest, the `back`-th newest point,
// is the evidence.
void ClaimHits(const RuleInput& input, Role role, std::size_t back,
               double bound, std::size_t hits, RuleResult* result);

}  // namespace rlrun
