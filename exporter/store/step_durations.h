// How long the training steps of a run took: the newest one, and the trailing
// median that a slow step is compared with.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace rlrun {

class StepDurations {
 public:
  // Seconds of one training step. The same step again replaces its value; a
  // smaller step drops what is at or behind it (a resume).
  void Add(std::int64_t step, double seconds);
  void Clear() { points_.clear(); }

  std::optional<double> newest() const;
  // Median of the up to 64 steps before the newest one; absent with fewer
  // than 5 of them.
  std::optional<double> baseline() const;

 private:
  struct Point {
    std::int64_t step;
    double seconds;
  };
  std::deque<Point> points_;
};

}  // namespace rlrun
