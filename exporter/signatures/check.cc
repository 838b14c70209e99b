#include "exporter/signatures/check.h"

#include <algorithm>
#include <cmath>

namespace rlrun {
namespace {

using Kind = CheckOutcome::Kind;
constexpr std::size_t kAfterF = 6;  // F takes five points

CheckOutcome Judged(bool healthy, double value, std::optional<double> min,
                    std::optional<double> max) {
  return {healthy ? Kind::kHealthy : Kind::kFailing, value, min, max};
}
CheckOutcome NotApplicable() { return {Kind::kNotApplicable, 0, {}, {}}; }

template <Role R>
CheckOutcome AtLeast(const RuleInput& input, const CheckBound& b) {
  if (!input.step().point(R)) return {};
  const double x = *input.step().value(R);
  return Judged(x >= b.bound, x, b.bound, {});
}
template <Role R>
CheckOutcome AtMost(const RuleInput& input, const CheckBound& b) {
  if (!input.step().point(R)) return {};
  const double x = *input.step().value(R);
  return Judged(x <= b.bound, x, {}, b.bound);
}
// The same on runs with single rollouts and a critic.
template <Role R>
CheckOutcome SaoAtLeast(const RuleInput& input, const CheckBound& b) {
  return input.sao() ? AtLeast<R>(input, b) : NotApplicable();
}
template <Role R>
CheckOutcome SaoAtMost(const RuleInput& input, const CheckBound& b) {
  return input.sao() ? AtMost<R>(input, b) : NotApplicable();
}

bool HasConstantLr(const RunFacts& facts) {
  return facts.lr_scheduler && facts.lr_scheduler->starts_with("constant");
}

CheckOutcome ActorLr(const RuleInput& input, const CheckBound& b) {
  // 0.000 is not zero.
  if (input.history.quantum() > 0) return NotApplicable();
  if (!input.step().point(Role::kActorLr)) return {};
  const double lr = *input.step().value(Role::kActorLr);
  const bool exempt = LrMayBeZero(input);
  if (exempt && lr >= 0) return Judged(true, lr, b.bound, {});
  const CheckOptions& o = input.rules.options.checks;
  const std::optional<double> stated =
      input.rules.expected_lr ? input.rules.expected_lr : input.facts.lr;
  const bool constant =
      input.rules.expected_lr.has_value() || HasConstantLr(input.facts);
  if (!stated || !(*stated > 0) || !constant) {
    return Judged(lr > b.bound, lr, b.bound, {});
  }
  const double min = *stated * (1 - o.actor_lr_tolerance);
  const double max = *stated * (1 + o.actor_lr_tolerance);
  // A bound that is met exactly must not fail by its own rounding.
  const double slack = 1e-12 * *stated;
  return Judged(lr > b.bound && lr >= min - slack && lr <= max + slack, lr, min,
                max);
}

CheckOutcome ActorGradNorm(const RuleInput& input, const CheckBound& b) {
  if (!input.step().point(Role::kActorGradNorm)) return {};
  const Series& series = input.history.series(Role::kActorGradNorm);
  const std::optional<double> usual = series.U(1);
  if (series.count() < kAfterF || !usual) return {};
  const double x = series.newest();
  return Judged(x >= b.bound * *usual, x, b.bound * *usual, {});
}

CheckOutcome RewardNonzero(const RuleInput& input, const CheckBound&) {
  if (!input.step().point(Role::kTaskReward)) return {};
  const bool flat = input.history.flat_zero_steps() != 0;
  return Judged(!flat, *input.step().value(Role::kTaskReward), {}, {});
}

CheckOutcome NumTurns(const RuleInput& input, const CheckBound& b) {
  if (!input.step().point(Role::kTurns)) return {};
  const Series& series = input.history.series(Role::kTurns);
  const std::optional<double> first = series.F();
  if (series.count() < kAfterF || !first) return {};
  const CheckOptions& o = input.rules.options.checks;
  if (*first < o.num_turns_from) return NotApplicable();
  const double min = std::max(b.bound * *first, o.num_turns_floor);
  return Judged(series.newest() >= min, series.newest(), min, {});
}

CheckOutcome ValNonzero(const RuleInput& input, const CheckBound&) {
  if (input.history.validations().empty()) return {};
  const Validation& newest = input.history.validations().back();
  if (newest.frame.step <= 0 || newest.frame.finite == 0) return {};
  double most = 0;
  for (const MainScore& score : newest.scores) {
    if (score.finite() && std::abs(score.value) > std::abs(most)) {
      most = score.value;
    }
  }
  CheckOutcome outcome = Judged(!newest.frame.all_zero, most, {}, {});
  // 0.000 is no evidence by itself.
  if (input.history.quantum() > 0) outcome.least = 2;
  return outcome;
}

CheckOutcome ExplainedVariance(const RuleInput& input, const CheckBound& b) {
  const CheckOptions& o = input.rules.options.checks;
  CheckOutcome outcome = AtLeast<Role::kExplainedVariance>(input, b);
  const bool early =
      static_cast<double>(input.step().step) <= o.vf_explained_var_from;
  if (early && outcome.kind == Kind::kFailing) outcome.kind = Kind::kHealthy;
  return outcome;
}

CheckOutcome ClipFractionAbsent(const RuleInput& input, const CheckBound&) {
  if (!input.sao()) return NotApplicable();
  const std::optional<double> x = input.step().value(Role::kPolicyClipFraction);
  return Judged(!x, x.value_or(0), {}, {});
}

using enum RuleTrigger;
constexpr Check kChecks[] = {
    {"routing_replay_pearson", kTrainingStep, Role::kPearson,
     &CheckOptions::routing_replay_pearson, AtLeast<Role::kPearson>,
     "Routing replay is misaligned: training on corrupted log-probs. The most "
     "important gate; a run below it is already wasted."},
    {"actor_lr", kTrainingStep, Role::kActorLr, &CheckOptions::actor_lr,
     ActorLr,
     "At 0 the model is frozen. Known cause: fully async, cosine and "
     "total_training_steps=-1; the runner forces a constant rate, so something "
     "overrode it."},
    {"actor_grad_norm", kTrainingStep, Role::kActorGradNorm,
     &CheckOptions::actor_grad_norm, ActorGradNorm,
     "Far below its own earlier steps with very long responses is token "
     "dilution; not a bug to fix mid-run."},
    {"reward_nonzero", kTrainingStep, Role::kTaskReward,
     &CheckOptions::reward_nonzero, RewardNonzero,
     "Infrastructure, not the model: read the filter reasons before touching "
     "hyperparameters."},
    {"num_turns", kTrainingStep, Role::kTurns, &CheckOptions::num_turns,
     NumTurns,
     "The model stops emitting tool calls and ends the episode: a training "
     "pathology when the filter reasons are normal."},
    {"env_setup_failed", kTrainingStep, Role::kEnvSetupFailedShare,
     &CheckOptions::env_setup_failed, AtMost<Role::kEnvSetupFailedShare>,
     "Sandboxes cannot start: points at an image that cannot be pulled, a "
     "registry that is down, or a node without its registry trust; confirm on "
     "the node.",
     "share of env_setup_failed"},
    {"timeout_share", kTrainingStep, Role::kTimeoutShare,
     &CheckOptions::timeout_share, AtMost<Role::kTimeoutShare>,
     "The agent's budget is too tight for these tasks, or execution stalls.",
     "share of timeout"},
    {"invalid_ratio", kTrainingStep, Role::kInvalidRatio,
     &CheckOptions::invalid_ratio, AtMost<Role::kInvalidRatio>,
     "Most of the batch is dropped; the effective batch is far smaller than "
     "configured."},
    {"response_clip_ratio", kTrainingStep, Role::kResponseClipRatio,
     &CheckOptions::response_clip_ratio, AtMost<Role::kResponseClipRatio>,
     "Responses hit the window; the tail is cut."},
    {"aborted_ratio", kTrainingStep, Role::kAbortedRatio,
     &CheckOptions::aborted_ratio, AtMost<Role::kAbortedRatio>,
     "Empty responses: the engine or the proxy aborts."},
    {"val_nonzero", kValidation, Role::kCount, &CheckOptions::val_nonzero,
     ValNonzero,
     "Beside healthy training reward it points at images of the validation "
     "split that cannot be pulled, not at the model."},
    {"rollout_kl", kTrainingStep, Role::kRolloutKl, &CheckOptions::rollout_kl,
     AtMost<Role::kRolloutKl>,
     "Rollout and trainer disagree: backend or scaffold mismatch."},
    {"vf_explained_var", kTrainingStep, Role::kExplainedVariance,
     &CheckOptions::vf_explained_var, ExplainedVariance,
     "The critic has not converged (healthy: above 0 within about 20 steps, "
     "then 0.2 to 0.5)."},
    {"critic_grad_norm", kTrainingStep, Role::kCriticGradNorm,
     &CheckOptions::critic_grad_norm, SaoAtMost<Role::kCriticGradNorm>,
     "Every critic update is clipped down. Next run: CRITIC_GRAD_CLIP=10, a "
     "warm CRITIC_MODEL_PATH, CRITIC_WARMUP=20."},
    {"critic_advantages_mean", kTrainingStep, Role::kAdvantage,
     &CheckOptions::critic_advantages_mean, SaoAtLeast<Role::kAdvantage>,
     "All-negative batches, the precursor of the think-spam collapse. Next "
     "run: GAE_WHITEN_ADVANTAGES=True."},
    {"eff_sample_size", kTrainingStep, Role::kEffectiveSampleSize,
     &CheckOptions::eff_sample_size, SaoAtLeast<Role::kEffectiveSampleSize>,
     "Many tokens are zeroed: staleness or backend mismatch."},
    {"pg_clipfrac_absent", kTrainingStep, Role::kPolicyClipFraction,
     &CheckOptions::pg_clipfrac_absent, ClipFractionAbsent,
     "The actor is not in bypass mode; DIS never reached the loss."},
};

}  // namespace

std::span<const Check> Checks() { return kChecks; }

bool LrMayBeZero(const RuleInput& input) {
  const RunFacts& facts = input.facts;
  const auto step = static_cast<double>(input.step().step);
  const bool planned = facts.total_steps && *facts.total_steps > 0;
  const double total = planned ? static_cast<double>(*facts.total_steps) : 0.0;
  if (facts.lr_warmup_steps) {
    if (step <= static_cast<double>(*facts.lr_warmup_steps)) return true;
  } else if (facts.lr_warmup_ratio && planned) {
    if (step <= *facts.lr_warmup_ratio * total) return true;
  }
  const double last = input.rules.options.checks.actor_lr_last_part;
  return planned && step > (1 - last) * total;
}

}  // namespace rlrun
