// The quantities that rules watch, each under the keys by which trainers print
// it: the one table between a trainer's words and ours. A rule names a role;
// the evidence names the verbatim key that the run prints. Pure; safe from any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "parsers/model/step_record.h"

namespace rlrun {

enum class Role : std::uint8_t {
  // Reward and what training makes of it.
  kTaskReward = 0,  // R: the score where printed, else the reward
  kScore,
  kScoreMax,
  kScoreMin,
  kReward,
  kRewardMax,
  kRewardMin,
  kAdvantage,
  kAdvantageMax,
  kAdvantageMin,
  kReturnsMax,
  kReturnsMin,
  kFracZeroStd,  // share of prompts whose rewards are all equal, 0..1
  // Policy.
  kPolicyLoss,
  kActorLoss,
  kKlLoss,
  kPpoKl,
  kEntropy,      // actor/entropy, else the old key
  kEntropyLoss,  // the old key itself
  kPolicyClipFraction,
  kActorGradNorm,
  kActorLr,
  // Supervised training.
  kTrainLoss,
  kTrainGradNorm,
  kValLoss,
  // Critic.
  kValueLoss,
  kExplainedVariance,
  kCriticGradNorm,
  // Rollout against trainer.
  kPearson,
  kRolloutKl,
  kRolloutK3Kl,
  kEffectiveSampleSize,
  kRatioFractionLow,
  // Responses.
  kResponseLength,
  kResponseLengthMax,
  kClippedLength,  // its values on steps with a clip ratio > 0 (derived)
  kResponseClipRatio,
  kAbortedRatio,
  kTurns,
  kTurnsMax,
  // Trajectory filter.
  kInvalidRatio,
  kEnvSetupFailed,       // trajectories with this reason
  kTimeout,              // trajectories with this reason
  kFilterReasons,        // of all reasons of the step together (derived)
  kEnvSetupFailedShare,  // of kFilterReasons, 0..1 (derived)
  kTimeoutShare,         // of kFilterReasons, 0..1 (derived)
  // Time, seconds.
  kStepSeconds,
  kTestingSeconds,
  kSavingSeconds,
  kStepTime,  // timing_s/step - testing - save_checkpoint (derived)
  kCount
};
inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::kCount);

constexpr std::size_t RoleIndex(Role role) {
  return static_cast<std::size_t>(role);
}

struct RoleRow {
  Role role;
  // Verbatim keys of verl, the preferred one first; empty strings fill the
  // rest. None: the role is derived from others, or verl does not print it.
  std::array<std::string_view, 3> keys;
  // Points that are kept of it; 0: only the newest step's value.
  std::uint16_t capacity;
  // Columns that its points carry, CarriedBit (series.h).
  std::uint16_t carried = 0;
  // The same of slime and miles, and of Hugging Face trainers (TRL).
  std::array<std::string_view, 2> slime = {};
  std::array<std::string_view, 2> trl = {};

  // The key of a rank: verl's have 0 to 2, slime's 3 and 4, TRL's 5 and 6.
  std::string_view key(std::uint8_t rank) const {
    return rank < 3   ? keys[rank]
           : rank < 5 ? slime[rank - 3u]
           : rank < 7 ? trl[rank - 5u]
                      : std::string_view();
  }
};
inline constexpr std::uint8_t kKeyRanks = 7;

// One row per role, in the order of the enum.
std::span<const RoleRow> RoleTable();

// The role that prints under `key`, and how preferred the key is (the smaller
// the more). kCount: none. What supervised training calls loss, gradient norm
// and rate has roles of its own, or none.
struct RoleOfKey {
  Role role = Role::kCount;
  std::uint8_t rank = 0;
};
RoleOfKey FindRole(std::string_view key,
                   KeyDialect dialect = KeyDialect::kVerl);

}  // namespace rlrun
