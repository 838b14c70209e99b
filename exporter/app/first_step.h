// The first step that a file shows, of training or of generation, to tell
// whether two files show one execution although they print it in different
// ways: with three decimals, with four digits, as 32-bit floats, with some keys
// more or less.
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
  // The same where all values of one have no more than four digits, as newer
  // trainers of Hugging Face print them.
  static constexpr double kRounded = 5.1e-4;

  FirstStep() = default;
  // Lines of so many later steps may come between those of the first: whoever
  // generates is ahead of whoever trains.
  explicit FirstStep(std::int64_t ahead) : ahead_(ahead) {}

  // A line of the loop that is watched. Lines behind it add to it while they
  // are of its step.
  void Note(const StepRecord& record);
  void Clear() { *this = FirstStep(ahead_); }

  std::optional<std::int64_t> step() const { return step_; }

  // Values it has; moves while it is added to.
  std::size_t size() const { return values_.size(); }

  // Measured times that are long enough to tell executions apart, at most
  // eight, of the same keys for all who have them: hash of the key, seconds.
  std::vector<std::pair<std::uint64_t, double>> TellingTimes() const;

  // kSame: a measured time of at least a tenth of a second agrees, which is not
  // rounded to four digits, and no value of both differs. kDifferent: a value
  // of both differs. Steps of other numbers tell nothing.
  Match Compare(const FirstStep& other) const;

 private:
  struct Value {
    std::uint64_t key = 0;  // its hash
    double value = 0;
    bool measured = false;  // a time
  };

  std::int64_t ahead_ = 0;
  std::optional<std::int64_t> step_;
  bool closed_ = false;
  bool rounded_ = true;
  std::vector<Value> values_;  // by key, at most 128
};

}  // namespace rlrun
