// Whether a short series rises, falls or does neither, by a least-squares slope
// and its t value: |t| < 2 is noise.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rlrun {

enum class Trend : std::uint8_t { kFlat = 0, kRising, kFalling };

// `flat`, `rising`, `falling`.
constexpr std::string_view TrendName(Trend t) {
  return t == Trend::kRising    ? "rising"
         : t == Trend::kFalling ? "falling"
                                : "flat";
}

// With fewer values there is no trend to speak of.
inline constexpr std::size_t kLeastTrendValues = 4;

// Of values at equal distances, all finite. Fewer than the least: flat. A
// straight line without any residue has the trend of its slope.
Trend TrendOf(std::span<const double> values);

}  // namespace rlrun
