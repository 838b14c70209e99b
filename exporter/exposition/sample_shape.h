// What a list of samples is but for its values: families and labels in their
// order, as a hash. Two lists of one shape are rendered alike.
// Not thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace rlrun {

class SampleShape {
 public:
  void Clear() {
    hash_ = 0;
    values_.clear();
  }
  // A sample of the family at `family`, with labels that Lasting() and Text()
  // have made a number of; 0: none.
  void Add(const void* family, std::uint64_t labels, double value) {
    const std::uint64_t x = (Number(family) ^ labels) * kOdd;
    hash_ = hash_ * kOther + (x ^ (x >> 32));
    values_.push_back(value);
  }
  // Of a text that stays where it is until the program ends: of its place.
  static std::uint64_t Lasting(std::string_view text) {
    return std::rotl((Number(text.data()) + text.size()) * kOther, 23);
  }
  // Of any text: of what it says.
  static std::uint64_t Text(std::string_view text) {
    return std::hash<std::string_view>{}(text);
  }
  // Of two in this order.
  static std::uint64_t Both(std::uint64_t first, std::uint64_t second) {
    return (first * kOdd) ^ std::rotl(second, 31);
  }

  // Lists of different shapes have one hash as good as never, 2^-64.
  std::uint64_t hash() const { return hash_; }
  // Of its samples, in their order.
  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
  static constexpr std::uint64_t kOther = 0xc2b2ae3d27d4eb4fu;
  static std::uint64_t Number(const void* p) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(p));
  }

  std::uint64_t hash_ = 0;
  std::vector<double> values_;
};

}  // namespace rlrun
