// Everything that is known of one run, as plain values: who it is, what its log
// said, how far it was read. metrics/ turns it into series.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/store/process_facts.h"
#include "exporter/store/recorded_run.h"
#include "exporter/store/run_events.h"
#include "exporter/store/step_durations.h"
#include "exporter/store/step_state.h"
#include "exporter/store/trial_totals.h"
#include "parsers/model/log_facts.h"

namespace rlrun {

// Who a run is. Fixed when the run is first published.
struct RunIdentity {
  std::string project;  // empty: unknown, and then never written
  std::string run;
  auto operator<=>(const RunIdentity&) const = default;
};

// How far a source was read; all counts since this process first saw it.
struct SourceProgress {
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_behind = 0;
  std::uint64_t bytes_lost = 0;  // known to have been there, never read
  std::uint64_t rotations = 0;
  std::uint64_t truncations = 0;
  std::array<std::uint64_t, kLineOutcomes> lines{};
  std::array<std::uint64_t, kSkipReasons> values_skipped{};
  std::array<std::uint64_t, kConfigOutcomes> config_blocks{};
  std::optional<double> modified_time;  // mtime, Unix seconds
  bool up = false;                      // readable at the last try
};

// Where a run is read from: `log`, `launch`, `jsonl`, `wandb`, `tensorboard`,
// `record`,
// `trials`.
struct RunSource {
  std::string_view name;  // a literal
  bool up = false;        // readable at the last try
  bool operator==(const RunSource&) const = default;
};

struct Run {
  Run(std::size_t max_keys, SeriesBudget* budget) : steps(max_keys, budget) {}

  RunIdentity identity;
  std::string framework = "verl";
  RunMode mode = RunMode::kUnknown;
  std::map<std::string, std::string> labels;  // static labels of its root
  std::string path;                           // of its log
  // In the order in which they are believed, each name once. A run that is
  // still one file alone may have none: then it is `source`.
  std::vector<RunSource> sources;
  std::string source = "log";
  // What its decision rests on: `wandb_ok`, `log_fallback`, `unreachable`, else
  // the name of the source; empty: `source`. A literal.
  std::string_view data_source;
  bool had_wandb = false;   // W&B's files are, or were, among its sources
  SourceProgress progress;  // of all sources together

  StepState steps;
  StepDurations durations;
  std::optional<std::int64_t> total_steps;
  // What its current text states of it; null: nothing.
  std::shared_ptr<const RunFacts> facts;
  RunEvents events;
  // Absent: nobody has looked.
  std::optional<ProcessFacts> processes;
  // Of its trial directories; null: it has none, as far as is known.
  std::shared_ptr<const TrialTotals> trials;

  // Of a run-record store; null: it has no record, as far as is known.
  std::shared_ptr<const RecordedRun> record;

  // Unix seconds; absent where nothing tells.
  std::optional<double> start_time;
  std::optional<double> last_step_time;
};

// It is there, and it could be read at the last try.
inline bool IsSourceUp(const Run& run, std::string_view name) {
  for (const RunSource& source : run.sources) {
    if (source.name == name) return source.up;
  }
  return run.source == name && run.progress.up;
}

// Whether any of its sources is of a kind that `accepts` says yes to.
template <class Accepts>
bool HasSource(const Run& run, Accepts accepts) {
  if (run.sources.empty()) return accepts(std::string_view(run.source));
  for (const RunSource& source : run.sources) {
    if (accepts(source.name)) return true;
  }
  return false;
}

// Lines of a console, which tell of errors and ends.
inline bool HasConsole(const Run& run) {
  return HasSource(run, [](std::string_view name) {
    return name == "log" || name == "launch" || name == "wandb";
  });
}

// What it is doing now: as its lines mark it where they can be read, or as its
// record says where that was written clearly later; empty: not known.
inline std::string_view CurrentPhase(const Run& run) {
  const bool recorded = run.record != nullptr && !run.record->phase.empty();
  const std::optional<double>& written = run.progress.modified_time;
  if (run.events.phase &&
      (!recorded ||
       (run.progress.up && !IsNewerThanLines(*run.record, written)))) {
    return kRunPhaseNames[static_cast<std::size_t>(*run.events.phase)];
  }
  return recorded ? std::string_view(run.record->phase) : std::string_view();
}

// Text that grows while the run goes on.
inline bool HasLog(const Run& run) {
  return HasSource(run, [](std::string_view name) {
    return name != "record" && name != "trials";
  });
}

}  // namespace rlrun
