// The clock of a scenario: seconds of the run, and how loggers print them.
// All stamps are UTC. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace rlrun::scenarios {

class WallClock {
 public:
  // `speed`: seconds of the stamps per second of the run.
  WallClock(std::int64_t start, double speed) : start_(start), speed_(speed) {}

  void Advance(double seconds) { seconds_ += seconds; }
  double seconds() const { return seconds_; }  // of the run
  double now() const {                         // Unix time
    return static_cast<double>(start_) + seconds_ * speed_;
  }
  std::string Full() const;       // `2026-03-02 09:14:07,000`
  std::string MonthDay() const;   // `03-02 09:14:07`
  std::string TimeOfDay() const;  // `09:14:07.000`

 private:
  std::string Format(const char* format) const;

  std::int64_t start_;
  double speed_;
  double seconds_ = 0;
};

}  // namespace rlrun::scenarios
