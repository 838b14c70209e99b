#include "exporter/signatures/failure_actor.h"

#include <array>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

// Steps of the warm-up that is configured; 0: none is.
double WarmupSteps(const RunFacts& facts) {
  if (facts.lr_warmup_steps) {
    return static_cast<double>(*facts.lr_warmup_steps);
  }
  if (!facts.lr_warmup_ratio) return 0;
  const bool own_total = facts.lr_total_steps && *facts.lr_total_steps > 0;
  const auto total = own_total ? facts.lr_total_steps : facts.total_steps;
  return total ? *facts.lr_warmup_ratio * static_cast<double>(*total) : 0;
}

// The schedule may have the rate at 0 on this step.
bool MayBeZero(const RuleInput& input, std::int64_t step) {
  const auto at = static_cast<double>(step);
  if (at <= WarmupSteps(input.facts)) return true;
  if (!input.facts.total_steps) return false;
  const auto total = static_cast<double>(*input.facts.total_steps);
  return at > total - input.rules.options.failures.frozen_tail_share * total;
}

RuleResult EvaluateFrozen(const RuleInput& input) {
  if (input.history.quantum() > 0) return RuleResult::NotApplicable();
  if (!input.step().point(Role::kActorLr)) return RuleResult::NotEvaluated();
  const Series& lr = input.history.series(Role::kActorLr);
  const std::size_t steps = input.rules.options.failures.frozen_steps;
  if (input.history.training_steps().size() < steps) {
    return RuleResult::NotEvaluated();
  }
  for (std::size_t back = 0; back < steps; ++back) {
    // A training step that printed no rate is not one with a rate of 0.
    const std::int64_t step = input.history.training_steps()[back];
    if (lr.values().size() <= back || lr.newest_step(back) != step ||
        lr.newest(back) != 0 || MayBeZero(input, step)) {
      return RuleResult::None();
    }
  }
  RuleResult result = Matched(Level::kCritical);
  AddEvidence(input.history, Role::kActorLr, 0, &result);
  return result;
}

// Tokens that an answer may have; absent: unknown. Only a maximum of a step on
// which answers were cut is a cap.
std::optional<double> ResponseCap(const RuleInput& input) {
  if (input.facts.max_response_tokens) {
    return static_cast<double>(*input.facts.max_response_tokens);
  }
  const auto largest =
      input.history.series(Role::kClippedLength).carried(Carried::kMax);
  if (largest.empty()) return std::nullopt;
  return largest.back();
}

// The least length that is long; answers are `length`. Absent: they are not.
std::optional<double> LongAnswers(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const Series& lengths = input.history.series(Role::kResponseLength);
  if (lengths.count() < o.starvation_points) return std::nullopt;
  const auto recent = lengths.M(o.starvation_window);
  if (!recent) return std::nullopt;
  for (const auto usual : {lengths.T(o.starvation_window), lengths.F()}) {
    if (usual && *recent >= o.starvation_growth * *usual) {
      return o.starvation_growth * *usual;
    }
  }
  const auto cap = ResponseCap(input);
  if (!cap || *recent < o.starvation_cap_share * *cap) return std::nullopt;
  return o.starvation_cap_share * *cap;
}

RuleResult EvaluateStarvation(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kActorGradNorm)) {
    return RuleResult::NotEvaluated();
  }
  const Series& norms = input.history.series(Role::kActorGradNorm);
  const Series& lengths = input.history.series(Role::kResponseLength);
  if (norms.count() < o.starvation_points ||
      lengths.count() < o.starvation_points) {
    return RuleResult::NotEvaluated();
  }
  const auto recent = norms.M(o.starvation_window);
  const auto usual = norms.U(o.starvation_window);
  if (!recent || !usual) return RuleResult::NotEvaluated();
  const double bound = o.starvation_grad * *usual;
  if (*recent <= 0 || *recent > bound) return RuleResult::None();
  const auto long_from = LongAnswers(input);
  if (!long_from) return RuleResult::None();
  RuleResult result = Matched(Level::kWarning);
  AddEvidence(input.history, Role::kActorGradNorm, bound, &result,
              Side::kBelow);
  AddEvidence(input.history, Role::kResponseLength, long_from, &result,
              Side::kAbove);
  return result;
}

constexpr std::array kFrozenRoles = {Role::kActorLr};
constexpr std::array kStarvationRoles = {
    Role::kActorGradNorm, Role::kResponseLength, Role::kResponseLengthMax,
    Role::kResponseClipRatio};

}  // namespace

constinit const StepRule kFrozenModelRule = {
    "frozen_model",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kCritical),
    kFrozenRoles,
    EvaluateFrozen,
    "The learning rate is 0: the model is frozen.",
    "Known cause: fully async, cosine and total_training_steps=-1; the runner "
    "forces constant, so look what overrode it."};

constinit const StepRule kGradStarvationRule = {
    "grad_starvation",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning),
    kStarvationRoles,
    EvaluateStarvation,
    "The gradient is far below its own earlier steps and answers are very "
    "long: token dilution, not a bug to fix mid-run.",
    "Let it run; shorter responses or another aggregation next time."};

}  // namespace rlrun
