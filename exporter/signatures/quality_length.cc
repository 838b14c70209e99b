// length_collapse, length_explosion: M_5 of `response_length/mean`, from the
// 10th point on.
//
// length_collapse: M_5 < 0.5 x T warns; M_5 < 0.25 x U is critical unless R got
// better meanwhile (M_5(R) > F + 2 x noise): models do learn to be brief, then
// it warns. M_5 < 0.05 x U is critical whatever the reward says: on a public
// run answers fell to one token while the reward rose. A warning turns critical
// while the reward drops. A known false positive: a task mix that turns to
// short answers at once.
//
// length_explosion: M_5 > 2 x T, or half of the answers cut, or a creep that T
// follows: M_5 >= 3 x F with 15 % cut. Critical: nine of ten answers are cut,
// so hardly any answer can be judged. A known false positive: reasoning that
// learns to be long within a window that is too small for it.
#include <algorithm>
#include <array>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

bool IsRewardBetter(const RuleInput& input) {
  const auto& o = input.rules.options.quality.length_collapse;
  const Series& r = input.history.series(Role::kTaskReward);
  const std::optional<double> level = r.M(o.window);
  const std::optional<double> first = r.F();
  if (r.count() < o.points || !level || !first) return false;
  const double noise = r.Noise(input.history.quantum()).value_or(0);
  return *level > *first + o.reward_noises * noise;
}

RuleResult LengthCollapse(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kResponseLength});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.length_collapse;
  const Series& length = input.history.series(Role::kResponseLength);
  const std::optional<double> level = length.M(o.window);
  const std::optional<double> usual = length.U(o.window);
  if (length.count() < o.points || !level || !usual) {
    return RuleResult::NotEvaluated();
  }
  const std::optional<double> trailing = length.T(o.window);
  const double deep = o.critical_ratio * *usual;
  const bool halved = trailing && *level < o.ratio * *trailing;
  RuleResult result = RuleResult::None();
  if (!halved && !(*level < deep)) return result;

  const bool better = IsRewardBetter(input);
  const bool drops = input.levels.published("reward_drop") == Level::kCritical;
  const double floor = o.floor_ratio * *usual;
  const bool critical = drops || *level < floor || (*level < deep && !better);
  const double bound = *level < floor  ? floor
                       : *level < deep ? deep
                                       : o.ratio * *trailing;
  Claim(input, critical ? Level::kCritical : Level::kWarning,
        Role::kResponseLength, bound, "M_5", *level, &result);
  if (drops || *level < deep) {
    AddEvidence(input.history, Role::kTaskReward, std::nullopt, &result);
  }
  return result;
}

RuleResult LengthExplosion(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kResponseLength});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.length_explosion;
  const Series& length = input.history.series(Role::kResponseLength);
  const std::optional<double> level = length.M(o.window);
  const std::optional<double> first = length.F();
  if (length.count() < o.points || !level || !first) {
    return RuleResult::NotEvaluated();
  }
  const std::optional<double> trailing = length.T(o.window);
  const double clipped = input.history.series(Role::kResponseClipRatio)
                             .M(o.clip_window)
                             .value_or(0);
  RuleResult result = RuleResult::None();
  if (trailing && *level > o.ratio * *trailing) {
    Claim(input, Level::kWarning, Role::kResponseLength, o.ratio * *trailing,
          "M_5", *level, &result);
  } else if (*level >= o.creep_ratio * *first && clipped > o.creep_clip) {
    Claim(input, Level::kWarning, Role::kResponseLength, o.creep_ratio * *first,
          "M_5", *level, &result);
    if (!(clipped > o.clip)) {
      Claim(input, Level::kWarning, Role::kResponseClipRatio, o.creep_clip,
            "M_10(clip_ratio)", clipped, &result);
    }
  }
  if (clipped > o.clip_critical) {
    Claim(input, Level::kCritical, Role::kResponseClipRatio, o.clip_critical,
          "M_10(clip_ratio)", clipped, &result);
  } else if (clipped > o.clip) {
    Claim(input, Level::kWarning, Role::kResponseClipRatio, o.clip,
          "M_10(clip_ratio)", clipped, &result);
  }
  return result;
}

constexpr std::array kCollapseRoles = {Role::kResponseLength};
constexpr std::array kExplosionRoles = {Role::kResponseLength,
                                        Role::kResponseClipRatio};

constexpr std::array kRules = {
    StepRule{"length_collapse", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             kCollapseRoles, &LengthCollapse,
             "Answers have become far shorter than they were.",
             "Read samples of the newest rollouts; roll back to before the "
             "fall if they say nothing any more, whatever the reward is."},
    StepRule{"length_explosion", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             kExplosionRoles, &LengthExplosion,
             "Answers grow, or run into the window and are cut.",
             "Read samples for repetition; widen the window or penalise "
             "length if the answers are sound."},
};

}  // namespace

std::span<const StepRule> LengthRules() { return kRules; }

}  // namespace rlrun
