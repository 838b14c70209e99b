// The scalars that a run has logged, as its metric series holds them: several
// writers' copies of chunks of 1,000 steps, rewritten as they grow. Gives them
// out as step records, each step when it is whole, in the order in which steps
// were first written, so that a retry from an older step is one and a value
// that came late is none.
// Of values of one key the one written last wins, whichever file it stands in.
// What slime and miles log has the names and the loops of their console lines:
// a rollout is told in parts, before and behind the steps that it is used for.
// Not thread-safe; belongs to one RecordRun.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "parsers/model/run_record.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class MetricSeries {
 public:
  // A newest step is given out when it has not changed for this long (seconds)
  // although no newer one has come: writers flush every 5 s.
  static constexpr double kSettled = 10;

  // The newest text of the file called `name`.
  void Put(const std::string& name, MetricChunk chunk);
  // The file does not change any more: behind the next Take its text is
  // forgotten.
  void Close(const std::string& name);
  // The run is one of slime or miles, whatever its keys look like.
  void SetSlime() { slime_ = true; }

  // What has become whole since the last call. `wall`: Unix seconds; `at_end`:
  // no more will be written.
  std::vector<StepRecord> Take(double wall, bool at_end);

  // Newest write of any value; absent: none is stated.
  const std::optional<double>& newest_write() const { return newest_write_; }
  // Of the newest step that was given out.
  const std::optional<double>& step_time() const { return step_time_; }

 private:
  // Steps of one axis are one sequence. In the order in which a trainer comes
  // by them: generation, what training makes of a rollout, its steps, the times
  // of all that, evaluation.
  enum class Axis : std::uint8_t { kMade = 0, kRollout, kTrain, kTimes, kEval };
  static constexpr std::size_t kAxes = 5;
  using Values = std::map<std::string, MetricChunk::Value, std::less<>>;
  struct File {
    MetricChunk chunk;
    bool closed = false;
  };
  struct Given {  // what was given out last of an axis
    std::int64_t step = 0;
    double written = 0;
    std::size_t keys = 0;
  };
  struct Open {  // the newest step, while it may still grow
    std::int64_t step = 0;
    std::size_t keys = 0;
    double since = 0;  // wall time of its newest change
  };
  // A step of one axis, ready to be put in order.
  struct Ready {
    double written = 0;
    std::int64_t step = 0;
    const Values* values = nullptr;
  };

  using Steps = std::map<std::int64_t, Values>;

  void NoteKey(const std::string& key, const std::string& axis);
  Axis AxisOf(const std::string& key, const std::string& axis) const;
  std::array<Steps, kAxes> Merged() const;
  void Classify(Axis axis, StepRecord* record) const;
  void TakeAxis(Axis axis, const Steps& merged, double wall, bool at_end,
                std::vector<std::pair<double, StepRecord>>* out);
  bool IsWhole(Axis axis, const Ready& newest, double wall);

  std::map<std::string, File> files_;
  std::optional<Given> given_[kAxes];
  std::optional<Open> open_[kAxes];
  std::optional<double> newest_write_, step_time_;
  std::uint64_t next_offset_ = 1;
  bool changed_ = false;
  bool slime_ = false;   // its keys, or those of miles
  bool policy_ = false;  // of slime: a loss of a policy was seen
};

}  // namespace rlrun
