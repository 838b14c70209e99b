// reward_drop, reward_stagnation, reward_hacking_suspect.
//
// reward_drop (critical): R lost more than half of everything it had gained, on
// 5 points in a row: best M_10 so far - M_10 > max(0.5 x (best - first M_10),
// 4 x noise). Medians of 10 ride over single bad batches; the share of the gain
// makes the bound the run's own; 4 x noise keeps a run that never gained, or
// whose rewards jump, silent. Judged from the 24th point: two separate M_10 and
// then 5 in a row. A known false positive: a curriculum that turns harder at
// once looks like a collapse.
//
// reward_stagnation (info): M_50 is above the best M_50 older than 100 points
// by less than 2 % of the range that M_50 has had. A finished climb looks the
// same, hence only info; a reward that never moved has no range and is silent
// here (`no_signal` speaks).
//
// reward_hacking_suspect (warning): what is optimised (`critic/rewards/mean`)
// rose over F by half of its range so far, while answers fell under a quarter
// of theirs or the score fell under its F by 3 x noise. Seen on a public run
// whose answers fell to one token while the reward rose. A known false
// positive: a length penalty that trims rambling answers to a quarter as asked.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

RuleResult RewardDrop(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kTaskReward});
  const auto& o = input.rules.options.quality.reward_drop;
  const Series& r = input.history.series(Role::kTaskReward);
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const std::optional<double> first = r.First(10);
  if (r.count() < o.points || !first) return RuleResult::NotEvaluated();

  const double q = input.history.quantum();
  double newest_bound = 0;
  for (std::size_t back = 0; back < o.in_a_row; ++back) {
    const std::optional<double> m10 = r.M(10, back);
    const double best = At(r.carried(Carried::kMaxM10), back);
    const double margin = std::max(o.gain_share * (best - *first),
                                   o.noises * r.Noise(q, back).value_or(0));
    if (!m10 || !(best - *m10 > margin)) return RuleResult::None();
    if (back == 0) newest_bound = best - margin;
  }
  RuleResult result;
  Claim(input, Level::kCritical, Role::kTaskReward, newest_bound, "M_10",
        *r.M(10), &result);
  AddDetail("best M_10", At(r.carried(Carried::kMaxM10), 0), &result);
  return result;
}

RuleResult RewardStagnation(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kTaskReward});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.reward_stagnation;
  const Series& r = input.history.series(Role::kTaskReward);
  const double best = At(r.carried(Carried::kMaxM50), o.points + 1);
  if (std::isnan(best)) return RuleResult::NotEvaluated();

  const double m50 = r.M(50).value_or(std::numeric_limits<double>::quiet_NaN());
  const double range =
      At(r.carried(Carried::kMaxM50), 0) - At(r.carried(Carried::kMinM50), 0);
  if (!(m50 - best < o.range_share * range)) return RuleResult::None();
  RuleResult result;
  Claim(input, Level::kInfo, Role::kTaskReward, best + o.range_share * range,
        "M_50", m50, &result);
  return result;
}

// Adds what was lost while the reward rose; false: nothing was.
bool AddLoss(const RuleInput& input, RuleResult* result) {
  const auto& o = input.rules.options.quality.reward_hacking_suspect;
  const Series& length = input.history.series(Role::kResponseLength);
  const Series& score = input.history.series(Role::kScore);
  bool lost = false;
  if (length.count() >= o.points) {
    const double m = length.M(o.window).value_or(0);
    const double bound = o.length_ratio * length.F().value_or(0);
    if (m < bound) {
      lost = true;
      Claim(input, Level::kWarning, Role::kResponseLength, bound, "M_5(length)",
            m, result);
    }
  }
  if (score.count() >= o.points) {
    const double m = score.M(o.window).value_or(0);
    const double noise = score.Noise(input.history.quantum()).value_or(0);
    const double bound = score.F().value_or(0) - o.score_noises * noise;
    if (m < bound) {
      lost = true;
      Claim(input, Level::kWarning, Role::kScore, bound, "M_5(score)", m,
            result);
    }
  }
  return lost;
}

RuleResult RewardHacking(const RuleInput& input) {
  if (!Prints(input, Role::kResponseLength) && !Prints(input, Role::kScore)) {
    return RuleResult::NotApplicable();
  }
  const auto kind = FirstKey(input, {Role::kReward});
  const auto& o = input.rules.options.quality.reward_hacking_suspect;
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const Series& reward = input.history.series(Role::kReward);
  if (reward.count() < o.points) return RuleResult::NotEvaluated();

  const double f = reward.F().value_or(0);
  const double m5 = reward.M(o.window).value_or(0);
  const double range = At(reward.carried(Carried::kMax), 0) -
                       At(reward.carried(Carried::kMin), 0);
  // Nothing rises where there is no range.
  if (!(m5 > f && m5 - f >= o.range_share * range)) return RuleResult::None();
  RuleResult result;
  Claim(input, Level::kWarning, Role::kReward, f + o.range_share * range,
        "M_5(reward)", m5, &result);
  return AddLoss(input, &result) ? result : RuleResult::None();
}

constexpr std::array kTaskRewardRoles = {Role::kTaskReward, Role::kScore,
                                         Role::kReward};
constexpr std::array kHackingRoles = {Role::kReward, Role::kScore,
                                      Role::kResponseLength};

constexpr std::array kRules = {
    StepRule{"reward_drop", RuleTrigger::kTrainingStep,
             LevelBit(Level::kCritical), kTaskRewardRoles, &RewardDrop,
             "The task reward has lost more than half of what it had gained.",
             "Roll back to a checkpoint from before the fall, and look at what "
             "fell with it: length, entropy, environment."},
    StepRule{"reward_stagnation", RuleTrigger::kTrainingStep,
             LevelBit(Level::kInfo), kTaskRewardRoles, &RewardStagnation,
             "The task reward has not been getting better for 100 points.",
             "Compare with the validations: it may simply have converged."},
    StepRule{"reward_hacking_suspect", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning), kHackingRoles, &RewardHacking,
             "What is optimised rises while answers collapse or the task is "
             "solved less.",
             "Read samples of the newest rollouts before believing the "
             "reward."},
};

}  // namespace

std::span<const StepRule> RewardRules() { return kRules; }

}  // namespace rlrun
