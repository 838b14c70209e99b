// entropy_collapse, entropy_explosion: M_10 of `actor/entropy` (older verl:
// `actor/entropy_loss`) against F, from the 15th point on.
//
// entropy_collapse: M_10 < max(0.05 x F, 0.01). Healthy runs spend most of
// their entropy within the first 200 steps and still improve at a tenth of F,
// so the bound is a twentieth. Critical while the reward drops with it. A known
// false positive: a model that was fine-tuned to near certainty before.
//
// entropy_explosion: M_10 > max(1, 3 x F), a warning. Under 1 nat it was seen
// to be harmless. A known false positive: a raised sampling temperature.
#include <algorithm>
#include <array>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

RuleResult EntropyCollapse(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kEntropy});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.entropy_collapse;
  const Series& entropy = input.history.series(Role::kEntropy);
  const std::optional<double> level = entropy.M(o.window);
  if (entropy.count() < o.points || !level) return RuleResult::NotEvaluated();
  const double bound = std::max(o.ratio * entropy.F().value_or(0), o.floor);
  RuleResult result = RuleResult::None();
  if (!(*level < bound)) return result;
  const bool falls_too =
      input.levels.published("reward_drop") == Level::kCritical;
  Claim(input, falls_too ? Level::kCritical : Level::kWarning, Role::kEntropy,
        bound, "M_10", *level, &result);
  if (falls_too) {
    AddEvidence(input.history, Role::kTaskReward, std::nullopt, &result);
  }
  return result;
}

RuleResult EntropyExplosion(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kEntropy});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.entropy_explosion;
  const Series& entropy = input.history.series(Role::kEntropy);
  const std::optional<double> level = entropy.M(o.window);
  if (entropy.count() < o.points || !level) return RuleResult::NotEvaluated();
  const double bound = std::max(o.ratio * entropy.F().value_or(0), o.floor);
  RuleResult result = RuleResult::None();
  if (*level > bound) {
    Claim(input, Level::kWarning, Role::kEntropy, bound, "M_10", *level,
          &result);
  }
  return result;
}

constexpr std::array kEntropyRoles = {Role::kEntropy};

constexpr std::array kRules = {
    StepRule{"entropy_collapse", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             kEntropyRoles, &EntropyCollapse,
             "The policy has become nearly deterministic: it explores no "
             "more.",
             "Roll back to a checkpoint with entropy left; next run: clip "
             "higher, an entropy bonus or more temperature."},
    StepRule{"entropy_explosion", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning), kEntropyRoles, &EntropyExplosion,
             "The policy is turning random: entropy is three times that of "
             "the first steps.",
             "Roll back to before the rise; look at rollout against trainer "
             "KL and at an entropy bonus."},
};

}  // namespace

std::span<const StepRule> EntropyRules() { return kRules; }

}  // namespace rlrun
