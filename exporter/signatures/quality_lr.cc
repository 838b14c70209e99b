// lr_anomaly. Warning: `actor/lr` is exactly 0 on 5 steps after having been
// positive and before the last planned step; or it is more than 1.5 x the
// previous value, which had decayed (at most 0.99 x the peak) and was lower
// than the one before it: a warm-up from 0 is not a decay. Critical: not finite
// or negative. 1.5 x lets through every schedule that moves smoothly. On a
// console that rounds, 0.000 is not zero and steps of the last digit are no
// jumps: nothing is compared there. A known false positive: a cosine schedule
// with restarts.
#include <array>
#include <cmath>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

bool IsZeroTooEarly(const RuleInput& input, const Series& lr) {
  const std::size_t steps = input.rules.options.quality.lr_anomaly.zero_steps;
  if (lr.values().size() < steps) return false;
  for (const double x : lr.values().last(steps)) {
    if (x != 0) return false;
  }
  return At(lr.carried(Carried::kMax), 0) > 0 &&
         (!input.facts.total_steps ||
          input.step().step < *input.facts.total_steps);
}

RuleResult LrAnomaly(const RuleInput& input) {
  if (!Prints(input, Role::kActorLr)) return RuleResult::NotApplicable();
  const std::optional<double> x = input.step().value(Role::kActorLr);
  if (!x) return RuleResult::NotEvaluated();
  RuleResult result = RuleResult::None();
  if (!std::isfinite(*x) || *x < 0) {
    Raise(Level::kCritical, &result);
    AddEvidence(input.history, Role::kActorLr, 0.0, &result);
    return result;
  }
  if (input.history.quantum() > 0) return result;
  const auto& o = input.rules.options.quality.lr_anomaly;
  const Series& lr = input.history.series(Role::kActorLr);
  const double peak = At(lr.carried(Carried::kMax), 1);
  if (IsZeroTooEarly(input, lr)) {
    Claim(input, Level::kWarning, Role::kActorLr, 0.0, "peak", peak, &result);
    return result;
  }
  if (lr.values().size() < 3) return result;
  const double previous = lr.newest(1);
  if (*x > o.jump_ratio * previous && previous <= o.decayed * peak &&
      previous < lr.newest(2)) {
    Claim(input, Level::kWarning, Role::kActorLr, o.jump_ratio * previous,
          "previous", previous, &result);
  }
  return result;
}

constexpr std::array kLrRoles = {Role::kActorLr};

constexpr std::array kRules = {
    StepRule{"lr_anomaly", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical), kLrRoles,
             &LrAnomaly,
             "The learning rate does what no schedule does: 0 before the end, "
             "a jump up after a decay, or no valid number.",
             "Compare the configured schedule and its total steps with what "
             "is printed; after a resume, check that the scheduler was "
             "restored."},
};

}  // namespace

std::span<const StepRule> LearningRateRules() { return kRules; }

}  // namespace rlrun
