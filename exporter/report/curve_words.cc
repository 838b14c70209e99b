#include "exporter/report/curve_words.h"

namespace rlrun {

std::string_view CurveTitle(Role role) {
  switch (role) {
    case Role::kTaskReward:
      return "Reward";
    case Role::kScore:
      return "Score";
    case Role::kReward:
      return "Reward with its penalties";
    case Role::kAdvantage:
      return "Advantage";
    case Role::kFracZeroStd:
      return "Prompts whose rewards are all equal (share)";
    case Role::kPolicyLoss:
    case Role::kActorLoss:
      return "Policy loss";
    case Role::kKlLoss:
      return "KL from the reference";
    case Role::kPpoKl:
      return "KL from the step before";
    case Role::kEntropy:
      return "Entropy";
    case Role::kPolicyClipFraction:
      return "Clipped policy updates (share)";
    case Role::kActorGradNorm:
    case Role::kTrainGradNorm:
      return "Gradient norm";
    case Role::kActorLr:
      return "Learning rate";
    case Role::kTrainLoss:
      return "Training loss";
    case Role::kValLoss:
      return "Validation loss";
    case Role::kValueLoss:
      return "Value loss";
    case Role::kExplainedVariance:
      return "Explained variance";
    case Role::kCriticGradNorm:
      return "Critic's gradient norm";
    case Role::kPearson:
      return "Rollout and trainer agree (correlation)";
    case Role::kRolloutKl:
    case Role::kRolloutK3Kl:
      return "KL of rollout and trainer";
    case Role::kEffectiveSampleSize:
      return "Effective sample size (share)";
    case Role::kRatioFractionLow:
      return "Tokens of a low ratio (share)";
    case Role::kResponseLength:
      return "Response length (tokens)";
    case Role::kClippedLength:
      return "Longest response of steps with cut ones (tokens)";
    case Role::kResponseClipRatio:
      return "Cut responses (share)";
    case Role::kAbortedRatio:
      return "Aborted responses (share)";
    case Role::kTurns:
      return "Turns";
    case Role::kInvalidRatio:
      return "Dropped trajectories (share)";
    case Role::kEnvSetupFailedShare:
      return "Environments that did not start (share)";
    case Role::kTimeoutShare:
      return "Trajectories out of time (share)";
    case Role::kStepTime:
      return "Time per step (seconds)";
    default:
      return "Value";
  }
}

bool StepTimesHoldMore(const History& history) {
  return !history.key(Role::kTestingSeconds).empty() ||
         !history.key(Role::kSavingSeconds).empty();
}

std::string CurveNote(const History& history, Role role) {
  if (role == Role::kEnvSetupFailedShare || role == Role::kTimeoutShare) {
    return "share of all reasons of the step";
  }
  if (role == Role::kStepTime && StepTimesHoldMore(history)) {
    return "without validation and checkpoint";
  }
  return "";
}

std::string_view WhyUnused(Role role) {
  if (role == Role::kActorGradNorm) {
    return "nothing could be learned on this step";
  }
  if (role == Role::kExplainedVariance) {
    return "the returns of this step do not differ";
  }
  return "";
}

EvidenceRole RoleOfEvidence(const History& history, std::string_view key) {
  if (key == "share of env_setup_failed") return {Role::kEnvSetupFailedShare};
  if (key == "share of timeout") return {Role::kTimeoutShare};
  for (const RoleRow& row : RoleTable()) {
    if (history.key(row.role) != key) continue;
    switch (row.role) {
      case Role::kScoreMax:
      case Role::kScoreMin:
      case Role::kRewardMax:
      case Role::kRewardMin:
        return {Role::kTaskReward, false};
      case Role::kEnvSetupFailed:
        return {Role::kEnvSetupFailedShare, false};
      case Role::kTimeout:
        return {Role::kTimeoutShare, false};
      case Role::kEntropyLoss:
        return {Role::kEntropy};
      case Role::kStepSeconds:
        return {Role::kStepTime};
      default:
        return {row.role};
    }
  }
  return {};
}

NaturalRange RangeOf(Role role) {
  switch (role) {
    case Role::kPearson:
      return {-1, 1};
    case Role::kExplainedVariance:
      return {{}, 1};
    case Role::kFracZeroStd:
    case Role::kPolicyClipFraction:
    case Role::kEffectiveSampleSize:
    case Role::kRatioFractionLow:
    case Role::kResponseClipRatio:
    case Role::kAbortedRatio:
    case Role::kInvalidRatio:
    case Role::kEnvSetupFailedShare:
    case Role::kTimeoutShare:
      return {0, 1};
    case Role::kActorGradNorm:
    case Role::kTrainGradNorm:
    case Role::kCriticGradNorm:
    case Role::kResponseLength:
    case Role::kTurns:
    case Role::kStepTime:
      return {0, {}};
    default:
      return {};
  }
}

}  // namespace rlrun
