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
#include <unordered_map>
#include <vector>

#include "exporter/signatures/role.h"
#include "exporter/signatures/series.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class NonfiniteKeys {
 public:
  NonfiniteKeys();

  // Each line, in text order; the lines of one step count as one. Keys beyond
  // the 4000th are not looked at: the run's cap on keys has counted them.
  void Apply(const StepRecord& record);
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
    LineClass line_class = LineClass::kTrain;  // of its newest value taken
    bool named = false;                        // a role of `nan_inf`
    std::uint8_t gradient = 0;                 // 1..3: which gradient norm
    std::optional<std::int64_t> finite_since;
    std::vector<Series> flags;  // one, from the first bad value behind it on
    double value = 0;           // newest bad one
  };
  // Lines repeat their keys: which keys a line's key_text stands for.
  struct Layout {
    std::string key_text;
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> keys;
    bool validates = false;  // some are validation keys
  };
  const Layout& LayoutOf(const StepRecord& record);
  std::uint32_t NumberOf(std::string_view key);
  void Take(const StepRecord& record, const StepRecord::Pair& pair,
            std::uint32_t number);

  std::vector<Key> keys_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::uint32_t> flagged_;  // keys that have flags
  std::vector<Layout> layouts_;
  std::size_t next_layout_ = 0;
  std::vector<Series> lines_;           // by line class: its steps
  std::vector<Series> gradient_flags_;  // by gradient norm
};

}  // namespace rlrun
