#include "exporter/signatures/event_rules.h"

#include <array>
#include <string>

namespace rlrun {
namespace {

// No new launch has begun behind it.
bool IsOfThisLaunch(const StateInputs& inputs, const LogMark& mark) {
  const auto& resume = inputs.events.resume;
  return !resume || resume->at.offset < mark.offset;
}

std::int64_t NewestStep(const StateInputs& inputs) {
  return inputs.newest_step.value_or(0);
}

RuleResult Hit(Evidence evidence, std::string detail, Level level) {
  RuleResult result = RuleResult::None();
  result.level = level;
  result.evidence = {std::move(evidence)};
  result.detail = std::move(detail);
  return result;
}

RuleResult JudgeCrash(const TimeOptions& options, const StateInputs& inputs) {
  if (inputs.record == RecordedEnd::kFailed) {
    const ErrorBurst* burst = StoppingBurst(options, inputs);
    return Hit({"record_status_failed", NewestStep(inputs), 1, {}},
               burst != nullptr             ? burst->evidence().text
               : inputs.recorded != nullptr ? inputs.recorded->record.error
                                            : "",
               Level::kCritical);
  }
  if (!inputs.has_console) return RuleResult::NotApplicable();
  const ErrorBurst* burst = StoppingBurst(options, inputs);
  if (burst == nullptr) return RuleResult::None();
  if (!burst->has(LogErrorKind::kTrainerCrash)) {
    const std::optional<double> written = inputs.times.written();
    const bool silent = inputs.times.readable && written &&
                        Reached(inputs, *written, options.crash_silence);
    if (!silent && !inputs.dead_since()) return RuleResult::NotEvaluated();
  }
  const LogError& error = burst->evidence();
  const auto kind = static_cast<std::size_t>(error.kind);
  return Hit({std::string(kLogErrorKindNames[kind]),
              NewestStep(inputs),
              static_cast<double>(inputs.events.errors[kind]),
              {}},
             error.text, Level::kCritical);
}

RuleResult JudgeDeath(const TimeOptions& options, const StateInputs& inputs) {
  if (!inputs.ever_seen()) return RuleResult::NotApplicable();
  if (inputs.alive() || EndsInInterrupt(inputs) || EndsInEndMark(inputs) ||
      StoppingBurst(options, inputs) != nullptr ||
      EndedAtLastStep(options, inputs)) {
    return RuleResult::None();
  }
  const std::optional<double> since = inputs.dead_since();
  if (!since || !inputs.times.readable ||
      !Reached(inputs, *since, options.died_grace)) {
    return RuleResult::NotEvaluated();
  }
  return Hit({"process_gone_since", NewestStep(inputs), *since, {}}, "",
             Level::kWarning);
}

RuleResult JudgeEarlyEnd(const TimeOptions& options,
                         const StateInputs& inputs) {
  if (!inputs.has_console || !inputs.total_steps) {
    return RuleResult::NotApplicable();
  }
  if (!EndsInEndMark(inputs) || ReachedTotal(options, inputs) ||
      EndsInInterrupt(inputs)) {
    return RuleResult::None();
  }
  // A run that only validates ends without a training step.
  if (!inputs.newest_step && inputs.events.end->kind == EndKind::kTrainer) {
    return RuleResult::None();
  }
  const auto total = static_cast<double>(*inputs.total_steps);
  return Hit({"newest_step", NewestStep(inputs),
              static_cast<double>(NewestStep(inputs)),
              total - static_cast<double>(options.total_slack)},
             inputs.events.end->kind == EndKind::kWrapper
                 ? "a script around the trainer says that it is finished"
                 : "it says itself that training has ended",
             Level::kWarning);
}

constexpr std::array kRules = {
    TimeRule{"trainer_crash", LevelBit(Level::kCritical), &JudgeCrash,
             "The trainer has ended with an error.",
             "Read the first error of the burst, not its echo."},
    TimeRule{"died_silently", LevelBit(Level::kWarning), &JudgeDeath,
             "The process is gone and its log says nothing of an end.",
             "Points at the host's OOM killer, a kill by hand or a reboot: "
             "confirm in the host's journal."},
    TimeRule{"ended_early", LevelBit(Level::kWarning), &JudgeEarlyEnd,
             "The run says that it has ended, below its planned steps.",
             "Look for an error before the end; a wrapper reports an end after "
             "a crash too."},
};

}  // namespace

std::span<const TimeRule> EventRules() { return kRules; }

const ErrorBurst* StoppingBurst(const TimeOptions& options,
                                const StateInputs& inputs) {
  const RunEvents& events = inputs.events;
  if (!events.severe_burst_is_last()) return nullptr;
  const ErrorBurst& burst = *events.severe_burst;
  if (burst.interrupted || burst.after_end) return nullptr;
  // What dies behind an interrupt dies of it.
  if (events.interrupt_is_last() &&
      events.interrupt->at.offset < burst.first.at.offset) {
    return nullptr;
  }
  if (burst.has(LogErrorKind::kTrainerCrash)) return &burst;
  if (!burst.has(LogErrorKind::kTraceback) &&
      !burst.has(LogErrorKind::kActorDied)) {
    return nullptr;
  }
  // A rollout's code, an answer that was tried: nobody has died of it yet.
  if (burst.of_helpers && !burst.has(LogErrorKind::kActorDied) &&
      !inputs.dead_since()) {
    return nullptr;
  }
  // The trainer went on to its end.
  const bool went_on = events.end_is_last() &&
                       events.end->kind == EndKind::kTrainer &&
                       events.end->at.offset > burst.newest.offset &&
                       ReachedTotal(options, inputs);
  return went_on ? nullptr : &burst;
}

bool EndsInInterrupt(const StateInputs& inputs) {
  return inputs.events.interrupt_is_last() &&
         IsOfThisLaunch(inputs, inputs.events.interrupt->at);
}

bool EndsInEndMark(const StateInputs& inputs) {
  return inputs.events.end_is_last() &&
         IsOfThisLaunch(inputs, inputs.events.end->at);
}

bool ReachedTotal(const TimeOptions& options, const StateInputs& inputs) {
  if (!inputs.total_steps) return true;
  return inputs.newest_step &&
         *inputs.newest_step >= *inputs.total_steps - static_cast<std::int64_t>(
                                                          options.total_slack);
}

bool EndedAtLastStep(const TimeOptions& options, const StateInputs& inputs) {
  if (!inputs.all_steps_done() || inputs.alive() ||
      inputs.in_phase(RunPhase::kEvaluateRollouts) ||
      inputs.in_phase(RunPhase::kCheckpointSave)) {
    return false;
  }
  if (inputs.dead_since()) return true;
  const std::optional<double> written = inputs.times.written();
  return inputs.times.readable && written &&
         Reached(inputs, *written, StallLimit(options, inputs));
}

}  // namespace rlrun
