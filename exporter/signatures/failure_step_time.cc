#include "exporter/signatures/failure_step_time.h"

#include <array>
#include <string>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

RuleResult EvaluateSlowdown(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kStepTime)) return RuleResult::NotEvaluated();
  const Series& times = input.history.series(Role::kStepTime);
  const auto recent = times.M(o.slowdown_window);
  const auto before = MedianBefore(times, o.slowdown_window, o.slowdown_before,
                                   o.slowdown_needed);
  if (!recent || !before) return RuleResult::NotEvaluated();

  std::optional<double> bound;
  if (*recent >= o.slowdown_recent * *before) {
    bound = o.slowdown_recent * *before;
  } else if (times.count() >= o.slowdown_points) {
    const double first = o.slowdown_first * times.F().value_or(0);
    if (times.M(o.slowdown_long_window).value_or(0) >= first) bound = first;
  }
  if (!bound) return RuleResult::None();
  RuleResult result = Matched(Level::kWarning);
  AddEvidence(input.history, Role::kStepTime, bound, &result, Side::kAbove);
  const std::int64_t step = input.step().step;
  const auto add = [&](std::string_view name, RunFacts::Int value) {
    if (!value) return;
    result.evidence.push_back(
        {std::string(name), step, static_cast<double>(*value), {}});
  };
  add("nodes", input.facts.nodes);
  add("engine_replicas", input.facts.engine_replicas);
  return result;
}

constexpr std::array kWatched = {Role::kStepTime};

}  // namespace

constinit const StepRule kStepSlowdownRule = {
    "step_slowdown",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning),
    kWatched,
    EvaluateSlowdown,
    "Steps take much longer than they did.",
    "Compare nodes and replicas of the run's own config before blaming the "
    "tasks."};

}  // namespace rlrun
