// nan_inf: values that are no numbers. A gradient norm that is not finite is a
// warning, because trainers skip that update; 3 of its last 10 are critical.
// Critical at once: policy, actor, training, value or KL loss, ppo_kl, entropy,
// reward or score that is not finite; and a training loss of exactly 0 beside a
// gradient norm of NaN, which is how the HF trainer shows a NaN loss that it
// filters. Any other key warns where it has not been finite on 3 lines in a
// row after having been finite: many keys are NaN from the first line on, by
// design. A known false positive: a ratio whose divisor is 0 in a long phase.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

constexpr std::array kValues = {
    Role::kPolicyLoss, Role::kActorLoss, Role::kTrainLoss,
    Role::kValueLoss,  Role::kKlLoss,    Role::kPpoKl,
    Role::kEntropy,    Role::kReward,    Role::kScore};
constexpr std::array kGradientNorms = {
    Role::kActorGradNorm, Role::kCriticGradNorm, Role::kTrainGradNorm};
constexpr std::array kWatched = {
    Role::kPolicyLoss,   Role::kActorLoss,     Role::kTrainLoss,
    Role::kValueLoss,    Role::kKlLoss,        Role::kPpoKl,
    Role::kEntropy,      Role::kEntropyLoss,   Role::kReward,
    Role::kScore,        Role::kActorGradNorm, Role::kCriticGradNorm,
    Role::kTrainGradNorm};
// No list: each line of a step may change it.
constexpr std::array<Role, 0> kEveryKey = {};

bool IsNonfinite(const RuleInput& input, Role role) {
  const std::optional<double> x = input.step().value(role);
  return x && !std::isfinite(*x);
}

void Add(const RuleInput& input, Level level, Role role, RuleResult* result) {
  Raise(level, result);
  AddEvidence(input.history, role, std::nullopt, result);
}

// The newest value that is not finite: behind it may stand finite ones.
void AddNewestBad(const History& history, Role role, RuleResult* result) {
  if (result->evidence.size() >= 4) return;
  const auto& unused = history.unused();
  for (auto it = unused.rbegin(); it != unused.rend(); ++it) {
    if (it->role != role || std::isfinite(it->value)) continue;
    result->evidence.push_back(
        {std::string(history.key(role)), it->step, it->value, std::nullopt});
    return;
  }
}

void JudgeGradientNorm(const RuleInput& input, Role role, RuleResult* result) {
  const auto& o = input.rules.options.quality.nan_inf;
  if (!input.step().has(role)) return;
  const auto flags = input.history.nonfinite().flags(role).values();
  const std::size_t window = std::min(o.grad_norm_window, flags.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < window; ++i) {
    if (flags[flags.size() - 1 - i] != 0) ++count;
  }
  if (count >= o.grad_norm_critical) {
    Raise(Level::kCritical, result);
    AddNewestBad(input.history, role, result);
    if (!result->detail.empty()) result->detail += ", ";
    result->detail += std::to_string(count) + " of the last " +
                      std::to_string(window) + " are not finite";
  } else if (IsNonfinite(input, role)) {
    Add(input, Level::kWarning, role, result);
  }
}

RuleResult NanInf(const RuleInput& input) {
  bool prints = false;
  bool has = false;
  for (const Role role : kWatched) {
    prints = prints || Prints(input, role);
    has = has || input.step().has(role);
  }
  if (!prints) return RuleResult::NotApplicable();
  if (!has) return RuleResult::NotEvaluated();

  RuleResult result = RuleResult::None();
  for (const Role role : kValues) {
    if (IsNonfinite(input, role)) Add(input, Level::kCritical, role, &result);
  }
  // kEntropy stands for the old key where that is the only one.
  if (IsNonfinite(input, Role::kEntropyLoss) &&
      !IsNonfinite(input, Role::kEntropy)) {
    Add(input, Level::kCritical, Role::kEntropyLoss, &result);
  }
  const bool policy = input.history.dialect() == KeyDialect::kTrl;
  const Role filtered = policy ? Role::kActorLoss : Role::kTrainLoss;
  const std::optional<double> loss = input.step().value(filtered);
  const std::optional<double> norm =
      input.step().value(policy ? Role::kActorGradNorm : Role::kTrainGradNorm);
  if (loss && *loss == 0 && norm && std::isnan(*norm)) {
    Add(input, Level::kCritical, filtered, &result);
  }
  for (const Role role : kGradientNorms) {
    JudgeGradientNorm(input, role, &result);
  }
  const auto other = input.history.nonfinite().Longest(
      input.rules.options.quality.nan_inf.other_key_steps);
  if (other) {
    Raise(Level::kWarning, &result);
    if (result.evidence.size() < 4) {
      result.evidence.push_back(
          {std::string(other->key), other->step, other->value, std::nullopt});
    }
  }
  return result;
}

constexpr std::array kRules = {
    StepRule{"nan_inf", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical), kEveryKey,
             &NanInf, "A value that training rests on is not a finite number.",
             "One gradient norm: that update was skipped, watch the next "
             "steps. A loss, entropy or reward: roll back to before the first "
             "one."},
};

}  // namespace

std::span<const StepRule> NonfiniteRules() { return kRules; }

}  // namespace rlrun
