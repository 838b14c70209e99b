// loss_spike, loss_divergence, plateau. Nothing here looks at a policy loss or
// a KL loss: near 0 and of any sign is how they are.
//
// loss_spike (`train/loss`, `critic/vf_loss`, from the 30th point): x >= 1.1 x
// the median of the 10 points before and above it by 8 x noise: an outlier
// against the run's own jitter which is also a tenth in size. Critical: 3 such
// hits in 20 training steps, or a hit over 10 x the largest loss seen (the
// first 10 points left out). A spike alone is no reason to stop: large runs
// went over them. A known false positive: a change of data mixture.
//
// loss_divergence (those and `val/loss`, critical): on 10 points in a row M_10
// lies above the best M_10 of the last 200 points by max(0.2 x best, 3 x noise)
// and above the M_10 of 10 points ago. A known false positive: a learning rate
// that warms up again after a restart.
//
// plateau (`train/loss`, info): the best M_50 of the last 100 points is not
// under 0.999 x the best before them. A converged run is one, hence only info.
#include <algorithm>
#include <array>
#include <cmath>

#include "exporter/signatures/quality_family.h"

namespace rlrun {
namespace {

// The bound that the `back`-th newest loss has passed; absent: it is no hit.
std::optional<double> SpikeBound(const RuleInput& input, const Series& loss,
                                 std::size_t back) {
  const auto& o = input.rules.options.quality.loss_spike;
  if (loss.count() < o.points + back) return std::nullopt;
  const double x = loss.newest(back);
  const double median = At(loss.carried(Carried::kM10), back + 1);
  // A constant 0 has neither noise nor spikes.
  if (!(x > median && x >= o.ratio * median)) return std::nullopt;
  const double noise = loss.Noise(input.history.quantum(), back).value_or(0);
  if (!(x - median >= o.noises * noise)) return std::nullopt;
  return std::max(o.ratio * median, median + o.noises * noise);
}

void JudgeSpike(const RuleInput& input, Role role, RuleResult* result) {
  const auto& o = input.rules.options.quality.loss_spike;
  if (!HasPoints(input, role, o.points)) return;
  Raise(Level::kNone, result);
  const Series& loss = input.history.series(role);
  std::size_t hits = 0;
  std::size_t newest_hit = 0;
  double bound = 0;
  for (std::size_t back = 0;
       IsWithinSteps(input.history, loss, back, o.critical_steps); ++back) {
    const std::optional<double> passed = SpikeBound(input, loss, back);
    if (!passed || hits++ != 0) continue;
    newest_hit = back;
    bound = *passed;
  }
  if (hits == 0) return;
  const double largest = At(loss.carried(Carried::kMaxLate), 1);
  if (newest_hit == 0 && loss.newest() > o.critical_ratio * largest) {
    Claim(input, Level::kCritical, role, o.critical_ratio * largest,
          "largest before", largest, result);
  } else if (hits >= o.critical_hits) {
    ClaimHits(input, role, newest_hit, bound, hits, result);
  } else if (newest_hit == 0) {
    Claim(input, Level::kWarning, role, bound, "median before",
          At(loss.carried(Carried::kM10), 1), result);
  }
}

RuleResult LossSpike(const RuleInput& input) {
  RuleResult result;
  result.kind = FirstKey(input, {Role::kTrainLoss, Role::kValueLoss});
  if (result.kind != RuleResult::Kind::kEvaluated) return result;
  result.kind = RuleResult::Kind::kNotEvaluated;
  JudgeSpike(input, Role::kTrainLoss, &result);
  JudgeSpike(input, Role::kValueLoss, &result);
  return result;
}

// How far M_10 of the `back`-th newest point must stay under; absent: it does,
// or falls.
std::optional<double> DivergenceBound(const RuleInput& input,
                                      const Series& loss, std::size_t back) {
  const auto& o = input.rules.options.quality.loss_divergence;
  const std::span<const double> m10 = loss.carried(Carried::kM10);
  const double now = At(m10, back);
  if (!(now > At(m10, back + o.rising_over))) return std::nullopt;
  double best = now;
  for (std::size_t i = 1; i < o.best_of; ++i) {
    best = std::fmin(best, At(m10, back + i));
  }
  const double noise = loss.Noise(input.history.quantum(), back).value_or(0);
  const double bound = best + std::max(o.best_share * best, o.noises * noise);
  if (!(now > bound)) return std::nullopt;
  return bound;
}

void JudgeDivergence(const RuleInput& input, Role role, RuleResult* result) {
  const auto& o = input.rules.options.quality.loss_divergence;
  const std::span<const double> m10 =
      input.history.series(role).carried(Carried::kM10);
  if (!input.step().point(role) ||
      std::isnan(At(m10, o.in_a_row - 1 + o.rising_over))) {
    return;
  }
  Raise(Level::kNone, result);
  std::optional<double> newest_bound;
  for (std::size_t back = 0; back < o.in_a_row; ++back) {
    const auto bound = DivergenceBound(input, input.history.series(role), back);
    if (!bound) return;
    if (back == 0) newest_bound = bound;
  }
  Claim(input, Level::kCritical, role, *newest_bound, "M_10", At(m10, 0),
        result);
}

RuleResult LossDivergence(const RuleInput& input) {
  RuleResult result;
  result.kind =
      FirstKey(input, {Role::kTrainLoss, Role::kValueLoss, Role::kValLoss});
  if (result.kind != RuleResult::Kind::kEvaluated) return result;
  result.kind = RuleResult::Kind::kNotEvaluated;
  JudgeDivergence(input, Role::kTrainLoss, &result);
  JudgeDivergence(input, Role::kValueLoss, &result);
  JudgeDivergence(input, Role::kValLoss, &result);
  return result;
}

RuleResult Plateau(const RuleInput& input) {
  const auto kind = FirstKey(input, {Role::kTrainLoss});
  if (kind != RuleResult::Kind::kEvaluated) return {kind, {}, {}, {}};
  const auto& o = input.rules.options.quality.plateau;
  const Series& loss = input.history.series(Role::kTrainLoss);
  const double before = At(loss.carried(Carried::kMinM50), o.points);
  if (std::isnan(before)) return RuleResult::NotEvaluated();
  double best = At(loss.carried(Carried::kM50), 0);
  for (std::size_t back = 1; back < o.points; ++back) {
    best = std::fmin(best, At(loss.carried(Carried::kM50), back));
  }
  if (!(best > o.ratio * before)) return RuleResult::None();
  RuleResult result;
  Claim(input, Level::kInfo, Role::kTrainLoss, o.ratio * before, "best M_50",
        best, &result);
  return result;
}

constexpr std::array kSpikeRoles = {Role::kTrainLoss, Role::kValueLoss};
constexpr std::array kDivergenceRoles = {Role::kTrainLoss, Role::kValueLoss,
                                         Role::kValLoss};
constexpr std::array kPlateauRoles = {Role::kTrainLoss};

constexpr std::array kRules = {
    StepRule{"loss_spike", RuleTrigger::kTrainingStep,
             LevelBit(Level::kWarning) | LevelBit(Level::kCritical),
             kSpikeRoles, &LossSpike,
             "The loss stands far above the points before it.",
             "A single spike heals by itself; on repeated ones look at the "
             "batches of these steps, and roll back if the loss stays up."},
    StepRule{"loss_divergence", RuleTrigger::kTrainingStep,
             LevelBit(Level::kCritical), kDivergenceRoles, &LossDivergence,
             "The loss has been rising above its best for 10 points in a row.",
             "Roll back to a checkpoint from before the rise and lower the "
             "learning rate."},
    StepRule{"plateau", RuleTrigger::kTrainingStep, LevelBit(Level::kInfo),
             kPlateauRoles, &Plateau,
             "The loss has not improved for 100 points.",
             "Compare with the validation loss: it may simply have "
             "converged."},
};

}  // namespace

std::span<const StepRule> LossRules() { return kRules; }

}  // namespace rlrun
