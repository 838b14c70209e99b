#include "exporter/signatures/failure_validation.h"

#include <array>
#include <string>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

// The `back`-th newest validation that printed main scores; null: none.
const History::Validation* Scored(const History& history, std::size_t back) {
  if (!history.has_scores()) return nullptr;
  const auto& all = history.validations();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->frame.scores == 0) continue;
    if (back == 0) return &*it;
    --back;
  }
  return nullptr;
}

RuleResult EvaluateFakeZero(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const auto& all = input.history.validations();
  if (all.empty() || all.back().frame.scores == 0) {
    return RuleResult::NotEvaluated();
  }
  const History::Validation& newest = all.back();
  const std::int64_t step = newest.frame.step;
  const Series& rewards = input.history.series(Role::kTaskReward);
  const auto reward = MedianUpTo(rewards, step, o.fake_zero_points);
  if (!reward) return RuleResult::NotEvaluated();
  if (!newest.frame.all_zero || *reward <= o.fake_zero_reward) {
    return RuleResult::None();
  }
  if (input.history.quantum() > 0) {
    const History::Validation* before = Scored(input.history, 1);
    if (before == nullptr || !before->frame.all_zero) return RuleResult::None();
  }
  RuleResult result = Matched(Level::kWarning);
  if (!newest.scores.empty()) {
    result.evidence.push_back(
        {std::string(newest.scores.front().key), step, 0, {}});
  }
  AddEvidence(input.history, Role::kTaskReward, o.fake_zero_reward, &result,
              Side::kAbove);
  if (newest.frame.turns_max) {
    result.evidence.push_back(
        {"val-aux/num_turns/max", step, *newest.frame.turns_max, {}});
  }
  return result;
}

// None of the newest validations gave a finite score.
bool GaveNoNumber(const RuleInput& input) {
  const std::size_t count = input.rules.options.failures.validation_nonfinite;
  for (std::size_t back = 0; back < count; ++back) {
    const History::Validation* v = Scored(input.history, back);
    if (v == nullptr || v->frame.finite != 0) return false;
  }
  return true;
}

// Training steps since the newest validation, or of the run without one.
std::int64_t StepsWithout(const History& history) {
  const auto& all = history.validations();
  const std::int64_t newest = history.newest().step;
  if (!all.empty()) return newest - all.back().frame.step;
  const auto& steps = history.training_steps();
  return steps.empty() ? 0 : newest - steps.back() + 1;
}

RuleResult EvaluateMissing(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const auto& all = input.history.validations();
  const auto test_freq = input.facts.test_freq;
  const bool is_planned = test_freq && *test_freq > 0;
  if (!is_planned && all.empty()) return RuleResult::NotApplicable();

  const std::int64_t step = input.step().step;
  RuleResult result = Matched(Level::kWarning);
  if (is_planned) {
    const auto without = static_cast<double>(StepsWithout(input.history));
    const double bound = o.validation_overdue * static_cast<double>(*test_freq);
    if (without >= bound) {
      result.evidence.push_back({"steps without val", step, without, bound});
      result.detail = "no validation for too many steps";
      return result;
    }
  }
  if (!GaveNoNumber(input)) return RuleResult::None();
  result.evidence.push_back(
      {"val scores that are finite", all.back().frame.step, 0, {}});
  result.detail = "validations in a row gave no number";
  return result;
}

constexpr std::array kFakeZeroRoles = {Role::kTaskReward, Role::kTurnsMax};
constexpr std::array<Role, 0> kMissingRoles = {};

}  // namespace

RuleResult ValidationOverdue(const ValidationWait& wait,
                             const FailureOptions& options) {
  if (!wait.running || !wait.longest) return RuleResult::NotEvaluated();
  const double bound = options.validation_overdue * *wait.longest;
  if (*wait.running < bound) return RuleResult::None();
  RuleResult result = Matched(Level::kWarning);
  result.evidence.push_back({"validation seconds", 0, *wait.running, bound});
  result.detail = "a validation runs far longer than any before";
  return result;
}

constinit const StepRule kValFakeZeroRule = {
    "val_fake_zero",
    RuleTrigger::kValidation,
    LevelBit(Level::kWarning),
    kFakeZeroRoles,
    EvaluateFakeZero,
    "All validation scores are 0 beside healthy training reward: points at "
    "images of the validation split that cannot be pulled, not at the model.",
    "Pull the validation images by hand before believing a regression."};

constinit const StepRule kValidationMissingRule = {
    "validation_missing",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning),
    kMissingRoles,
    EvaluateMissing,
    "Validations that are planned give no result.",
    "Look where the tail sits."};

}  // namespace rlrun
