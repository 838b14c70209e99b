// kl_blowup, on three keys, each by itself.
// * `actor/kl_loss` (distance from the reference policy, from the 10th point):
//   M_5 > max(0.2, 4 x T, or 4 x F while there is no T); critical > max(1,
//   10 x F). The floors keep the first steps, when F is nearly 0, silent.
// * `actor/ppo_kl` (old against new policy; exactly 0 on-policy): its size is
//   over 0.05 on 3 points; critical: the median of 3 sizes is over 0.5.
// * `rollout_corr/k3_kl` (rollout against trainer): over 0.01 on 5 points;
//   critical: over 0.1 on 3. It precedes collapses.
// A known false positive: a run that moves far from its reference on purpose
// passes the first one slowly; T follows it, F does not.
#include <algorithm>
#include <array>
#include <cmath>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

void JudgeKlLoss(const RuleInput& input, RuleResult* result) {
  const auto& o = input.rules.options.quality.kl_blowup;
  if (!HasPoints(input, Role::kKlLoss, o.points)) return;
  const Series& kl = input.history.series(Role::kKlLoss);
  const std::optional<double> level = kl.M(o.window);
  const std::optional<double> first = kl.F();
  if (!level || !first) return;
  Raise(Level::kNone, result);
  const double bound =
      std::max(o.floor, o.ratio * kl.T(o.window).value_or(*first));
  const double critical = std::max(o.critical_floor, o.critical_ratio * *first);
  if (*level > critical) {
    Claim(input, Level::kCritical, Role::kKlLoss, critical, "M_5(kl_loss)",
          *level, result);
  } else if (*level > bound) {
    Claim(input, Level::kWarning, Role::kKlLoss, bound, "M_5(kl_loss)", *level,
          result);
  }
}

void JudgePpoKl(const RuleInput& input, RuleResult* result) {
  const auto& o = input.rules.options.quality.kl_blowup;
  if (!HasPoints(input, Role::kPpoKl, o.ppo_kl_points)) return;
  Raise(Level::kNone, result);
  const auto newest =
      input.history.series(Role::kPpoKl).values().last(o.ppo_kl_points);
  std::vector<double> sizes(newest.begin(), newest.end());
  for (double& x : sizes) x = std::abs(x);
  const double smallest = *std::min_element(sizes.begin(), sizes.end());
  const double median = Median(sizes);
  if (median > o.ppo_kl_critical) {
    Claim(input, Level::kCritical, Role::kPpoKl, o.ppo_kl_critical,
          "median |ppo_kl|", median, result);
  } else if (smallest > o.ppo_kl) {
    Claim(input, Level::kWarning, Role::kPpoKl, o.ppo_kl, "least |ppo_kl|",
          smallest, result);
  }
}

// The least of the newest `points`; absent with fewer.
std::optional<double> Least(const Series& series, std::size_t points) {
  if (points == 0 || series.values().size() < points) return std::nullopt;
  const auto newest = series.values().last(points);
  return *std::min_element(newest.begin(), newest.end());
}

void JudgeK3Kl(const RuleInput& input, RuleResult* result) {
  const auto& o = input.rules.options.quality.kl_blowup;
  if (!HasPoints(input, Role::kRolloutK3Kl, o.k3_kl_critical_points)) return;
  Raise(Level::kNone, result);
  const Series& kl = input.history.series(Role::kRolloutK3Kl);
  const auto critical = Least(kl, o.k3_kl_critical_points);
  const auto warning = Least(kl, o.k3_kl_points);
  if (critical && *critical > o.k3_kl_critical) {
    Claim(input, Level::kCritical, Role::kRolloutK3Kl, o.k3_kl_critical,
          "least k3_kl", *critical, result);
  } else if (warning && *warning > o.k3_kl) {
    Claim(input, Level::kWarning, Role::kRolloutK3Kl, o.k3_kl, "least k3_kl",
          *warning, result);
  }
}

RuleResult KlBlowup(const RuleInput& input) {
  RuleResult result;
  result.kind =
      FirstKey(input, {Role::kKlLoss, Role::kPpoKl, Role::kRolloutK3Kl});
  if (result.kind != RuleResult::Kind::kEvaluated) return result;
  result.kind = RuleResult::Kind::kNotEvaluated;
  JudgeKlLoss(input, &result);
  JudgePpoKl(input, &result);
  JudgeK3Kl(input, &result);
  return result;
}

constexpr std::array kKlRoles = {Role::kKlLoss, Role::kPpoKl,
                                 Role::kRolloutK3Kl};

constexpr std::array kRules = {
    StepRule{"kl_blowup", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical), kKlRoles,
             &KlBlowup,
             "A KL divergence has left its range: from the reference, from "
             "the policy of the step before, or between rollout and trainer.",
             "Look at which key it is: a KL loss asks for a smaller learning "
             "rate or a larger coefficient, k3_kl for the engine pair."},
};

}  // namespace

std::span<const StepRule> KlRules() { return kRules; }

}  // namespace rlrun
