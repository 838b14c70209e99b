#include "exporter/signatures/role.h"

#include <unordered_map>

#include "exporter/signatures/series.h"

namespace rlrun {
namespace {

constexpr std::uint16_t kNone = 0;      // the newest value is enough
constexpr std::uint16_t kShort = 80;    // windows of rules, and rewinds
constexpr std::uint16_t kMiddle = 224;  // rules that look far back, charts
constexpr std::uint16_t kLong = 512;    // charts

template <class... C>
constexpr std::uint16_t Bits(C... columns) {
  return static_cast<std::uint16_t>((0u | ... | CarriedBit(columns)));
}
constexpr std::uint16_t kReward =
    Bits(Carried::kMaxM10, Carried::kMinM50, Carried::kMaxM50);
constexpr std::uint16_t kLoss = Bits(Carried::kM10, Carried::kMaxLate);

// Keys as verl prints them.
constexpr RoleRow kRows[] = {
    {Role::kTaskReward, {}, kLong, kReward},
    {Role::kScore, {"critic/score/mean"}, kMiddle},
    {Role::kScoreMax, {"critic/score/max"}, kNone},
    {Role::kScoreMin, {"critic/score/min"}, kNone},
    {Role::kReward,
     {"critic/rewards/mean"},
     kMiddle,
     Bits(Carried::kMin, Carried::kMax)},
    {Role::kRewardMax, {"critic/rewards/max"}, kNone},
    {Role::kRewardMin, {"critic/rewards/min"}, kNone},
    {Role::kAdvantage, {"critic/advantages/mean"}, kShort},
    {Role::kAdvantageMax, {"critic/advantages/max"}, kNone},
    {Role::kAdvantageMin, {"critic/advantages/min"}, kNone},
    {Role::kReturnsMax, {"critic/returns/max"}, kNone},
    {Role::kReturnsMin, {"critic/returns/min"}, kNone},
    {Role::kFracZeroStd, {"frac_reward_zero_std"}, kNone},
    {Role::kPolicyLoss, {"actor/pg_loss"}, kNone},
    {Role::kActorLoss, {"actor/loss"}, kNone},
    {Role::kKlLoss, {"actor/kl_loss"}, kMiddle},
    {Role::kPpoKl, {"actor/ppo_kl"}, kShort},
    {Role::kEntropy, {"actor/entropy"}, kLong},
    {Role::kEntropyLoss, {"actor/entropy_loss"}, kNone},
    {Role::kPolicyClipFraction, {"actor/pg_clipfrac"}, kNone},
    {Role::kActorGradNorm, {"actor/grad_norm"}, kLong},
    {Role::kActorLr, {"actor/lr"}, kShort, Bits(Carried::kMax)},
    {Role::kTrainLoss,
     {"train/loss"},
     kMiddle,
     Bits(Carried::kM10, Carried::kMaxLate, Carried::kM50, Carried::kMinM50)},
    {Role::kTrainGradNorm, {"train/grad_norm"}, kMiddle},
    {Role::kValLoss, {"val/loss"}, kMiddle, kLoss},
    {Role::kValueLoss, {"critic/vf_loss"}, kMiddle, kLoss},
    {Role::kExplainedVariance, {"critic/vf_explained_var"}, kMiddle},
    {Role::kCriticGradNorm, {"critic/grad_norm"}, kMiddle},
    {Role::kPearson, {"training/rollout_actor_probs_pearson_corr"}, kMiddle},
    {Role::kRolloutKl, {"rollout_corr/kl"}, kShort},
    {Role::kRolloutK3Kl, {"rollout_corr/k3_kl"}, kShort},
    {Role::kEffectiveSampleSize,
     {"actor/rollout_corr/rollout_is_eff_sample_size",
      "rollout_corr/rollout_is_eff_sample_size"},
     kMiddle},
    {Role::kRatioFractionLow,
     {"actor/rollout_corr/rollout_is_ratio_fraction_low",
      "rollout_corr/rollout_is_ratio_fraction_low"},
     kShort},
    {Role::kResponseLength, {"response_length/mean"}, kLong},
    {Role::kResponseLengthMax, {"response_length/max"}, kNone},
    {Role::kClippedLength, {}, kShort, Bits(Carried::kMax)},
    {Role::kResponseClipRatio, {"response_length/clip_ratio"}, kShort},
    {Role::kAbortedRatio, {"response/aborted_ratio"}, kNone},
    {Role::kTurns, {"num_turns/mean", "training/num_turns/mean"}, kLong},
    {Role::kTurnsMax, {"num_turns/max", "training/num_turns/max"}, kNone},
    {Role::kInvalidRatio, {"trajectory_filter/invalid_ratio"}, kNone},
    {Role::kEnvSetupFailed, {}, kShort},
    {Role::kTimeout, {}, kNone},
    {Role::kFilterReasons, {}, kShort},
    {Role::kEnvSetupFailedShare, {}, kShort},
    {Role::kTimeoutShare, {}, kShort},
    {Role::kStepSeconds, {"timing_s/step"}, kNone},
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

std::unordered_map<std::string_view, RoleOfKey> BuildIndex() {
  std::unordered_map<std::string_view, RoleOfKey> index;
  for (const RoleRow& row : kRows) {
    for (std::uint8_t rank = 0; rank < row.keys.size(); ++rank) {
      if (!row.keys[rank].empty()) index[row.keys[rank]] = {row.role, rank};
    }
  }
  return index;
}

}  // namespace

std::span<const RoleRow> RoleTable() { return kRows; }

RoleOfKey FindRole(std::string_view key) {
  static const auto* const index = new std::unordered_map(BuildIndex());
  const auto found = index->find(key);
  return found == index->end() ? RoleOfKey{} : found->second;
}

}  // namespace rlrun
