#include "exporter/signatures/failure_critic.h"

#include <algorithm>
#include <array>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

std::optional<double> MedianAt(const Series& series,
                               std::span<const std::int32_t> steps) {
  std::vector<double> values = PointsAt(series, steps);
  if (values.empty()) return std::nullopt;
  return Median(values);
}

// How much the series gained from the first to the last `edge` of the steps.
std::optional<double> Gain(const Series& series,
                           std::span<const std::int32_t> steps,
                           std::size_t edge) {
  const auto first = MedianAt(series, steps.first(edge));
  const auto last = MedianAt(series, steps.last(edge));
  if (!first || !last) return std::nullopt;
  return *last - *first;
}

RuleResult EvaluateCritic(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kExplainedVariance)) {
    return RuleResult::NotEvaluated();
  }
  const Series& variance = input.history.series(Role::kExplainedVariance);
  const Series& rewards = input.history.series(Role::kTaskReward);
  if (variance.values().size() < o.critic_window) {
    return RuleResult::NotEvaluated();
  }
  const auto steps = variance.steps().last(o.critic_window);
  const auto window = variance.values().last(o.critic_window);
  const auto norm =
      MedianAt(input.history.series(Role::kCriticGradNorm), steps);
  const auto reward_gain = Gain(rewards, steps, o.critic_edge);
  const auto noise = rewards.Noise(input.history.quantum());
  if (!norm || !reward_gain || !noise) return RuleResult::NotEvaluated();

  const double clip =
      input.facts.critic_grad_clip.value_or(o.critic_default_clip);
  const auto variance_gain = Gain(variance, steps, o.critic_edge);
  if (*std::max_element(window.begin(), window.end()) > o.critic_variance ||
      *norm < o.critic_grad * clip || *variance_gain > o.critic_gain ||
      *reward_gain > *noise) {
    return RuleResult::None();
  }
  RuleResult result = Matched(Level::kWarning);
  AddEvidence(input.history, Role::kExplainedVariance, o.critic_variance,
              &result);
  AddEvidence(input.history, Role::kCriticGradNorm, o.critic_grad * clip,
              &result);
  AddEvidence(input.history, Role::kTaskReward, {}, &result);
  return result;
}

constexpr std::array kWatched = {Role::kExplainedVariance,
                                 Role::kCriticGradNorm, Role::kReturnsMax,
                                 Role::kReturnsMin, Role::kTaskReward};

}  // namespace

constinit const StepRule kCriticStarvationRule = {
    "critic_starvation",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning),
    kWatched,
    EvaluateCritic,
    "Every critic update is clipped down, and the critic does not move.",
    "Next run: CRITIC_GRAD_CLIP=10, a warm CRITIC_MODEL_PATH, "
    "CRITIC_WARMUP=20."};

}  // namespace rlrun
