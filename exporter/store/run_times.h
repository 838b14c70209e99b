// When things happened to a run: the clocks that its time rules are judged by.
// RunTimes is what is known at one moment, RunTimeline gathers it from the text
// and from what was seen of the file. What that means is decided elsewhere.
// All times are Unix seconds, all lengths seconds. Apart from what was seen
// live (growth, arrivals) the same text gives the same values again.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "parsers/model/log_facts.h"

namespace rlrun {

struct RunTimes {
  double now = 0;
  std::optional<double> mtime;   // of the log, perhaps in the future
  std::optional<double> growth;  // newest growth of it that was seen live
  // Newest stamp of the text; absent where it does not tell how long the text
  // went on.
  std::optional<double> last_stamp;
  bool readable = true;  // the source, at the last try

  // Inside one completed training step; 0: none is known.
  double longest_silence = 0;
  std::optional<double> step_seconds;  // median of its own steps
  std::optional<double> longest_validation;
  std::optional<double> longest_checkpoint;

  std::optional<double> step_time;   // the newest step came
  std::optional<double> start_time;  // the run began
  // The file was first seen at its end.
  std::optional<double> watched_since;
  // It grew again after having been silent for kLongSilence.
  std::optional<double> grown_since;
  std::optional<double> trial_time;  // newest change of a trial directory

  // Training lines, of this text and before it: what moves when one comes.
  std::uint64_t training_lines = 0;
  std::uint64_t texts = 0;  // that began anew

  // Newest write that is known; may lie in the future.
  std::optional<double> written() const;
  // now - written(); a write in the future counts as now. Absent: no write is
  // known.
  std::optional<double> silence() const;
};

class RunTimeline {
 public:
  // A silence after which growth is a new beginning.
  static constexpr double kLongSilence = 1800;

  // What one read of the source brought. `arrival`: when, if it came while the
  // file was followed at its end. Call NoteSource behind it.
  void Apply(const LogFacts& facts, std::optional<double> arrival);
  // The state of the source: readable or not, and its mtime.
  void NoteSource(bool readable, std::optional<double> mtime);
  void NoteTrial(double changed);
  // The text that follows does not continue what was read.
  void StartNewText();

  // Everything but `now`, `step_time`, `start_time` and `watched_since`, which
  // the caller knows.
  const RunTimes& times() const { return times_; }

 private:
  void NoteGrowth(double time);
  void NoteStep(const StepRecord& record, std::optional<double> arrival);
  void NoteRolloutTime(const StepRecord& record);
  void NoteTrainingStep(const StepRecord& record,
                        std::optional<double> arrival);
  void NoteDuration(std::int64_t step, double seconds);

  RunTimes times_;
  bool blind_ = false;  // could not be read since the newest growth
  // Of the step under way.
  double step_silence_ = 0;
  bool step_interrupted_ = false;        // another launch began in it
  std::optional<std::uint64_t> resume_;  // offset of the newest resume mark
  // Of the newest training step.
  std::optional<std::int64_t> step_;
  std::uint64_t step_end_ = 0;
  int steps_of_rollout_ = 0;  // training lines since its time was told
  std::optional<double> arrival_;
  std::deque<std::pair<std::int64_t, double>> durations_;
};

}  // namespace rlrun
