// Lines of slime, miles and their launchers that are no metric lines: what they
// say of the run, and what it is doing.
//
//   Training run id: elastic-frog-a1b2c3d4e5f6
//
// Accepts: the launcher's `Training run id:`, `Downloading model`, `Preparing
//   dataset (`, `Submitted Ray job:`, `TrainResult saved:`; Ray's `Running
//   entrypoint for job X: ...`, `Job 'X' succeeded|failed`, `Final Ray job
//   status: S`; timers (timer_phases.h); the bars `Rollout generation:` and
//   `Eval x:`; `First rollout sample`, `Finish rollout`; the fully asynchronous
//   worker's `collected a/b`; Megatron's saving; miles' `ft op=... phase=...`.
// Ignores: everything else. Rejects: nothing.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "parsers/formats/error_line.h"
#include "parsers/formats/timer_phases.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

class SlimeEvents {
 public:
  // `text`: the message of a line, behind its prefixes and its logger's head;
  // `process`: who printed it. True: something was taken. *error: set where it
  // is an error that only such runs print.
  bool Offer(std::string_view text, std::string_view process,
             const LogMark& mark, LogFacts* facts, ErrorLine* error);
  // The numbers of a rollout and of its first training step.
  void NoteStep(std::int64_t rollout, std::int64_t step);
  void NotePerf() { timers_.NotePerf(); }
  void NoteFramework(std::string_view name);
  // All that is stated so far, if any of it is new; else null.
  std::shared_ptr<const RunFacts> TakeNews();
  bool is_async() const { return is_async_; }

 private:
  bool OfferLauncher(std::string_view text, const LogMark& mark,
                     LogFacts* facts, ErrorLine* error);
  bool OfferRollout(std::string_view text, const LogMark& mark,
                    LogEvents* events);
  bool OfferFaultTolerance(std::string_view text, const LogMark& mark,
                           LogEvents* events, ErrorLine* error);
  void TakeCommand(std::string_view command);
  void PlanSteps();

  TimerPhases timers_;
  RunFacts stated_;
  bool has_news_ = false;
  bool is_async_ = false;
  std::optional<std::int64_t> rollouts_;  // planned
  std::optional<std::int64_t> steps_per_rollout_;
};

}  // namespace rlrun
