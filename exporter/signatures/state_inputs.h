// What time rules, event rules, state and verdict look at beside step findings.
// Views; whoever judges keeps what they point at. Safe to share between threads
// while nobody changes that.
#pragma once

#include <cstdint>
#include <optional>

#include "exporter/signatures/failure_options.h"
#include "exporter/store/process_facts.h"
#include "exporter/store/recorded_run.h"
#include "exporter/store/run_events.h"
#include "exporter/store/run_times.h"

namespace rlrun {

// How a run record says that its run ended.
enum class RecordedEnd : std::uint8_t {
  kNone = 0,  // there is no record, or it says nothing of an end
  kFailed,
  kStopped,  // or cancelled
  kCompleted,
};

struct StateInputs {
  const RunTimes& times;
  const RunEvents& events;
  const ProcessFacts& processes;
  std::optional<std::int64_t> newest_step;  // of training
  std::optional<std::int64_t> total_steps;  // planned
  RecordedEnd record = RecordedEnd::kNone;
  // Its lines tell of errors and ends: a console log, no bare JSONL file.
  bool has_console = true;
  // Its record; null: it has none.
  const RecordedRun* recorded = nullptr;
  bool record_readable = true;  // at the last try
  // False: nothing but a record tells of it.
  bool has_log = true;
  // The classes of record_lines.h are looked for.
  bool counts_lines = false;
  // Numbers of the rules for records; null: the defaults.
  const FailureOptions* failures = nullptr;

  bool alive() const {
    return processes.trainer.alive() || processes.runner.alive();
  }
  bool ever_seen() const {
    return processes.trainer.presence != ProcessPresence::kNeverSeen ||
           processes.runner.presence != ProcessPresence::kNeverSeen;
  }
  // Since when no process of it lives here; absent: one does, or its death is
  // not certain. The trainer's death counts; where none was ever seen, the
  // runner's.
  std::optional<double> dead_since() const;
  // A phase has begun behind the newest training line and not ended.
  bool in_phase(RunPhase phase) const;
  // Every planned step has been printed.
  bool all_steps_done() const {
    return newest_step && total_steps && *newest_step >= *total_steps;
  }
};

}  // namespace rlrun
