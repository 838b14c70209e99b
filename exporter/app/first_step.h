// The first training step that a file shows, to tell whether two files show one
// execution although they print it in different ways: with three decimals, as
// 32-bit floats, with some keys more or less.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "parsers/model/step_record.h"

namespace rlrun {

class FirstStep {
 public:
  enum class Match : std::uint8_t { kUnknown, kSame, kDifferent };
  // What may lie between two prints of one value: half of the last of three
  // decimals, and what a 32-bit float loses.
  static constexpr double kAbsolute = 6e-4;
  static constexpr double kRelative = 1e-6;

  // A line of training. Lines behind it add to it while they are of its step.
  void Note(const StepRecord& record);
  void Clear() { *this = {}; }

  std::optional<std::int64_t> step() const { return step_; }
  // Seconds: the longest time that was measured in it; 0: none.
  double longest() const { return longest_; }

  // Values it has; moves while it is added to.
  std::size_t size() const { return values_.size(); }

  // kSame: a measured time of at least a tenth of a second agrees, and no value
  // of both differs. kDifferent: a value of both differs. Steps of other
  // numbers tell nothing.
  Match Compare(const FirstStep& other) const;

 private:
  struct Value {
    std::uint64_t key = 0;  // its hash
    double value = 0;
    bool measured = false;  // a time
  };

  std::optional<std::int64_t> step_;
  bool closed_ = false;
  double longest_ = 0;
  std::vector<Value> values_;  // by key, at most 128
};

}  // namespace rlrun
