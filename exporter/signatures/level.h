// How bad a finding is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace rlrun {

// Ordered: a higher value is worse. kInfo changes neither health nor decision.
enum class Level : std::uint8_t { kNone = 0, kInfo, kWarning, kCritical };
inline constexpr std::size_t kLevels = 4;

// `none`, `info`, `warning`, `critical`; the value of the label `severity`.
constexpr std::string_view LevelName(Level level) {
  constexpr std::array<std::string_view, kLevels> names = {
      "none", "info", "warning", "critical"};
  return names[static_cast<std::size_t>(level)];
}

}  // namespace rlrun
