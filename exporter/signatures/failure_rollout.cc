#include "exporter/signatures/failure_rollout.h"

#include <array>
#include <cmath>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

RuleResult EvaluateR3(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kPearson)) return RuleResult::NotEvaluated();
  const Series& pearson = input.history.series(Role::kPearson);
  if (pearson.values().size() < o.r3_points) return RuleResult::NotEvaluated();

  bool low = true;
  bool very_low = true;
  bool apart = true;
  for (std::size_t back = 0; back < o.r3_points; ++back) {
    const double value = pearson.newest(back);
    low = low && value < o.r3_pearson;
    very_low = very_low && value < o.r3_pearson_proof;
    const auto kl = PointAt(input.history.series(Role::kRolloutKl),
                            pearson.newest_step(back));
    apart = apart && kl && std::abs(*kl) > o.r3_kl;
  }
  if (!low || !(very_low || apart)) return RuleResult::None();

  RuleResult result = Matched(Level::kCritical);
  AddEvidence(input.history, Role::kPearson,
              very_low ? o.r3_pearson_proof : o.r3_pearson, &result);
  if (apart) AddEvidence(input.history, Role::kRolloutKl, o.r3_kl, &result);
  result.detail = input.facts.routing_replay == false
                      ? "rollout and trainer disagree"
                      : "routing replay is misaligned";
  return result;
}

// The share counts whole sequences of the batch, on each of the last points.
bool CountsSequences(const RuleInput& input) {
  const FailureOptions& o = input.rules.options.failures;
  if (!input.step().point(Role::kRatioFractionLow)) return false;
  const Series& share = input.history.series(Role::kRatioFractionLow);
  if (share.values().size() < o.dis_points) return false;
  for (std::size_t back = 0; back < o.dis_points; ++back) {
    const auto batch = BatchAt(input, share.newest_step(back));
    if (!batch) return false;
    const double value = share.newest(back);
    const double sequences = std::round(value * *batch);
    if (sequences == 0) return false;
    if (std::abs(value - sequences / *batch) > o.dis_tolerance) return false;
  }
  return true;
}

RuleResult EvaluateDis(const RuleInput& input) {
  if (!input.sao()) return RuleResult::NotApplicable();
  const bool clips = input.step().has(Role::kPolicyClipFraction);
  const bool sequences = CountsSequences(input);
  if (!clips && !sequences) return RuleResult::None();

  const bool critical = sequences || input.facts.bypass_mode == true;
  RuleResult result = Matched(critical ? Level::kCritical : Level::kWarning);
  if (clips) {
    AddEvidence(input.history, Role::kPolicyClipFraction, {}, &result);
  }
  if (sequences) {
    const std::int64_t step = input.step().step;
    AddEvidence(input.history, Role::kRatioFractionLow,
                1 / *BatchAt(input, step), &result);
  }
  return result;
}

constexpr std::array kR3Roles = {Role::kPearson, Role::kRolloutKl};
constexpr std::array kDisRoles = {
    Role::kPolicyClipFraction, Role::kRatioFractionLow, Role::kFilterReasons};

}  // namespace

constinit const StepRule kR3MisalignmentRule = {
    "r3_misalignment",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kCritical),
    kR3Roles,
    EvaluateR3,
    "The log-probs of rollout and trainer do not match: training on corrupted "
    "log-probs.",
    "Stopping is the reader's decision; check the replay setting and the "
    "engine pair before a relaunch."};

constinit const StepRule kDisNotReachingActorRule = {
    "dis_not_reaching_actor",
    RuleTrigger::kTrainingStep,
    LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
    kDisRoles,
    EvaluateDis,
    "DIS never reached the actor's loss: the run is not SAO.",
    "Check the policy-loss mirror in hydra_args.sh; it is missing."};

}  // namespace rlrun
