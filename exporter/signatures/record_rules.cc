#include "exporter/signatures/record_rules.h"

#include <algorithm>
#include <array>

#include "exporter/signatures/record_lines.h"

namespace rlrun {
namespace {

constexpr double kRefresh = 60;  // of the evidence while a silence goes on

const FailureOptions& OptionsOf(const StateInputs& inputs) {
  static const FailureOptions defaults;
  return inputs.failures != nullptr ? *inputs.failures : defaults;
}

using Liveness = RuleResult (*)(const RecordView&, const FailureOptions&);

// Judged only while record and log can be read.
RuleResult JudgeLiveness(Liveness rule, const StateInputs& inputs) {
  if (inputs.recorded == nullptr) return RuleResult::NotApplicable();
  if (!inputs.times.readable || !inputs.record_readable) {
    return RuleResult::NotEvaluated();
  }
  return rule(RecordViewOf(inputs), OptionsOf(inputs));
}

using Lines = RuleResult (*)(const std::optional<RecentLines>&,
                             const FailureOptions&);

RuleResult JudgeLines(Lines rule, const StateInputs& inputs) {
  if (!inputs.counts_lines || !inputs.has_console) {
    return RuleResult::NotApplicable();
  }
  const RunEvents& events = inputs.events;
  RecentLines lines;
  lines.auth = events.CountRecent(LogErrorKind::kHttpAuth);
  lines.cuda_oom = events.CountRecent(LogErrorKind::kCudaOom);
  lines.nccl = events.CountRecent(LogErrorKind::kNccl);
  lines.retry = events.CountRecent(LogErrorKind::kRetry);
  lines.step = inputs.newest_step.value_or(0);
  return rule(lines, OptionsOf(inputs));
}

template <Liveness rule>
RuleResult Alive(const TimeOptions&, const StateInputs& inputs) {
  return JudgeLiveness(rule, inputs);
}
template <Lines rule>
RuleResult Count(const TimeOptions&, const StateInputs& inputs) {
  return JudgeLines(rule, inputs);
}

// Errors of what only generates end nothing before Ray says so.
bool IsOfTrainer(const ErrorBurst& burst) {
  return !burst.of_helpers || burst.has(LogErrorKind::kActorDied);
}

// Of life in the record: clocks of writers may be wrong, and what was seen to
// change lives, whatever it says of the time.
std::optional<double> NewestSign(const RecordedRun& run) {
  if (!run.updated_at || !run.changed_at) return run.updated_at;
  return std::max(*run.updated_at, *run.changed_at);
}

constexpr std::uint8_t kInforms = LevelBit(Level::kInfo);
constexpr std::uint8_t kWarns = LevelBit(Level::kWarning);
constexpr std::uint8_t kCritical = LevelBit(Level::kCritical);

constexpr std::array kRules = {
    TimeRule{"app_died", kCritical, &Alive<AppDied>,
             "The record says that the run goes on, but its log ends in an "
             "error and stands still.",
             "Read the error; whoever closes the record died with it, so close "
             "it by hand or start the run again."},
    TimeRule{"possibly_stuck", kWarns, &Alive<PossiblyStuck>,
             "The record stands still in an active phase, and so does the log, "
             "where there is one.",
             "A hint, not a verdict: long rollouts, downloads and conversions "
             "do not report. Look at the tail of the log and at the app."},
    TimeRule{"not_started", kInforms, &Alive<NotStarted>,
             "The run is queued or still setting up.",
             "Look whether the app waits for a GPU, an image or a model."},
    TimeRule{"auth_failure", kWarns, &Count<AuthFailure>,
             "Something was refused for want of rights.",
             "Check the token and the access of the account to what the line "
             "names."},
    TimeRule{"cuda_oom", kWarns, &Count<CudaOom>, "A GPU ran out of memory.",
             "Look whether the run goes on; next time less memory for the "
             "engine, or a smaller batch."},
    TimeRule{"nccl_failure", kWarns, &Count<NcclFailure>,
             "Communication between GPUs failed or timed out.",
             "Look for an earlier death of an actor: this is often its echo."},
    TimeRule{"retry_loop", kWarns, &Count<RetryLoop>,
             "The same thing is tried again and again, with no step in "
             "between.",
             "Look at what is retried: a judge, an engine or a download that "
             "does not answer."},
};

}  // namespace

std::span<const TimeRule> RecordRules() { return kRules; }

RecordedEnd RecordedEndOf(const RecordedRun& run) {
  if (run.status == "failed") return RecordedEnd::kFailed;
  if (run.status == "stopped" || run.status == "cancelled") {
    return RecordedEnd::kStopped;
  }
  return run.status == "completed" ? RecordedEnd::kCompleted
                                   : RecordedEnd::kNone;
}

RecordView RecordViewOf(const StateInputs& inputs) {
  const RecordedRun& run = *inputs.recorded;
  const double now = inputs.times.now;
  const auto since = [now](const std::optional<double>& time) {
    return time ? std::optional(std::max(0.0, now - *time)) : std::nullopt;
  };
  RecordView view;
  if (run.status == "running") view.status = RecordStatus::kRunning;
  if (IsEndedStatus(run.status)) view.status = RecordStatus::kEnded;
  const bool trains =
      run.past_startup || inputs.events.newest_training_line.has_value();
  // Outside of Modal there is none; what trains has started all the same.
  view.has_app_id = !run.record.app_id.empty() || trains;
  if (run.progress.is_active.value_or(true)) view.phase = run.phase;
  const auto& marked = inputs.events.phase;
  if (!view.phase.empty() && inputs.has_log && marked &&
      !IsNewerThanLines(run, inputs.times.written())) {
    view.phase = kRunPhaseNames[static_cast<std::size_t>(*marked)];
  }
  // Older generations state no phase: that says nothing.
  view.only_startup = !trains && !run.phase.empty();
  view.age = since(run.record.created_at ? run.record.created_at
                                         : run.record.started_at);
  if (run.has_updates) view.since_update = since(NewestSign(run));
  if (inputs.has_log) view.log_silence = inputs.times.silence();
  if (inputs.has_log && inputs.has_console) {
    const RunEvents& events = inputs.events;
    view.log_ends_in_error =
        events.severe_burst_is_last() && IsOfTrainer(*events.severe_burst) &&
        !events.severe_burst->interrupted && !events.severe_burst->after_end;
  }
  view.step = inputs.newest_step.value_or(run.progress.current.value_or(0));
  return view;
}

std::optional<double> NextRecordDeadline(const StateInputs& inputs) {
  if (inputs.recorded == nullptr) return std::nullopt;
  const RecordedRun& run = *inputs.recorded;
  if (IsEndedStatus(run.status)) return std::nullopt;
  const FailureOptions& o = OptionsOf(inputs);
  const double now = inputs.times.now;
  std::optional<double> next;
  const auto offer = [&](const std::optional<double>& base, double limit) {
    // Behind it: the rules ask whether more time has gone.
    if (base && *base + limit + 1 > now) {
      next = std::min(next.value_or(*base + limit + 1), *base + limit + 1);
    }
  };
  const std::optional<double> sign = NewestSign(run);
  offer(sign, o.record_silence);
  offer(inputs.times.written(), o.record_silence);
  offer(run.record.created_at, o.record_startup);
  offer(run.record.started_at, o.record_startup);
  const bool waits = sign && now - *sign > o.record_silence;
  if (waits) offer(now - 1, kRefresh);
  return next;
}

}  // namespace rlrun
