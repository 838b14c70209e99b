#include "exporter/signatures/state.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "exporter/signatures/event_rules.h"

namespace rlrun {
namespace {

// The stronger ones first.
constexpr std::array<std::string_view, 8> kOrder = {
    "trainer_crash", "died_silently", "ended_early",    "app_died",
    "stall",         "no_progress",   "possibly_stuck", "step_slowdown"};
constexpr std::array<std::string_view, 4> kFatal = {
    "trainer_crash", "died_silently", "ended_early", "app_died"};
constexpr std::array<std::string_view, 3> kWaiting = {"stall", "no_progress",
                                                      "possibly_stuck"};

bool IsActive(const std::vector<Finding>& findings, std::string_view name) {
  for (const Finding& finding : findings) {
    if (finding.name == name && finding.level != Level::kNone) return true;
  }
  return false;
}

// A script says that it is through, behind an error of which it is not known
// yet whether it has stopped the trainer.
bool HidesAnError(const TimeOptions& options, const StateInputs& inputs) {
  return inputs.events.end->kind == EndKind::kWrapper &&
         StoppingBurst(options, inputs) != nullptr;
}

bool IsLost(const TimeOptions& options, const StateInputs& inputs,
            bool was_lost) {
  if (inputs.alive()) return false;
  if (!inputs.times.readable) return was_lost;
  const std::optional<double> written = inputs.times.written();
  return written && Reached(inputs, *written, options.lost_silence);
}

}  // namespace

StateResult DecideState(const TimeOptions& options, const StateInputs& inputs,
                        const std::vector<Finding>& findings, bool was_lost) {
  for (const std::string_view name : kFatal) {
    if (IsActive(findings, name)) {
      return {RunState::kFailed, std::string(name)};
    }
  }
  if (inputs.record == RecordedEnd::kFailed) {
    return {RunState::kFailed, "its record says so"};
  }
  if (EndsInInterrupt(inputs)) {
    return {RunState::kInterrupted, "the log ends in an interrupt"};
  }
  if (inputs.record == RecordedEnd::kStopped) {
    return {RunState::kInterrupted, "its record says so"};
  }
  if (EndsInEndMark(inputs) && !HidesAnError(options, inputs)) {
    // One without a training step only validates, if its trainer says so.
    const bool only_validates =
        !inputs.newest_step && inputs.events.end->kind == EndKind::kTrainer;
    if (ReachedTotal(options, inputs) || only_validates) {
      return {RunState::kFinished, "the log ends in an end mark"};
    }
  }
  if (inputs.record == RecordedEnd::kCompleted) {
    return {RunState::kFinished, "its record says so"};
  }
  if (EndedAtLastStep(options, inputs)) {
    return {RunState::kFinished, "every planned step is printed"};
  }
  if (IsLost(options, inputs, was_lost)) {
    return {RunState::kLost,
            "silent for hours without a process here: how it ended is unknown"};
  }
  if (IsActive(findings, "stall")) return {RunState::kStalled, ""};
  const bool past_startup = inputs.recorded && inputs.recorded->past_startup;
  if (!inputs.events.newest_training_line && !past_startup) {
    return {RunState::kStarting, "no training step yet"};
  }
  return {RunState::kRunning, ""};
}

void Quiet(Finding* finding) {
  finding->level = Level::kNone;
  finding->since_step.reset();
  finding->evidence.clear();
  finding->detail.clear();
}

void SuppressFindings(std::vector<Finding>* findings) {
  bool higher = false;
  for (const std::string_view name : kOrder) {
    for (Finding& finding : *findings) {
      if (finding.name != name || finding.level == Level::kNone) continue;
      if (higher) Quiet(&finding);
      higher = true;
    }
  }
}

void ClearWaiting(std::vector<Finding>* findings) {
  for (Finding& finding : *findings) {
    if (std::find(kWaiting.begin(), kWaiting.end(), finding.name) !=
        kWaiting.end()) {
      Quiet(&finding);
    }
  }
}

}  // namespace rlrun
