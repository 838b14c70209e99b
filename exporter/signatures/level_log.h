// What rules and checks found on each of the newest steps, and what follows
// from it: the published level is the highest of the last evaluated steps, a
// rule that was not evaluated for long is withdrawn (signatures.md, "Common
// rules"). Dropping steps restores what held before them.
// Not thread-safe; belongs to one Judge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "exporter/signatures/level.h"
#include "exporter/store/prefetch.h"

namespace rlrun {

// What a rule found on one step.
enum class Raw : std::uint8_t {
  kNotEvaluated = 0,
  kNone,  // kNone + level: evaluated
  kInfo,
  kWarning,
  kCritical,
  kNotApplicable
};
constexpr Raw RawOf(Level level) {
  return static_cast<Raw>(static_cast<unsigned>(level) + 1u);
}
constexpr std::optional<Level> LevelOf(Raw raw) {
  if (raw == Raw::kNotEvaluated || raw == Raw::kNotApplicable) return {};
  return static_cast<Level>(static_cast<unsigned>(raw) - 1u);
}

// Where one rule stands after some steps.
struct LevelTrack {
  std::array<Level, 3> last{};  // of the newest evaluated steps
  std::uint8_t evaluated = 0;   // of `last`
  std::uint8_t idle = 0;        // steps since the newest evaluated one
  bool applies = false;         // evaluated, and not withdrawn since
  Level published = Level::kNone;
  std::uint32_t failing = 0;  // newest evaluated steps in a row with a level
  std::int32_t failing_since = 0;  // the first of these
  std::int32_t since = 0;     // step on which it became active, while it is
  std::int32_t cleared = -1;  // step on which it cleared last; -1: never
};

class LevelLog {
 public:
  struct Rules {
    std::size_t window = 3;  // evaluated steps whose highest level holds; 1..3
    std::size_t withdraw_after = 20;  // steps; 0: never
    std::size_t capacity = 512;       // steps that can be dropped again
  };
  LevelLog(std::size_t columns, Rules rules);

  // A step, 0 <= step < 2^31, begins on which nothing is evaluated yet; it is
  // behind the others.
  void Begin(std::int64_t step);
  // What `column` found on the newest step; replaces what it found before.
  void Set(std::size_t column, Raw raw);
  void DropFrom(std::int64_t step);
  // The level of the newest evaluated step alone holds for the column.
  void HoldNewestOnly(std::size_t column) { newest_only_[column] = true; }

  void Prefetch() const {
    PrefetchTail(before_, before_.size());
    PrefetchTail(now_, now_.size());
    if (!raws_.empty()) PrefetchBytes(&raws_.back(), 1);
  }

  std::optional<std::int64_t> newest() const {
    if (steps_.empty()) return std::nullopt;
    return steps_.back();
  }
  // Of the newest step; kNotEvaluated without one.
  Raw raw(std::size_t column) const;
  const LevelTrack& now(std::size_t column) const { return now_[column]; }
  // Before the newest step.
  const LevelTrack& before(std::size_t column) const { return before_[column]; }

 private:
  Raw At(std::size_t row, std::size_t column) const;
  void Advance(std::size_t row, std::size_t column, Raw raw,
               LevelTrack* track) const;
  void Fold(std::size_t row, std::vector<LevelTrack>* tracks) const;

  std::size_t columns_;
  Rules rules_;
  std::vector<bool> newest_only_;  // by column
  std::deque<std::int32_t> steps_;
  std::deque<std::uint8_t> raws_;  // two columns a byte, row by row
  // Before the first kept step, before the newest one, and now.
  std::vector<LevelTrack> base_, before_, now_;
  std::optional<std::int64_t> base_step_;  // the newest one in base_
};

}  // namespace rlrun
