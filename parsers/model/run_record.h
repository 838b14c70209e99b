// What the documents of a run-record store state of one run: training-gym,
// modal-dojo. Four generations of one schema: every field may be missing, and
// words of closed sets are kept as text, since the next generation has more of
// them. What is not stated is absent or empty, never 0.
// Times are Unix seconds. Texts that people will see are redacted and bounded.
// Plain data; freely moved between threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {

// Bytes that are kept of any text of a record.
inline constexpr std::size_t kMaxRecordText = 300;

// Where the run is in its loop.
struct RecordedProgress {
  std::string phase;  // `generate_rollouts`; empty: not stated
  std::optional<double> updated_at;
  std::optional<bool> is_active;  // false: it waits for a GPU in that phase
  std::optional<std::int64_t> current, total;  // of `unit`, 1-based
  std::optional<std::int64_t> rollout_id;      // 0-based
  bool operator==(const RecordedProgress&) const = default;
};

struct RecordedRollout {
  std::int64_t id = 0;
  std::optional<double> created_at;
  std::optional<std::int64_t> samples;
  std::optional<double> mean_reward;  // may be NaN
  std::optional<double> seconds;
  bool operator==(const RecordedRollout&) const = default;
};

// `training-runs/<id>.json`; of a document with newer progress of the same run
// (`training-run-updates/`) only some fields.
struct RunRecord {
  std::string id;         // training_run_id
  std::string framework;  // `slime`, `miles`
  std::string status;     // `running`, `completed`, `failed`, `stopped`, ...
  std::string phase;      // framework_status
  std::string app_id;     // modal_app_id
  std::string app_name;
  std::string error;    // error_message; redacted
  std::string project;  // of its metrics
  std::string group;
  std::string metric_run_id;  // of W&B or its like
  std::string model;
  std::optional<double> created_at, started_at, updated_at;
  // Of whatever end it was: a failed run has it as well.
  std::optional<double> ended_at;
  std::optional<double> lr;
  std::optional<std::int64_t> attempts;
  std::string attempt_status;  // of the newest attempt
  RecordedProgress progress;
  std::optional<RecordedRollout> latest_rollout;
  // Seconds by phase, where the record itself holds them (older generations).
  std::map<std::string, double> phase_seconds;
  bool operator==(const RunRecord&) const = default;
};

// `substep-timing/<id>/<rollout>__<role>.json`.
struct RecordedTiming {
  std::map<std::string, double> phase_seconds;
  std::optional<double> end;  // of the phase that ended last, Unix seconds
  bool final = false;         // nothing will be added
};

// One file of `metric-series/<id>/`: what one writer has logged of up to 1,000
// steps.
struct MetricChunk {
  struct Value {
    double value = 0;
    double written = 0;  // 0: not stated
    std::string axis;    // `train/step`, `rollout/step`; empty: not stated
  };
  std::map<std::int64_t, std::map<std::string, Value, std::less<>>> steps;
};

}  // namespace rlrun
