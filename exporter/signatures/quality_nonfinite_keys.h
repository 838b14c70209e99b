// Which keys of a run stopped being numbers: keys outside the roles that
// `nan_inf` names, which were finite once and then were not on each of their
// newest steps; and, for the gradient norms, which of their newest printed
// values were finite. The level is quality_nonfinite.cc's.
// Not thread-safe; belongs to one History.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/signatures/key_layouts.h"
#include "exporter/signatures/role.h"
#include "exporter/signatures/series.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class NonfiniteKeys {
 public:
  NonfiniteKeys();

  // Each line with its layout, in text order; the lines of one step count as
  // one. Keys beyond the 4000th are not looked at: the run's cap on keys has
  // counted them.
  void Apply(const StepRecord& record, const KeyLayout& layout);
  // Asks for the memory that Apply() will touch; first the heads, a while later
  // what they point to.
  void PrefetchHeads() const {
    PrefetchTail(keys_, keys_.size());
    PrefetchTail(lines_, lines_.size());
    PrefetchTail(gradient_flags_, gradient_flags_.size());
  }
  void PrefetchPoints() const {
    for (const Series& s : lines_) s.Prefetch();
    for (const Series& s : gradient_flags_) s.Prefetch();
  }
  // Forgets step `step` and later ones, as if they had never been printed.
  void DropFrom(std::int64_t step);

  struct Found {
    std::string_view key;  // verbatim
    std::int64_t step = 0;
    double value = 0;
    std::size_t steps = 0;  // newest ones in a row on which it is not finite
  };
  // The key, not a role of `nan_inf`, that has been non-finite for the most
  // steps in a row after having been finite, where those are at least `steps`
  // and the newest is the newest step of its line class.
  std::optional<Found> Longest(std::size_t steps) const;

  // Per printed value of a gradient norm (kActorGradNorm, kCriticGradNorm,
  // kTrainGradNorm), tied steps included: 1 where not finite, else 0.
  const Series& flags(Role gradient_norm) const;

 private:
  struct Key {
    std::int32_t finite_since = -1;  // step; -1: not yet
    std::uint16_t suspect = 0;       // 1 + its place in suspects_; 0: none
    std::uint8_t gradient = 0;       // 1..3: which gradient norm
    bool named = false;              // a role of `nan_inf`
  };
  // A key from its first bad value behind a finite one on.
  struct Suspect {
    std::string key;
    LineClass line_class = LineClass::kTrain;  // of its newest bad value
    double value = 0;                          // newest bad one
    Series flags;
  };
  Key& KeyOf(const KeyLayout::Key& key);
  void Take(const StepRecord& record, const StepRecord::Pair& pair, Key* key);

  std::vector<Key> keys_;  // by number
  std::vector<Suspect> suspects_;
  std::vector<Series> lines_;           // by line class: its steps
  std::vector<Series> gradient_flags_;  // by gradient norm
};

}  // namespace rlrun
