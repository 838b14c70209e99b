// grad_explosion, grad_vanishing. Points of `actor/grad_norm` are never tied
// steps: where nothing can be learned the gradient is no gradient.
//
// grad_explosion: x >= 10 x U, from the 10th point on; healthy runs stayed
// under 4.8 x however spiky. Critical: 3 hits in 20 training steps, or one of
// 100 x U, or a level: M_10 >= 10 x F. Critics spike healthily, so theirs is a
// median against T and never critical. A known false positive: the first real
// batch after many nearly tied ones.
//
// grad_vanishing, from the 20th point on: M_20 < 0.01 x F, or < 1e-8. Critical:
// at least 10 exact zeros among the last 20 points: rewards differ and nothing
// reaches the actor. A console with three decimals rounds to 0, so zeros are no
// evidence there. A known false positive: a run whose first 5 norms were wild.
#include "exporter/signatures/quality_gradient.h"

#include <algorithm>
#include <array>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

void JudgeActor(const RuleInput& input, RuleResult* result) {
  const auto& o = input.rules.options.quality.grad_explosion;
  if (!HasPoints(input, Role::kActorGradNorm, o.points)) return;
  Raise(Level::kNone, result);
  const Series& norm = input.history.series(Role::kActorGradNorm);
  const double usual = norm.U(1).value_or(0);
  const double huge = o.critical_ratio * usual;
  std::size_t hits = 0;
  std::size_t newest_hit = 0;
  for (std::size_t back = 0;
       IsWithinSteps(input.history, norm, back, o.critical_steps); ++back) {
    if (back == 0 ? !IsGradientSpike(norm, o) : !norm.spike(back)) continue;
    if (hits++ == 0) newest_hit = back;
  }
  if (huge > 0 && norm.newest() >= huge) {
    Claim(input, Level::kCritical, Role::kActorGradNorm, huge, "U", usual,
          result);
  } else if (hits >= o.critical_hits) {
    ClaimHits(input, Role::kActorGradNorm, newest_hit, o.ratio * usual, hits,
              result);
  } else if (hits != 0 && newest_hit == 0) {
    Claim(input, Level::kWarning, Role::kActorGradNorm, o.ratio * usual, "U",
          usual, result);
  }
  const double level = norm.M(o.level_window).value_or(0);
  const double bound = o.level_ratio * norm.F().value_or(0);
  if (bound > 0 && level >= bound) {
    Claim(input, Level::kCritical, Role::kActorGradNorm, bound, "M_10", level,
          result);
  }
}

void JudgeCritic(const RuleInput& input, RuleResult* result) {
  const auto& o = input.rules.options.quality.grad_explosion;
  if (!input.step().point(Role::kCriticGradNorm)) return;
  const Series& norm = input.history.series(Role::kCriticGradNorm);
  const std::optional<double> usual = norm.T(o.critic_window);
  const std::optional<double> newest = norm.M(o.critic_window);
  if (!usual || !newest) return;
  Raise(Level::kNone, result);
  const double bound = o.critic_ratio * *usual;
  if (bound > 0 && *newest >= bound) {
    Claim(input, Level::kWarning, Role::kCriticGradNorm, bound, "M_3(critic)",
          *newest, result);
  }
}

RuleResult GradExplosion(const RuleInput& input) {
  RuleResult result;
  result.kind = FirstKey(input, {Role::kActorGradNorm, Role::kCriticGradNorm});
  if (result.kind != RuleResult::Kind::kEvaluated) return result;
  result.kind = RuleResult::Kind::kNotEvaluated;
  JudgeActor(input, &result);
  JudgeCritic(input, &result);
  return result;
}

RuleResult GradVanishing(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kActorGradNorm});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.grad_vanishing;
  const Series& norm = input.history.series(Role::kActorGradNorm);
  if (norm.count() < o.points) return RuleResult::NotEvaluated();
  RuleResult result = RuleResult::None();
  const std::optional<double> level = norm.M(o.window);
  if (!level) return RuleResult::NotEvaluated();
  const double bound = std::max(o.ratio * norm.F().value_or(0), o.floor);
  if (*level < bound) {
    Claim(input, Level::kWarning, Role::kActorGradNorm, bound, "M_20", *level,
          &result);
  }
  if (input.history.quantum() > 0) return result;
  const auto newest = norm.values().last(o.window);
  const auto zeros =
      static_cast<std::size_t>(std::count(newest.begin(), newest.end(), 0.0));
  if (zeros >= o.critical_zeros) {
    Raise(Level::kCritical, &result);
    if (result.evidence.empty()) {
      AddEvidence(input.history, Role::kActorGradNorm, 0.0, &result);
    }
    AddDetail("zeros", static_cast<double>(zeros), &result);
  }
  return result;
}

constexpr std::array kExplosionRoles = {Role::kActorGradNorm,
                                        Role::kCriticGradNorm};
constexpr std::array kVanishingRoles = {Role::kActorGradNorm};

constexpr std::array kRules = {
    StepRule{"grad_explosion", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             kExplosionRoles, &GradExplosion,
             "The gradient norm is ten times what is usual in this run.",
             "A single hit is clipped; if they repeat, roll back to before "
             "the first one and look at its batch."},
    StepRule{"grad_vanishing", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             kVanishingRoles, &GradVanishing,
             "Rewards differ and next to nothing reaches the actor.",
             "Check what masks the loss: advantages, clipping, token masks, "
             "learning rate."},
};

}  // namespace

bool IsGradientSpike(const Series& actor,
                     const QualityOptions::GradExplosion& options) {
  if (actor.count() < options.points || actor.values().empty()) return false;
  const double usual = actor.U(1).value_or(0);
  return usual > 0 && actor.newest() >= options.ratio * usual;
}

std::span<const StepRule> GradientRules() { return kRules; }

}  // namespace rlrun
