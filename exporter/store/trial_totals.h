// What the trial directories of one run add up to: finished trials by how they
// ended, rewards, durations, tokens, what is running now. A trial that is not
// scored adds nothing to the rewards.
// Plain data; copied between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/model/trial_result.h"

namespace rlrun {

enum class TrialSplit : std::uint8_t { kTrain = 0, kVal, kUnknown };
inline constexpr std::size_t kTrialSplits = 3;
inline constexpr std::array<std::string_view, kTrialSplits> kTrialSplitNames = {
    "train", "val", "unknown"};

// Upper bounds of buckets; one more bucket holds what lies above.
inline constexpr std::array<double, 9> kTrialRewardBounds = {
    -1, -0.5, -0.1, 0, 0.1, 0.25, 0.5, 0.75, 1};
inline constexpr std::array<double, 14> kTrialSecondsBounds = {
    1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 2400, 3600, 7200, 14400};

// A sum that does not depend on the order of its parts: whole billionths. Parts
// beyond +-1e6, and sums beyond +-9e9, are cut there.
class ExactSum {
 public:
  void Add(double value);
  void Add(const ExactSum& other);
  double value() const { return static_cast<double>(billionths_) / 1e9; }
  bool operator==(const ExactSum&) const = default;

 private:
  void AddBillionths(std::int64_t n);
  std::int64_t billionths_ = 0;
};

// Counts by bucket (not cumulative) and the sum of what was observed.
template <std::size_t N>
struct BucketCounts {
  std::array<std::uint64_t, N + 1> counts{};
  ExactSum sum;

  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const std::uint64_t c : counts) n += c;
    return n;
  }
  void Observe(const std::array<double, N>& bounds, double value) {
    std::size_t i = 0;
    while (i < N && value > bounds[i]) ++i;
    ++counts[i];
    sum.Add(value);
  }
  void Add(const BucketCounts& other) {
    for (std::size_t i = 0; i <= N; ++i) counts[i] += other.counts[i];
    sum.Add(other.sum);
  }
  bool operator==(const BucketCounts&) const = default;
};

inline constexpr std::size_t kMaxTrialExceptions = 50;
// What further types of exceptions, and reasons of drops, are counted under.
inline constexpr std::string_view kOtherTrials = "other";

struct TrialSplitTotals {
  std::array<std::uint64_t, kTrialReasons> finished{};
  std::uint64_t scored = 0, solved = 0;             // solved: reward > 0
  BucketCounts<kTrialRewardBounds.size()> rewards;  // its sum too
  std::array<BucketCounts<kTrialSecondsBounds.size()>, kTrialStages> seconds;
  std::map<std::string, std::uint64_t, std::less<>> exceptions;  // by type
  std::array<std::uint64_t, kTrialTokenKinds> tokens{};
  std::map<std::string, std::uint64_t, std::less<>> dropped;  // by reason
  std::uint64_t running = 0, stuck = 0;                       // directories now

  std::uint64_t finished_all() const;
  void Count(const TrialResult& trial);
  void CountDropped(std::string_view reason);
  void Add(const TrialSplitTotals& other);
  bool operator==(const TrialSplitTotals&) const = default;
};

struct TrialTotals {
  std::array<TrialSplitTotals, kTrialSplits> splits;
  // The first walk has reached the end.
  bool complete = false;
  bool up = false;  // the directories could be listed at the last try
  std::uint64_t unreadable_results = 0;  // no results, however often tried
  std::uint64_t malformed_lines = 0;     // of the files of dropped trials
  // Newest change of a step's directory, Unix seconds.
  std::optional<double> newest_change;

  TrialSplitTotals& of(TrialSplit split) {
    return splits[static_cast<std::size_t>(split)];
  }
  const TrialSplitTotals& of(TrialSplit split) const {
    return splits[static_cast<std::size_t>(split)];
  }
  void Add(const TrialTotals& other);
  bool operator==(const TrialTotals&) const = default;
};

}  // namespace rlrun
