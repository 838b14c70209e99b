// What the first steps of a console tell of measured time beside their values:
// a bar's clock and pace (StepRecord::clock). One bar may agree by chance in
// two runs of one seed, several do not: a console that has the same ones is a
// copy. Plain value; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>

namespace rlrun {

class FirstClocks {
 public:
  static constexpr int kEnough = 3;  // steps

  // `values`: a hash of the step's.
  void Note(std::uint64_t values, std::uint64_t clock) {
    if (steps_ == kEnough) return;
    ++steps_;
    hash_ = (hash_ ^ values) * kPrime;
    hash_ = (hash_ ^ clock) * kPrime;
  }
  // Absent: too few steps yet.
  std::optional<std::uint64_t> mark() const {
    return steps_ == kEnough ? std::optional(hash_) : std::nullopt;
  }

 private:
  // FNV-1a, by words.
  static constexpr std::uint64_t kPrime = 1099511628211u;
  int steps_ = 0;
  std::uint64_t hash_ = 14695981039346656037u;
};

}  // namespace rlrun
