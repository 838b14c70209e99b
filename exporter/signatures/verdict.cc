#include "exporter/signatures/verdict.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

// signatures.md, "Verdict", and the table of training-quality signals.
constexpr std::array<std::string_view, 22> kQuality = {
    "r3_misalignment",
    "frozen_model",
    "no_signal",
    "no_tool_call_collapse",
    "all_negative_batch_collapse",
    "dis_not_reaching_actor",
    "nan_inf",
    "loss_spike",
    "loss_divergence",
    "plateau",
    "reward_stagnation",
    "reward_drop",
    "eval_regression",
    "grad_explosion",
    "grad_vanishing",
    "lr_anomaly",
    "entropy_collapse",
    "entropy_explosion",
    "kl_blowup",
    "length_collapse",
    "length_explosion",
    "reward_hacking_suspect"};

std::string Join(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

// Nothing has been written for as long as a stall takes, whatever else lives.
bool IsStale(const TimeOptions& options, const StateInputs& inputs) {
  const std::optional<double> written = inputs.times.written();
  return written && Reached(inputs, *written, StallLimit(options, inputs));
}

}  // namespace

bool IsQuality(std::string_view finding) {
  return std::find(kQuality.begin(), kQuality.end(), finding) != kQuality.end();
}

Health DecideHealth(const Judgement& judgement) {
  Level worst = Level::kNone;
  for (const Finding& finding : judgement.findings) {
    worst = std::max(worst, finding.level);
  }
  if (worst == Level::kCritical) return Health::kCritical;
  if (worst == Level::kWarning) return Health::kAtRisk;
  for (const CheckResult& check : judgement.checks) {
    if (check.failed()) return Health::kAtRisk;
  }
  return Health::kHealthy;
}

DecisionResult DecideDecision(const TimeOptions& options,
                              const StateInputs& inputs,
                              const Judgement& judgement) {
  if (IsEnded(judgement.state)) return {};
  std::vector<std::string_view> stops, waits;
  for (const Finding& finding : judgement.findings) {
    if (finding.level == Level::kCritical && IsQuality(finding.name)) {
      stops.push_back(finding.name);
    } else if (finding.level >= Level::kWarning) {
      waits.push_back(finding.name);
    }
  }
  if (!stops.empty()) {
    return {Decision::kStop, "critical for the training: " + Join(stops) + "."};
  }
  if (!inputs.times.readable) {
    return {Decision::kWait,
            "the source cannot be read: that says nothing about training.",
            WaitReason::kUnreadable};
  }
  if (!waits.empty()) {
    return {Decision::kWait, "to be looked at: " + Join(waits) + ".",
            WaitReason::kFindings};
  }
  if (IsStale(options, inputs)) {
    return {Decision::kWait,
            "the source is stale: that says nothing about training.",
            WaitReason::kStale};
  }
  if (judgement.training_steps < options.decision_steps) {
    return {Decision::kWait,
            "only " + std::to_string(judgement.training_steps) + " of " +
                std::to_string(options.decision_steps) +
                " training steps that a judgement needs.",
            WaitReason::kFewSteps};
  }
  std::vector<std::string_view> failed;
  for (const CheckResult& check : judgement.checks) {
    if (check.failed()) failed.push_back(check.name);
  }
  return {Decision::kContinue, failed.empty()
                                   ? "no warning is active."
                                   : "no signature matched; checks alone (" +
                                         Join(failed) + ") ask for no wait."};
}

Judgement MakeJudgement(Judgement steps, const StateFindings& times,
                        const TimeOptions& options, const StateInputs& inputs) {
  Judgement judgement = std::move(steps);
  for (const Finding& finding : times.findings()) {
    judgement.findings.push_back(finding);
  }
  for (const Recovered& recovered : times.recovered()) {
    judgement.recovered.push_back(recovered);
  }
  SuppressFindings(&judgement.findings);
  StateResult state =
      DecideState(options, inputs, judgement.findings, times.lost());
  judgement.state = state.state;
  judgement.state_reason = std::move(state.reason);
  if (IsEnded(judgement.state)) ClearWaiting(&judgement.findings);
  judgement.health = DecideHealth(judgement);
  DecisionResult decision = DecideDecision(options, inputs, judgement);
  judgement.decision = decision.decision;
  judgement.decision_reason = std::move(decision.reason);
  judgement.wait_reason = decision.wait;
  return judgement;
}

}  // namespace rlrun
