#include "exporter/signatures/failure_no_signal.h"

#include <algorithm>
#include <array>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

std::size_t TiedOf(const History& history, std::size_t window) {
  const auto& tied = history.tied();
  const std::size_t size = std::min(window, tied.size());
  return static_cast<std::size_t>(std::count(
      tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(size), true));
}

Level NoSignalLevel(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  const bool was_critical = input.before >= Level::kCritical;
  const bool was_warning = input.before >= Level::kWarning;
  const std::size_t of_long = TiedOf(input.history, o.no_signal_long_window);
  if (of_long >= o.no_signal_long_raise) return Level::kCritical;
  if (was_critical && of_long >= o.no_signal_long_hold) return Level::kCritical;

  const std::size_t of_short = TiedOf(input.history, o.no_signal_window);
  const std::size_t steps = input.history.steps();
  const bool all = steps >= o.no_signal_all && of_short == steps;
  if (of_short >= o.no_signal_raise || all) return Level::kWarning;
  if (was_warning && of_short >= o.no_signal_hold) return Level::kWarning;
  return Level::kNone;
}

// The pair, or the share, that ties the newest step.
void AddTie(const RuleInput& input, RuleResult* result) {
  const StepFrame& step = input.step();
  constexpr std::array pairs = {
      std::array{Role::kScoreMax, Role::kScoreMin},
      std::array{Role::kRewardMax, Role::kRewardMin},
      std::array{Role::kAdvantageMax, Role::kAdvantageMin}};
  for (const auto& [most, least] : pairs) {
    if (!step.point(most) || !step.point(least)) continue;
    AddEvidence(input.history, most, {}, result);
    AddEvidence(input.history, least, {}, result);
    return;
  }
  AddEvidence(input.history, Role::kFracZeroStd, {}, result);
}

// Cut answers and failed environments, where they may explain it.
void AddCauses(const RuleInput& input, RuleResult* result) {
  const FailureOptions& o = input.rules.options.failures;
  const StepFrame& step = input.step();
  const auto exceeds = [&](Role role, double bound) {
    return step.value_or(role, bound) > bound;
  };
  if (exceeds(Role::kResponseClipRatio, o.no_signal_clip_ratio)) {
    AddEvidence(input.history, Role::kResponseClipRatio, o.no_signal_clip_ratio,
                result);
    result->detail = "answers are cut";
  }
  if (exceeds(Role::kEnvSetupFailedShare, o.no_signal_env_share)) {
    AddEnvShare(input, o.no_signal_env_share, result);
    result->detail += result->detail.empty() ? "" : "; ";
    result->detail += "environments fail to start";
  }
}

RuleResult EvaluateNoSignal(const RuleInput& input) {
  if (!input.step().tie_known) return RuleResult::NotEvaluated();
  const Level level = NoSignalLevel(input);
  if (level == Level::kNone) return RuleResult::None();
  RuleResult result = Matched(level);
  AddTie(input, &result);
  AddCauses(input, &result);
  return result;
}

constexpr std::array kWatched = {
    Role::kScoreMax,     Role::kScoreMin,       Role::kRewardMax,
    Role::kRewardMin,    Role::kAdvantageMax,   Role::kAdvantageMin,
    Role::kFracZeroStd,  Role::kEnvSetupFailed, Role::kResponseClipRatio,
    Role::kFilterReasons};

}  // namespace

constinit const StepRule kNoSignalRule = {
    "no_signal",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
    kWatched,
    EvaluateNoSignal,
    "All answers of a step are worth the same: nothing can be learned.",
    "Look at the named cause; else data too hard or too easy, answers cut, "
    "reward broken."};

}  // namespace rlrun
