// Some training steps of a file, from the first to the newest: what tells two
// files of one execution from two executions that begin alike, where the lines
// hold no measured time (first_step.h). Runs of one seed show equal first
// values; whether they are one, more steps and their times tell.
// The first ones are kept, and others by number (each, then each second,
// fourth, ...), so that two files keep the same ones. What a schedule fixes
// (rate, epoch, tokens) is not kept. Not thread-safe; only the thread that runs
// Tick touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parsers/model/step_record.h"

namespace rlrun {

// Digits of the shortest decimal that is the same 32-bit float; 0 for what is
// no number.
int SignificantDigits(double value);

class StepTrail {
 public:
  static constexpr std::size_t kMostSteps = 32;
  static constexpr std::size_t kFirstSteps = 8;   // all of which are kept
  static constexpr std::size_t kMostValues = 16;  // of a step
  // Common steps that prove something.
  static constexpr std::size_t kEnough = 3;

  // A training line, `time` (Unix seconds) where it is known when it was
  // logged. A smaller step than before drops what is behind it.
  void Note(const StepRecord& record, std::optional<double> time);
  void Clear() { *this = {}; }

  std::size_t size() const { return steps_.size(); }
  bool empty() const { return steps_.empty(); }
  // The newest step that was noted, kept or not; there must be one.
  std::int64_t newest() const { return newest_; }
  // Moves when enough is kept that was not before, or something was dropped.
  std::uint64_t version() const { return version_; }
  // Some step has a time.
  bool timed() const;

  struct Likeness {
    bool differ = false;        // a value of both, of one step
    std::size_t common = 0;     // steps
    std::size_t steps = 0;      // of these, in which something telling agrees
    std::optional<double> lag;  // the longest between times of one step, s
    bool same() const { return !differ && steps >= kEnough; }
  };
  // Values agree where one is the other as a 32-bit float or, of a file that
  // prints no more than four digits, as rounded to those. A value tells if it
  // has four digits and is another one than on the common step before.
  Likeness Compare(const StepTrail& other) const;

  // When a step was, or will have been, logged: between kept steps and beyond
  // them at their own pace. Absent: fewer than two steps have times, and none
  // of them is this one.
  std::optional<double> TimeAt(std::int64_t step) const;
  // Seconds from one step to the next; 0: unknown.
  double pace() const;

 private:
  struct Value {
    std::uint32_t key = 0;  // of its hash
    float value = 0;
  };
  struct Step {
    std::int64_t step = 0;
    std::optional<double> time;
    std::vector<Value> values;  // by key
  };
  void Add(std::string_view key, double value, Step* step);
  void Thin();

  std::vector<Step> steps_;
  std::int64_t stride_ = 1;
  std::int64_t newest_ = -1;
  std::uint64_t version_ = 0;
  bool rounded_ = true;  // no value has more than four digits
};

}  // namespace rlrun
