#include "exporter/signatures/step_frame.h"

#include <algorithm>
#include <cmath>

namespace rlrun {
namespace {

constexpr std::size_t kMaxReasons = 32;
constexpr std::string_view kReason = "trajectory_filter/reason/";
constexpr std::string_view kEnvSetupFailed = "env_setup_failed";
constexpr std::string_view kTimeout = "timeout";

bool Equal(const StepFrame& frame, Role a, Role b) {
  const auto x = frame.value(a), y = frame.value(b);
  return x && y && *x == *y;
}

// Returns without spread make an explained variance meaningless
// (signatures.md, vf_explained_var).
bool HasDeadReturns(const StepFrame& frame) {
  const auto low = frame.value(Role::kReturnsMin);
  const auto high = frame.value(Role::kReturnsMax);
  if (!low || !high) return false;
  const double size = std::max({1.0, std::abs(*low), std::abs(*high)});
  return std::abs(*high - *low) <= 1e-6 * size;
}

void DeriveTie(StepFrame* frame) {
  const auto zero_std = frame->value(Role::kFracZeroStd);
  const auto both = [frame](Role a, Role b) {
    return frame->has(a) && frame->has(b);
  };
  frame->tied = Equal(*frame, Role::kScoreMax, Role::kScoreMin) ||
                Equal(*frame, Role::kRewardMax, Role::kRewardMin) ||
                (Equal(*frame, Role::kAdvantageMax, Role::kAdvantageMin) &&
                 frame->value(Role::kAdvantageMax) == 0.0) ||
                (zero_std && *zero_std >= 0.9);
  frame->tie_known = both(Role::kScoreMax, Role::kScoreMin) ||
                     both(Role::kRewardMax, Role::kRewardMin) ||
                     both(Role::kAdvantageMax, Role::kAdvantageMin) ||
                     zero_std.has_value();
}

void DeriveReasons(const ReasonSums& reasons, std::optional<double> batch,
                   StepFrame* frame) {
  constexpr Role kDerived[] = {Role::kEnvSetupFailed, Role::kTimeout,
                               Role::kFilterReasons, Role::kEnvSetupFailedShare,
                               Role::kTimeoutShare};
  for (const Role role : kDerived) frame->Unset(role);
  if (!reasons.counted) return;
  frame->Set(Role::kEnvSetupFailed, reasons.env_setup_failed);
  frame->Set(Role::kTimeout, reasons.timeout);
  if (!reasons.printed) return;
  double all = reasons.all;
  if (reasons.old_keys) {
    if (!batch || !(*batch > 0)) return;
    all = *batch;
  }
  frame->Set(Role::kFilterReasons, all);
  frame->Set(Role::kEnvSetupFailedShare,
             all == 0 ? 0 : reasons.env_setup_failed / all);
  frame->Set(Role::kTimeoutShare, all == 0 ? 0 : reasons.timeout / all);
}

// Some trainers do not count validation and saving into a step
// (signatures.md, step_slowdown).
void DeriveStepTime(StepFrame* frame) {
  frame->Unset(Role::kStepTime);
  const auto step = frame->value(Role::kStepSeconds);
  if (!step) return;
  const double rest = *step - frame->value(Role::kTestingSeconds).value_or(0) -
                      frame->value(Role::kSavingSeconds).value_or(0);
  frame->Set(Role::kStepTime, rest > 0 ? rest : *step);
}

}  // namespace

void StepFrame::Set(Role role, double value, std::uint8_t rank) {
  const std::size_t i = RoleIndex(role);
  if (present[i] && ranks[i] < rank) return;
  present[i] = true;
  values[i] = value;
  ranks[i] = rank;
}

void StepFrame::Unset(Role role) {
  present[RoleIndex(role)] = false;
  values[RoleIndex(role)] = 0;
}

bool FilterReasons::Take(std::string_view key, double value) {
  if (!key.starts_with("trajectory_filter/")) return false;
  std::string_view reason;
  if (key.starts_with(kReason)) {
    reason = key.substr(kReason.size());
  } else if (key == "trajectory_filter/env_failure_count") {
    reason = kEnvSetupFailed;
  } else if (key == "trajectory_filter/timeout_count") {
    reason = kTimeout;
  } else {
    if (key == "trajectory_filter/invalid_count") counted = true;
    return false;
  }
  counted = true;
  old_keys = !key.starts_with(kReason);
  Put(reason, value);
  return true;
}

void FilterReasons::Put(std::string_view reason, double value) {
  for (auto& [name, count] : counts) {
    if (name != reason) continue;
    count = value;
    return;
  }
  if (counts.size() < kMaxReasons) counts.emplace_back(reason, value);
}

ReasonSums FilterReasons::Sums() const {
  ReasonSums sums;
  sums.counted = counted;
  sums.old_keys = old_keys;
  sums.printed = !counts.empty();
  for (const auto& [reason, count] : counts) {
    sums.all += count;
    if (reason == kEnvSetupFailed) sums.env_setup_failed = count;
    if (reason == kTimeout) sums.timeout = count;
  }
  return sums;
}

void DeriveFrame(const ReasonSums& reasons, const FrameContext& context,
                 StepFrame* frame) {
  frame->Unset(Role::kTaskReward);
  const Role source = context.has_score ? Role::kScore : Role::kReward;
  if (frame->has(source)) frame->Set(Role::kTaskReward, *frame->value(source));
  if (frame->has(Role::kEntropyLoss) &&
      (!frame->has(Role::kEntropy) ||
       frame->ranks[RoleIndex(Role::kEntropy)] == 1)) {
    frame->Set(Role::kEntropy, *frame->value(Role::kEntropyLoss), 1);
  }
  frame->Unset(Role::kClippedLength);
  if (frame->value(Role::kResponseClipRatio).value_or(0) > 0 &&
      frame->has(Role::kResponseLengthMax)) {
    frame->Set(Role::kClippedLength, *frame->value(Role::kResponseLengthMax));
  }
  DeriveReasons(reasons, context.batch, frame);
  DeriveStepTime(frame);
  DeriveTie(frame);
  for (std::size_t i = 0; i < kRoles; ++i) {
    frame->is_point[i] = frame->present[i] && std::isfinite(frame->values[i]);
  }
  if (frame->tied) frame->is_point[RoleIndex(Role::kActorGradNorm)] = false;
  if (HasDeadReturns(*frame)) {
    frame->is_point[RoleIndex(Role::kExplainedVariance)] = false;
  }
}

}  // namespace rlrun
