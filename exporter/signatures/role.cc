#include "exporter/signatures/role.h"

#include <unordered_map>

#include "exporter/signatures/series.h"

namespace rlrun {
namespace {

constexpr std::uint16_t kNone = 0;      // the newest value is enough
constexpr std::uint16_t kShort = 80;    // windows of rules, and rewinds
constexpr std::uint16_t kMiddle = 224;  // rules that look far back, charts
constexpr std::uint16_t kLong = 400;    // charts
constexpr std::uint16_t kChart = 40;    // charts of what no rule looks back at

template <class... C>
constexpr std::uint16_t Bits(C... columns) {
  return static_cast<std::uint16_t>((0u | ... | CarriedBit(columns)));
}
constexpr std::uint16_t kReward =
    Bits(Carried::kMaxM10, Carried::kMinM50, Carried::kMaxM50);
constexpr std::uint16_t kLoss =
    Bits(Carried::kM10, Carried::kMaxLate, Carried::kNoise);

// Keys as trainers print them: verl, slime and miles, TRL. slime's entropy
// "loss" is the entropy itself.
constexpr RoleRow kRows[] = {
    {Role::kTaskReward, {}, kLong, kReward},
    {Role::kScore, {"critic/score/mean"}, kMiddle},
    {Role::kScoreMax, {"critic/score/max"}, kNone},
    {Role::kScoreMin, {"critic/score/min"}, kNone},
    {Role::kReward,
     {"critic/rewards/mean"},
     kMiddle,
     Bits(Carried::kMin, Carried::kMax),
     {"rollout/raw_reward"},
     {"reward"}},
    {Role::kRewardMax, {"critic/rewards/max"}, kNone},
    {Role::kRewardMin, {"critic/rewards/min"}, kNone},
    {Role::kAdvantage, {"critic/advantages/mean"}, kShort},
    {Role::kAdvantageMax, {"critic/advantages/max"}, kNone},
    {Role::kAdvantageMin, {"critic/advantages/min"}, kNone},
    {Role::kReturnsMax, {"critic/returns/max"}, kNone},
    {Role::kReturnsMin, {"critic/returns/min"}, kNone},
    {Role::kFracZeroStd,
     {"frac_reward_zero_std"},
     kChart,
     0,
     {},
     {"frac_reward_zero_std"}},
    {Role::kPolicyLoss,
     {"actor/pg_loss"},
     kChart,
     0,
     {"train/pg_loss"},
     {"policy_loss"}},
    {Role::kActorLoss, {"actor/loss"}, kChart, 0, {"train/loss"}, {"loss"}},
    {Role::kKlLoss, {"actor/kl_loss"}, kMiddle, 0, {"train/kl_loss"}, {"kl"}},
    {Role::kPpoKl, {"actor/ppo_kl"}, kShort, 0, {"train/ppo_kl"}, {}},
    {Role::kEntropy,
     {"actor/entropy"},
     kLong,
     0,
     {"train/entropy_loss"},
     {"entropy"}},
    {Role::kEntropyLoss, {"actor/entropy_loss"}, kNone},
    {Role::kPolicyClipFraction,
     {"actor/pg_clipfrac"},
     kChart,
     0,
     {"train/pg_clipfrac"},
     {"clip_ratio/region_mean", "clip_ratio"}},
    {Role::kActorGradNorm,
     {"actor/grad_norm"},
     kLong,
     0,
     {"train/grad_norm"},
     {"grad_norm"}},
    {Role::kActorLr,
     {"actor/lr"},
     kShort,
     Bits(Carried::kMax),
     {"train/lr-pg_0"},
     {"learning_rate"}},
    {Role::kTrainLoss,
     {"train/loss"},
     kMiddle,
     kLoss | Bits(Carried::kM50, Carried::kMinM50),
     {"train/loss"},
     {"loss"}},
    {Role::kTrainGradNorm,
     {"train/grad_norm"},
     kMiddle,
     0,
     {"train/grad_norm"},
     {"grad_norm"}},
    {Role::kValLoss,
     {"val/loss"},
     kMiddle,
     Bits(Carried::kM10),
     {},
     {"eval_loss"}},
    {Role::kValueLoss,
     {"critic/vf_loss"},
     kMiddle,
     kLoss,
     {"train/critic-value_loss"},
     {}},
    {Role::kExplainedVariance, {"critic/vf_explained_var"}, kMiddle},
    {Role::kCriticGradNorm,
     {"critic/grad_norm"},
     kMiddle,
     0,
     {"train/critic-grad_norm"},
     {}},
    {Role::kPearson, {"training/rollout_actor_probs_pearson_corr"}, kMiddle},
    {Role::kRolloutKl,
     {"rollout_corr/kl"},
     kShort,
     0,
     {"train/train_rollout_kl"},
     {}},
    {Role::kRolloutK3Kl, {"rollout_corr/k3_kl"}, kShort},
    {Role::kEffectiveSampleSize,
     {"actor/rollout_corr/rollout_is_eff_sample_size",
      "rollout_corr/rollout_is_eff_sample_size"},
     kMiddle},
    {Role::kRatioFractionLow,
     {"actor/rollout_corr/rollout_is_ratio_fraction_low",
      "rollout_corr/rollout_is_ratio_fraction_low"},
     kShort},
    {Role::kResponseLength,
     {"response_length/mean"},
     kLong,
     0,
     {"rollout/response_len/mean", "rollout/response_lengths"},
     {"completions/mean_length", "completion_length"}},
    {Role::kResponseLengthMax,
     {"response_length/max"},
     kNone,
     0,
     {"rollout/response_len/max"},
     {"completions/max_length"}},
    {Role::kClippedLength, {}, kShort, Bits(Carried::kMax)},
    {Role::kResponseClipRatio,
     {"response_length/clip_ratio"},
     kShort,
     0,
     {"rollout/truncated_ratio", "rollout/truncated"},
     {"completions/clipped_ratio"}},
    {Role::kAbortedRatio, {"response/aborted_ratio"}, kChart},
    {Role::kTurns,
     {"num_turns/mean", "training/num_turns/mean"},
     kLong,
     0,
     {"multi_turn/multi_turn_metric/round_number_mean", "rollout/round_number"},
     {}},
    {Role::kTurnsMax,
     {"num_turns/max", "training/num_turns/max"},
     kNone,
     0,
     {"multi_turn/multi_turn_metric/round_number_max"},
     {}},
    {Role::kInvalidRatio, {"trajectory_filter/invalid_ratio"}, kChart},
    {Role::kEnvSetupFailed, {}, kShort},
    {Role::kTimeout, {}, kNone},
    {Role::kFilterReasons, {}, kShort},
    {Role::kEnvSetupFailedShare, {}, kShort},
    {Role::kTimeoutShare, {}, kShort},
    {Role::kStepSeconds,
     {"timing_s/step"},
     kNone,
     0,
     {"perf/step_time", "perf/total_train_time"},
     {"step_time"}},
    {Role::kTestingSeconds, {"timing_s/testing"}, kNone},
    {Role::kSavingSeconds, {"timing_s/save_checkpoint"}, kNone},
    {Role::kStepTime, {}, kMiddle},
};

constexpr bool InOrder() {
  std::size_t i = 0;
  for (const RoleRow& row : kRows) {
    if (RoleIndex(row.role) != i++) return false;
  }
  return i == kRoles;
}
static_assert(InOrder());

using Index = std::unordered_map<std::string_view, RoleOfKey>;
constexpr std::size_t kDialects = 5;

bool IsSupervised(KeyDialect dialect) {
  return dialect == KeyDialect::kSlimeSft || dialect == KeyDialect::kTrlSft;
}

// One key is two roles in trainers that print policies and supervised training
// with the same words.
bool HasRole(KeyDialect dialect, Role role) {
  switch (role) {
    case Role::kTrainLoss:
    case Role::kTrainGradNorm:
      return dialect == KeyDialect::kVerl || IsSupervised(dialect);
    case Role::kActorLoss:
    case Role::kActorGradNorm:
    case Role::kActorLr:
      return !IsSupervised(dialect);
    default:
      return true;
  }
}

Index BuildIndex(KeyDialect dialect) {
  const bool verl = dialect == KeyDialect::kVerl;
  const bool slime =
      dialect == KeyDialect::kSlime || dialect == KeyDialect::kSlimeSft;
  const std::uint8_t first = verl ? 0 : slime ? 3 : 5;
  const std::uint8_t end = verl ? 3 : slime ? 5 : 7;
  Index index;
  for (const RoleRow& row : kRows) {
    if (!HasRole(dialect, row.role)) continue;
    for (std::uint8_t rank = first; rank < end; ++rank) {
      if (!row.key(rank).empty()) index[row.key(rank)] = {row.role, rank};
    }
  }
  return index;
}

std::array<Index, kDialects> BuildIndexes() {
  std::array<Index, kDialects> indexes;
  for (std::size_t i = 0; i < kDialects; ++i) {
    indexes[i] = BuildIndex(static_cast<KeyDialect>(i));
  }
  return indexes;
}

}  // namespace

std::span<const RoleRow> RoleTable() { return kRows; }

RoleOfKey FindRole(std::string_view key, KeyDialect dialect) {
  static const auto* const indexes = new std::array(BuildIndexes());
  const Index& index = (*indexes)[static_cast<std::size_t>(dialect)];
  const auto found = index.find(key);
  return found == index.end() ? RoleOfKey{} : found->second;
}

}  // namespace rlrun
