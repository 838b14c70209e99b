// What the lines between the step lines have told over the life of a run's
// text: errors, how it ended, what it is doing, what its engines say. Takes in
// LogEvents batch by batch; what that means for the run's state or for a
// signature is decided elsewhere.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model/log_facts.h"

namespace rlrun {

// Seconds for which a replica counts as there behind its newest line.
inline constexpr double kEngineLifetime = 300;

// One replica's newest readings and the Unix time of its newest line: when it
// came in, or, for text that was there before, the file's modification time
// less what lies between its stamp and the newest one. Absent where the file
// has no known time.
struct RunEngine {
  EngineReading reading;
  std::optional<double> time;
  bool live = false;  // `time` is an arrival

  bool IsCurrent(double now) const {
    return time && now - *time <= kEngineLifetime;
  }
};

struct RunEvents {
  // Takes in one batch. `live`: the lines came while the file was followed at
  // its end, and `time` is when; else `time` is the file's modification time.
  // Unix seconds.
  void Apply(const LogFacts& facts, bool live, std::optional<double> time);
  // The text that follows does not continue what was read (truncated or
  // replaced): counters stay, what describes the old text goes.
  void StartNewText();

  // Whether the text's newest burst, interrupt, end mark or exit stands behind
  // its newest training line: only then the log ends in it.
  bool burst_is_last() const;
  bool severe_burst_is_last() const;
  bool interrupt_is_last() const;
  bool end_is_last() const;
  bool exit_is_last() const;
  // Progress of the step that is being collected; null: its line has come.
  const SampleProgress* current_samples() const;

  // Moves whenever anything below may have changed.
  std::uint64_t version = 0;

  // Counters, since this process first saw the file.
  std::array<std::uint64_t, kLogErrorKinds> errors{};
  std::array<std::uint64_t, kTrialLineKinds> trial_lines{};
  std::uint64_t engines_dropped = 0;  // lines of replicas beyond kMaxEngines
  // Seconds by phase, of the `timing_s/` of step lines; absent: never printed.
  std::array<std::optional<double>, kRunPhases> phase_seconds{};

  // What follows describes the text.
  // Offset of the newest training line with values; absent: none yet.
  std::optional<std::uint64_t> newest_training_line;
  // `severe_burst`: the newest one of kinds that can stop a run.
  std::optional<ErrorBurst> first_burst, newest_burst, severe_burst;
  std::optional<LogText> interrupt;  // newest
  // Of the marks behind the newest training line, or of all if there is none,
  // the newest of the strongest kind: the trainer's, an ambiguous one, a
  // wrapper's.
  std::optional<EndMark> end;
  // Newest exit that W&B recorded; what was logged behind it came from another
  // process.
  std::optional<RecordedExit> exit;
  std::optional<ResumeMark> resume;
  std::array<PhaseMarks, kRunPhases> phases{};
  std::optional<RunPhase> phase;   // current; absent: no phase was ever marked
  std::uint32_t phases_shown = 0;  // bit p: this text has shown phase p
  std::optional<SampleProgress> samples;
  std::optional<QueueStatistics> queue;
  std::array<std::optional<ControlMark>, kControlKinds> controls{};
  std::vector<RunEngine> engines;  // by name; at most kMaxEngines
  std::optional<LogText> last_activity;
  // Lines of the classes of RecentLine among the newest kRecentLines lines.
  std::vector<RecentLine> recent;

  // How many of them are of the kind and stand behind the newest training line.
  std::size_t CountRecent(LogErrorKind kind) const;

 private:
  void ApplyErrors(const LogEvents& events);
  void ApplyMarks(const LogEvents& events);
  void ApplyPhases(const LogFacts& facts);
  void ApplyEngines(const LogFacts& facts, bool live,
                    std::optional<double> time);
  RunEngine* EngineOf(const std::string& name, std::optional<double> time);
  bool IsBehindTraining(const LogMark& mark) const;

  struct LastTime {
    std::int64_t step = -1;
    double seconds = 0;
    bool operator==(const LastTime&) const = default;
  };

  std::array<LastTime, kRunPhases> last_times_{};
  std::optional<Stamp> newest_stamp_;
};

}  // namespace rlrun
