#include "exporter/signatures/time_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"

namespace rlrun {
namespace {

constexpr double kRefresh = 60;  // of the evidence while a silence goes on

Evidence MakeEvidence(std::string key, const StateInputs& inputs, double value,
                      std::optional<double> bound) {
  return {std::move(key), inputs.newest_step.value_or(0), value, bound};
}

// Newest sign of life that a stall is counted from.
std::optional<double> StallBase(const RunTimes& times) {
  const std::optional<double> written = times.written();
  if (!written) return std::nullopt;
  return std::max(*written, times.trial_time.value_or(*written));
}

bool IsPausing(const StateInputs& inputs) {
  return inputs.in_phase(RunPhase::kEvaluateRollouts) ||
         inputs.in_phase(RunPhase::kCheckpointSave);
}

// No training line of this launch yet.
bool IsFirstStep(const StateInputs& inputs) {
  const RunEvents& events = inputs.events;
  return !events.newest_training_line ||
         (events.resume &&
          events.resume->at.offset > *events.newest_training_line);
}

RuleResult JudgeStall(const TimeOptions& options, const StateInputs& inputs) {
  const RunTimes& times = inputs.times;
  const std::optional<double> base = StallBase(times);
  if (!base || !inputs.has_log) return RuleResult::NotApplicable();
  const double limit = StallLimit(options, inputs);
  if (!times.readable || !Reached(inputs, *base, limit)) {
    return RuleResult::NotEvaluated();
  }
  RuleResult result = RuleResult::None();
  result.level = Level::kWarning;
  result.evidence = {
      MakeEvidence("silence_seconds", inputs, times.now - *base, limit)};
  result.detail = TailSits(inputs);
  return result;
}

RuleResult JudgeNoProgress(const TimeOptions& options,
                           const StateInputs& inputs) {
  const RunTimes& times = inputs.times;
  const std::optional<double> written = times.written();
  if (!written || !inputs.has_log) return RuleResult::NotApplicable();
  const std::optional<double> base = ProgressBase(inputs);
  const double limit = ProgressLimit(options, inputs);
  if (!times.readable || !base || *written <= *base ||
      !Reached(inputs, *base, limit)) {
    return RuleResult::NotEvaluated();
  }
  // Nobody saw it grow, and its mtime may be that of a copy: its own stamps
  // tell how long it went on behind the step.
  if (!times.growth && times.last_stamp && *times.last_stamp - *base < limit) {
    return RuleResult::NotEvaluated();
  }
  RuleResult result = RuleResult::None();
  result.level = Level::kWarning;
  result.evidence = {
      MakeEvidence("no_step_seconds", inputs, times.now - *base, limit)};
  result.detail = TailSits(inputs);
  return result;
}

constexpr std::uint8_t kWarns = LevelBit(Level::kWarning);
constexpr std::array kRules = {
    TimeRule{"stall", kWarns, &JudgeStall,
             "The log has gone silent: the shape of a deadlock, not of a slow "
             "step.",
             "Look where the tail sits and whether the process still lives; a "
             "log that is written on another node is judged there."},
    TimeRule{"no_progress", kWarns, &JudgeNoProgress,
             "The log grows, but no step comes.",
             "Look at what repeats in the tail of the log."},
};

}  // namespace

std::span<const TimeRule> TimeRules() { return kRules; }

double StallLimit(const TimeOptions& options, const StateInputs& inputs) {
  const double limit =
      std::max(options.stall_silence,
               options.stall_factor * inputs.times.longest_silence);
  if (inputs.events.newest_training_line) return limit;
  return std::max(limit, options.first_step);
}

double ProgressLimit(const TimeOptions& options, const StateInputs& inputs) {
  const RunTimes& times = inputs.times;
  double limit =
      std::max(options.no_progress,
               options.no_progress_steps * times.step_seconds.value_or(0));
  if (IsFirstStep(inputs)) limit = std::max(limit, options.first_step);
  if (!IsPausing(inputs)) return limit;
  double known = 0;
  if (inputs.in_phase(RunPhase::kEvaluateRollouts)) {
    known = times.longest_validation.value_or(0);
  }
  if (inputs.in_phase(RunPhase::kCheckpointSave)) {
    known = std::max(known, times.longest_checkpoint.value_or(0));
  }
  return std::max({limit, options.pause, options.pause_factor * known});
}

std::optional<double> ProgressBase(const StateInputs& inputs) {
  const RunTimes& times = inputs.times;
  std::optional<double> base = times.step_time;
  if (!base && !inputs.events.newest_training_line) base = times.start_time;
  if (!base) base = times.watched_since;
  if (!base) return std::nullopt;
  return std::max(*base, times.grown_since.value_or(*base));
}

std::string TailSits(const StateInputs& inputs) {
  std::string text = "not in a phase whose begin the log tells";
  if (inputs.in_phase(RunPhase::kEvaluateRollouts)) {
    text = "in a validation";
  } else if (inputs.in_phase(RunPhase::kCheckpointSave)) {
    text = "in the saving of a checkpoint";
  } else if (inputs.in_phase(RunPhase::kGenerateRollouts) ||
             inputs.events.current_samples() != nullptr) {
    text = "waiting for rollouts";
  }
  if (inputs.alive()) return text + "; its process is alive here";
  if (inputs.dead_since()) return text + "; its process here is gone";
  return text + "; no process of it is seen here";
}

std::optional<double> NextDeadline(const TimeOptions& options,
                                   const StateInputs& inputs) {
  const RunTimes& times = inputs.times;
  std::optional<double> next;
  const auto offer = [&](std::optional<double> base, double limit) {
    if (!base || *base + limit <= times.now) return;
    next = std::min(next.value_or(*base + limit), *base + limit);
  };
  const double stall = StallLimit(options, inputs);
  const std::optional<double> progress = ProgressBase(inputs);
  offer(StallBase(times), stall);
  offer(times.written(), stall);
  offer(times.written(), options.crash_silence);
  offer(times.written(), options.lost_silence);
  offer(progress, ProgressLimit(options, inputs));
  offer(inputs.dead_since(), options.died_grace);
  const double silent = times.silence().value_or(0);
  const bool waits =
      silent >= stall ||
      (progress && Reached(inputs, *progress, ProgressLimit(options, inputs)));
  if (waits && silent < options.lost_silence) offer(times.now, kRefresh);
  if (const auto record = NextRecordDeadline(inputs)) {
    next = std::min(next.value_or(*record), *record);
  }
  return next;
}

}  // namespace rlrun
