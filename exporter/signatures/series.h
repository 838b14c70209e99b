// The newest points of one role, and the medians that the rules are written in
// (signatures.md, "Common rules"). A point is a training step on which the
// value is finite; who adds points decides that. Dropping the points of a
// rewind restores everything as it was before they came. Not thread-safe;
// belongs to one Judge.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exporter/store/median.h"
#include "exporter/store/prefetch.h"

namespace rlrun {

// What a point can carry of all points up to and with itself, also of those
// that are not kept any more. NaN where it is not known yet.
enum class Carried : std::uint8_t {
  kM10 = 0,
  kM50,
  kMin,      // smallest and largest value so far
  kMax,      //
  kMaxLate,  // largest value so far, the first 10 points left out
  kMaxM10,   // largest M_10 so far
  kMinM50,   // smallest and largest M_50 so far
  kMaxM50,   //
  kNoise,    // Noise(0)
  kCount
};
inline constexpr std::size_t kCarried =
    static_cast<std::size_t>(Carried::kCount);
constexpr std::uint16_t CarriedBit(Carried c) {
  return static_cast<std::uint16_t>(1u << static_cast<unsigned>(c));
}

class Series {
 public:
  // Asks for the memory that Add() and the medians of the newest points will
  // touch: of many runs, little is in a cache when its step comes.
  void Prefetch() const {
    if (values_.empty()) return;
    PrefetchTail(values_, 68);
    PrefetchTail(steps_, 2);
    for (const std::vector<double>& column : columns_) PrefetchTail(column, 12);
  }

  // At most `capacity` points are kept (a few more at times), the newest 224 of
  // them with the columns `carried` (CarriedBit). 0: none, Add does nothing.
  explicit Series(std::size_t capacity = 512, std::uint16_t carried = 0)
      : capacity_(capacity),
        carried_bits_(carried),
        columns_(static_cast<std::size_t>(std::popcount(carried))) {}

  // Steps ascend; value is finite.
  void Add(std::int64_t step, double value);
  // Drops every point of step `step` and later ones, also from the first ten.
  // Where that is all that is kept and older ones were, the series goes on from
  // what is left of the first ten; where it is more than carries columns, these
  // are of the points that are kept.
  void DropFrom(std::int64_t step);
  // Marks the newest point as a spike: T leaves up to two in a row of them out.
  void MarkSpike();
  // The `back`-th newest point was marked.
  bool spike(std::size_t back) const;
  void Clear();

  // Points since the run began, those not kept any more included.
  std::size_t count() const { return dropped_ + values_.size(); }
  // Points that are kept, the oldest first.
  std::span<const double> values() const { return values_; }
  std::span<const std::int32_t> steps() const { return steps_; }
  // The newest point and the `back`-th before it; back < values().size().
  double newest(std::size_t back = 0) const {
    return values_[values_.size() - 1 - back];
  }
  std::int64_t newest_step(std::size_t back = 0) const {
    return steps_[steps_.size() - 1 - back];
  }

  // One number per point, the newest last; empty where the series has no such
  // column.
  std::span<const double> carried(Carried c) const {
    if ((carried_bits_ & CarriedBit(c)) == 0) return {};
    return columns_[ColumnOf(c)];
  }

  // M_k of the points before the `skip` newest ones; absent with fewer than k.
  std::optional<double> M(std::size_t k, std::size_t skip = 0) const;
  // Median of the first k <= 10 points of the run; absent with fewer than k.
  std::optional<double> First(std::size_t k) const;
  // F: median of the first 5 points of the run; absent before the fifth.
  std::optional<double> F() const {
    return first_.size() < kOfF ? std::nullopt : std::optional(f_);
  }
  // T: median of the up to 64 points before the last `k`, without the first 10
  // of the run and without spikes; absent with fewer than 20 such points.
  std::optional<double> T(std::size_t k) const;
  // U = max(F, T), or F while there is no T; absent without F.
  std::optional<double> U(std::size_t k) const;
  // max(1.0483 x median of the last 64 |x_i - x_(i-1)|, quantum); absent with
  // fewer than 2 points. As it was before the `skip` newest points came.
  std::optional<double> Noise(double quantum, std::size_t skip = 0) const;

 private:
  std::size_t ColumnOf(Carried c) const {
    return static_cast<std::size_t>(
        std::popcount(carried_bits_ & (CarriedBit(c) - 1u)));
  }
  // Noise without a quantum, of the kept points before index `end`.
  std::optional<double> JitterBefore(std::size_t end) const;
  void Trim();
  void Restart();
  void AddCarried(double value);
  void RebuildCarried();

  std::size_t capacity_;
  std::uint16_t carried_bits_;
  std::size_t dropped_ = 0;  // points that were pushed out at the front
  std::vector<double> values_;
  std::vector<std::int32_t> steps_;
  std::vector<std::vector<double>> columns_;  // those of carried_bits_
  // Marks in a row up to and with each point; empty until the first one.
  std::vector<std::uint8_t> spikes_;
  // The first ten points of the run, for F.
  std::vector<double> first_;
  std::vector<std::int32_t> first_steps_;
  static constexpr std::size_t kOfF = 5;
  double f_ = 0;  // F, once that many are there
};

// s = max(1.4826 MAD, 0.02 |median|, quantum) of `values`; 0 < size.
double Spread(std::span<const double> values, double quantum);

}  // namespace rlrun
