// How long the training steps of a run took: the newest one, and the trailing
// median that a slow step is compared with.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace rlrun {

class StepDurations {
 public:
  // Seconds of one training step. The same step again replaces its value; a
  // smaller step drops what is at or behind it (a resume).
  void Add(std::int64_t step, double seconds);
  // The newest training step, whose duration may not be known (yet).
  void NoteStep(std::int64_t step) { newest_step_ = step; }

  // Of the newest step; absent where that is not known.
  std::optional<double> newest() const;
  // Median of the up to 64 steps before the newest one; absent with fewer
  // than 5 of them.
  std::optional<double> baseline() const;
  // Mean of the up to `most` newest durations; absent with none.
  std::optional<double> mean(std::size_t most) const;
  std::size_t size() const { return points_.size(); }  // that are kept

 private:
  struct Point {
    std::int64_t step;
    double seconds;
  };
  std::deque<Point> points_;
  std::optional<std::int64_t> newest_step_;
};

}  // namespace rlrun
