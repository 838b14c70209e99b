// What the lines between the step lines tell of a run: errors, what it is doing
// now, how far the current step is, what its engines say, how it ended. Values
// are as printed; what they mean for a run's state is decided elsewhere.
// Everything here is bounded however many lines were read: of most things only
// the newest is kept, of errors the counts, the first and the newest burst.
// Texts are redacted (values/redact.h) and at most kMaxEventText bytes.
// Plain data; freely moved between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parsers/model/log_error.h"
#include "parsers/model/log_mark.h"
#include "parsers/model/run_phase.h"

namespace rlrun {

inline constexpr std::size_t kMaxEngines = 256;  // replicas of one source
inline constexpr std::size_t kMaxQueueValues = 64;

// The newest begin and the newest end of a phase. An end without a begin of its
// own: only that the phase was there. A step line of training ends all phases.
struct PhaseMarks {
  std::optional<LogMark> begin;
  std::optional<LogMark> end;
};

// One replica's newest readings. Rates are tokens per second, ratios 0..1.
struct EngineReading {
  std::string engine;  // `<ip or local>:<pid or ->/<NNN or all>`
  LogMark at;
  std::optional<double> prompt_rate, generation_rate;
  std::optional<double> running, waiting;  // requests
  std::optional<double> kv_cache_usage, prefix_hit_ratio;
};

// Progress inside the current step.
struct SampleProgress {
  LogMark at;
  std::int64_t collected = 0, required = 0;
};

struct QueueStatistics {
  LogMark at;
  std::vector<std::pair<std::string, double>> values;  // keys as printed
};

// Lines by which the parts of an asynchronous run steer each other.
enum class ControlKind : std::uint8_t {
  kHeartbeat = 0,  // value: global step
  kPause,          // the rollouter waits: queue full (value: size), stale
  kDrain,          // it waits for running tasks
  kResume,         // it goes on (value: tasks still active, where printed)
  kParamSync,      // weights went to the engines (value: seconds)
  kQueue,          // message queue (value: samples in it)
};
inline constexpr std::size_t kControlKinds = 6;
struct ControlMark {
  LogMark at;
  std::optional<double> value;
};

enum class TrialLineKind : std::uint8_t {
  kFinished = 0,  // `[Trial] ...`
  kTimeout,
  kNonzeroExit,
  kNoVerifier,
  kException,
  kInvalid,  // empty or invalid trajectory
};
inline constexpr std::size_t kTrialLineKinds = 6;

struct ResumeMark {
  LogMark at;
  bool from_scratch = false;
  std::optional<std::int64_t> step;
};

enum class EndKind : std::uint8_t {
  kTrainer,    // the trainer says that it is through
  kAmbiguous,  // printed at a normal end and at a failure
  kWrapper,    // a script around it says so: proves nothing
};
struct EndMark {
  LogMark at;
  EndKind kind = EndKind::kTrainer;
};

// How W&B says that the process ended which logged to it.
struct RecordedExit {
  LogMark at;
  std::int32_t code = 0;  // 0: in peace
};

// A line of a class that is counted near the end of a text: http_auth,
// cuda_oom, nccl, retry.
struct RecentLine {
  LogErrorKind kind = LogErrorKind::kRetry;
  std::uint64_t offset = 0;
  std::uint64_t line = 0;  // its number in the text, from 1
};
inline constexpr std::size_t kRecentLines = 200;

// The run of W&B that a text tells of.
struct ToldWandbRun {
  std::string id;        // the first; empty: none
  bool several = false;  // it tells of others, too
  bool operator==(const ToldWandbRun&) const = default;

  void Add(const ToldWandbRun& more) {
    several = several || more.several ||
              (!id.empty() && !more.id.empty() && id != more.id);
    if (id.empty()) id = more.id;
  }
};

struct LogEvents {
  // Lines of each kind; one line counts once per kind.
  std::array<std::uint64_t, kLogErrorKinds> errors{};
  std::vector<RecentLine> recent;          // of the newest kRecentLines lines
  std::uint64_t newest_line = 0;           // its number; 0: nothing was read
  std::optional<ErrorBurst> first_burst;   // the first that began here
  std::optional<ErrorBurst> newest_burst;  // may have begun in older facts
  std::optional<ErrorBurst> severe_burst;  // the newest one that is severe
  std::optional<LogText> interrupt;        // KeyboardInterrupt or SIGTERM
  std::optional<EndMark> end;              // newest; kTrainer is not replaced
  std::optional<RecordedExit> exit;
  std::optional<ToldWandbRun> wandb;  // all so far; absent: nothing new
  std::optional<ResumeMark> resume;
  std::array<PhaseMarks, kRunPhases> phases;
  // The phase of the newest mark; kTraining where that was an end.
  std::optional<RunPhase> phase;
  // Seconds by phase that lines of their own tell, not step lines.
  std::array<double, kRunPhases> phase_seconds{};
  std::optional<SampleProgress> samples;
  std::optional<QueueStatistics> queue;
  std::array<std::optional<ControlMark>, kControlKinds> controls;
  std::array<std::uint64_t, kTrialLineKinds> trial_lines{};
  std::vector<EngineReading> engines;  // each replica once
  std::uint64_t engines_dropped = 0;   // lines of replicas beyond kMaxEngines
  // Newest line that is no blank, bar, step line or HTTP access.
  std::optional<LogText> last_activity;
};

}  // namespace rlrun
