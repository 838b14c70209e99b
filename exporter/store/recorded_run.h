// What a run-record store holds of one run, put together from its documents:
// the record, newer progress beside it, rollouts, times of phases. Steps of its
// metric series are not in here; they are step records like those of a log.
// Plain data; copied between threads. Times are Unix seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model/run_record.h"

namespace rlrun {

// Newest rollouts of which everything is kept.
inline constexpr std::size_t kShownRollouts = 5;

struct RecordedRun {
  // As it was read last; status and progress never go back because of a writer
  // that has saved an older copy.
  RunRecord record;
  std::string status;         // a result beside it makes it `completed`
  std::string phase;          // newest that is stated; empty: none
  RecordedProgress progress;  // newest of all documents
  // Newest sign of life in any of its documents; absent: none has a time.
  std::optional<double> updated_at;
  // When a document of it was last seen to change, by the clock of whoever
  // reads; absent: none was while it was followed.
  std::optional<double> changed_at;
  // Updates of the record itself, its progress or its rollouts alone are what
  // `possibly_stuck` is judged by: older generations have none.
  bool has_updates = false;
  std::optional<double> last_step_time;  // of its metric series

  std::uint64_t rollouts = 0;           // known ones
  bool rollouts_listed = false;         // some summary counts them
  std::vector<RecordedRollout> newest;  // the last kShownRollouts, by id
  std::map<std::string, double> phase_seconds;
  bool past_startup = false;  // some phase behind those of start-up was seen
  std::uint64_t bad_documents = 0;  // that are no whole JSON at the last try

  bool operator==(const RecordedRun&) const = default;
};

// It speaks of later than lines whose newest was `written` (Unix seconds).
inline bool IsNewerThanLines(const RecordedRun& run,
                             const std::optional<double>& written) {
  constexpr double kClearly = 5;  // seconds; a log is written more often
  return written && run.progress.updated_at &&
         *run.progress.updated_at > *written + kClearly;
}

// Before the first rollout can begin.
inline bool IsStartupPhase(std::string_view phase) {
  constexpr std::array<std::string_view, 6> kStartup = {
      "initializing",    "download_model",      "convert_model",
      "prepare_dataset", "initialize_rollouts", "deploy_spindle"};
  return std::find(kStartup.begin(), kStartup.end(), phase) != kStartup.end();
}

// The words with which a record says that its run has ended.
inline bool IsEndedStatus(std::string_view status) {
  return status == "completed" || status == "failed" || status == "stopped" ||
         status == "cancelled";
}

}  // namespace rlrun
