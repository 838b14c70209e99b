#include "exporter/signatures/failure_turns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

// Filter reasons explain short episodes on one of the last three points.
bool ReasonsExplain(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const Series& turns = input.history.series(Role::kTurns);
  const Series& failed = input.history.series(Role::kEnvSetupFailedShare);
  const Series& late = input.history.series(Role::kTimeoutShare);
  for (std::size_t back = 0; back < o.tools_window; ++back) {
    const std::int64_t step = turns.newest_step(back);
    if (PointAt(failed, step).value_or(0) > o.tools_env_share) return true;
    if (PointAt(late, step).value_or(0) > o.tools_timeout_share) return true;
  }
  return false;
}

// R on the newest steps on which turns were above `alive`, the newest last.
std::vector<double> RewardsWhileAlive(const RuleInput& input, double alive) {
  const FailureOptions& o = input.rules.options.failures;
  const Series& turns = input.history.series(Role::kTurns);
  const Series& rewards = input.history.series(Role::kTaskReward);
  std::vector<double> values;
  for (std::size_t i = turns.values().size(); i-- > 0;) {
    if (values.size() == o.tools_alive_window) break;
    if (turns.values()[i] <= alive) continue;
    if (const auto r = PointAt(rewards, turns.steps()[i])) values.push_back(*r);
  }
  std::reverse(values.begin(), values.end());
  return values;
}

// The bound that the reward fell below; absent: it holds, or nobody knows.
std::optional<double> FallenReward(const RuleInput& input, double alive) {
  const FailureOptions& o = input.rules.options.failures;
  const Series& rewards = input.history.series(Role::kTaskReward);
  const auto recent = rewards.M(o.tools_window);
  const double quantum = input.history.quantum();
  std::vector<double> before = RewardsWhileAlive(input, alive);
  if (!recent || before.size() < o.tools_alive_points) return std::nullopt;
  const double spread =
      std::max(Spread(before, quantum), NoiseOf(before, quantum));
  const double bound = Median(before) - o.tools_reward_drop * spread;
  if (*recent >= bound) return std::nullopt;
  return bound;
}

RuleResult EvaluateNoToolCall(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kTurns)) return RuleResult::NotEvaluated();
  const Series& turns = input.history.series(Role::kTurns);
  const auto first = turns.F();
  const auto recent = turns.M(o.tools_window);
  if (!first || !recent || turns.count() < o.tools_points)
    return RuleResult::NotEvaluated();
  if (*first < o.tools_first_turns) return RuleResult::None();
  const double bound =
      std::max(o.tools_turns_share * *first, o.tools_turns_floor);
  if (*recent > bound || ReasonsExplain(input)) return RuleResult::None();

  const auto fallen = FallenReward(input, o.tools_alive_share * *first);
  RuleResult result = Matched(fallen ? Level::kCritical : Level::kWarning);
  AddEvidence(input.history, Role::kTurns, bound, &result, Side::kBelow);
  if (fallen) {
    AddEvidence(input.history, Role::kTaskReward, fallen, &result,
                Side::kBelow);
    result.detail = "the reward fell with it";
  } else {
    result.detail = "tools are given up, the reward holds";
  }
  return result;
}

bool NegativeInARow(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const auto values = input.history.series(Role::kAdvantage).values();
  std::size_t in_a_row = 0;
  for (const double v :
       values.last(std::min(values.size(), o.negative_window))) {
    in_a_row = v < o.negative_advantage ? in_a_row + 1 : 0;
    if (in_a_row == o.negative_run) return true;
  }
  return false;
}

RuleResult EvaluateAllNegative(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.sao()) return RuleResult::NotApplicable();
  if (!input.step().point(Role::kAdvantage)) return RuleResult::NotEvaluated();
  const Series& turns = input.history.series(Role::kTurns);
  const Series& rewards = input.history.series(Role::kTaskReward);
  const auto& steps = input.history.training_steps();
  if (steps.size() < o.negative_back + o.negative_recent) {
    return RuleResult::NotEvaluated();
  }
  const std::int64_t then = steps[o.negative_back];
  const auto turns_now = turns.M(o.negative_recent);
  const auto turns_then = MedianUpTo(turns, then, o.negative_recent);
  const auto reward_now = rewards.M(o.negative_recent);
  const auto reward_then = MedianUpTo(rewards, then, o.negative_recent);
  const auto noise = rewards.Noise(input.history.quantum());
  if (!turns_now || !turns_then || !reward_now || !reward_then || !noise) {
    return RuleResult::NotEvaluated();
  }
  const double turns_bound = o.negative_turns * *turns_then;
  const double loss = std::max(o.negative_reward_share * std::abs(*reward_then),
                               o.negative_reward_noise * *noise);
  if (!NegativeInARow(input) || *turns_now < turns_bound ||
      *reward_then - *reward_now < loss) {
    return RuleResult::None();
  }
  RuleResult result = Matched(Level::kCritical);
  AddEvidence(input.history, Role::kAdvantage, o.negative_advantage, &result,
              Side::kBelow);
  AddEvidence(input.history, Role::kTurns, turns_bound, &result, Side::kAbove);
  AddEvidence(input.history, Role::kTaskReward, *reward_then - loss, &result,
              Side::kBelow);
  return result;
}

constexpr std::array kNoToolCallRoles = {Role::kTurns, Role::kTaskReward,
                                         Role::kEnvSetupFailed, Role::kTimeout,
                                         Role::kFilterReasons};
constexpr std::array kAllNegativeRoles = {Role::kAdvantage, Role::kTurns,
                                          Role::kTaskReward};

}  // namespace

constinit const StepRule kNoToolCallCollapseRule = {
    "no_tool_call_collapse",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
    kNoToolCallRoles,
    EvaluateNoToolCall,
    "The model stops emitting tool calls and ends the episode; filter reasons "
    "are normal, so it is the training.",
    "Roll back to before the fall."};

constinit const StepRule kAllNegativeBatchCollapseRule = {
    "all_negative_batch_collapse",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kCritical),
    kAllNegativeRoles,
    EvaluateAllNegative,
    "All-negative batches, more turns, less reward: a reward-neutral tool "
    "(think) is being reinforced.",
    "GAE_WHITEN_ADVANTAGES=True next run; roll back to before the drift."};

}  // namespace rlrun
