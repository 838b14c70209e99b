#include "exporter/signatures/failure_environment.h"

#include <array>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

// Failed set-ups on the `back`-th newest step that printed reasons.
double CountAt(const RuleInput& input, std::size_t back) {
  const Series& shares = input.history.series(Role::kEnvSetupFailedShare);
  return PointAt(input.history.series(Role::kEnvSetupFailed),
                 shares.newest_step(back))
      .value_or(0);
}

bool Rises(const RuleInput& input) {
  const std::size_t rises = input.rules.options.failures.avalanche_rises;
  const Series& shares = input.history.series(Role::kEnvSetupFailedShare);
  if (shares.values().size() <= rises) return false;
  for (std::size_t back = 0; back < rises; ++back) {
    if (CountAt(input, back) <= CountAt(input, back + 1)) return false;
  }
  return true;
}

bool IsHigh(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const Series& shares = input.history.series(Role::kEnvSetupFailedShare);
  if (shares.values().size() < o.avalanche_points) return false;
  for (std::size_t back = 0; back < o.avalanche_points; ++back) {
    if (shares.newest(back) < o.avalanche_share) return false;
  }
  return true;
}

RuleResult EvaluateAvalanche(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kEnvSetupFailedShare)) {
    return RuleResult::NotEvaluated();
  }
  const Series& reward = input.history.series(Role::kTaskReward);
  const auto recent = reward.M(o.avalanche_recent);
  const auto before = reward.M(o.avalanche_before, o.avalanche_recent);
  if (!recent || !before) return RuleResult::NotEvaluated();

  const double share =
      input.history.series(Role::kEnvSetupFailedShare).newest();
  if (CountAt(input, 0) < o.avalanche_count || share <= o.avalanche_min_share) {
    return RuleResult::None();
  }
  const bool high = IsHigh(input);
  if ((!high && !Rises(input)) || *recent >= *before) return RuleResult::None();

  RuleResult result = Matched(Level::kWarning);
  AddEvidence(input.history, Role::kEnvSetupFailed, o.avalanche_count, &result);
  AddEnvShare(input, high ? o.avalanche_share : o.avalanche_min_share, &result);
  AddEvidence(input.history, Role::kTaskReward, before, &result, Side::kBelow);
  return result;
}

constexpr std::array kWatched = {Role::kEnvSetupFailed,
                                 Role::kEnvSetupFailedShare,
                                 Role::kFilterReasons, Role::kTaskReward};

}  // namespace

constinit const StepRule kEnvAvalancheRule = {
    "env_avalanche",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning),
    kWatched,
    EvaluateAvalanche,
    "Sandboxes cannot start and the reward falls: points at an image that "
    "cannot be pulled, a registry that is down, or a node without its registry "
    "trust.",
    "Confirm on the node; hold the launch of further runs."};

}  // namespace rlrun
