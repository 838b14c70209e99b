// The newest points of one role, and the medians that the rules are written in
// (signatures.md, "Common rules"). A point is a training step on which the
// value is finite; who adds points decides that. Dropping the points of a
// rewind restores everything as it was before they came. Not thread-safe;
// belongs to one Judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rlrun {

class Series {
 public:
  // At most `capacity` points are kept (a quarter more at times).
  explicit Series(std::size_t capacity = 512) : capacity_(capacity) {}

  void Add(std::int64_t step, double value);
  // Drops every point of step `step` and later ones, also from the first ten.
  void DropFrom(std::int64_t step);
  // Marks the newest point as a spike: T leaves up to two in a row of them out.
  void MarkSpike();
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

  // M_k of the points before the `skip` newest ones; absent with fewer than k.
  std::optional<double> M(std::size_t k, std::size_t skip = 0) const;
  // F: median of the first 5 points of the run; absent before the fifth.
  std::optional<double> F() const;
  // T: median of the up to 64 points before the last `k`, without the first 10
  // of the run and without spikes; absent with fewer than 20 such points.
  std::optional<double> T(std::size_t k) const;
  // U = max(F, T), or F while there is no T; absent without F.
  std::optional<double> U(std::size_t k) const;
  // max(1.0483 x median of the last 64 |x_i - x_(i-1)|, quantum); absent with
  // fewer than 2 points.
  std::optional<double> Noise(double quantum) const;

 private:
  std::size_t capacity_;
  std::size_t dropped_ = 0;  // points that were pushed out at the front
  std::vector<double> values_;
  std::vector<std::int32_t> steps_;
  std::vector<std::uint8_t> spikes_;  // empty until the first one
  // The first ten points of the run, for F.
  std::vector<double> first_;
  std::vector<std::int32_t> first_steps_;
};

// Median of `values`, which it reorders; 0 < size.
double Median(std::span<double> values);
// s = max(1.4826 MAD, 0.02 |median|, quantum) of `values`; 0 < size.
double Spread(std::span<const double> values, double quantum);

}  // namespace rlrun
