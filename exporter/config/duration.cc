#include "exporter/config/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace rlrun {
namespace {

struct Unit {
  std::string_view name;
  double milliseconds;
};
constexpr std::array<Unit, 6> kUnits = {{{"w", 7 * 86400e3},
                                         {"d", 86400e3},
                                         {"h", 3600e3},
                                         {"m", 60e3},
                                         {"s", 1e3},
                                         {"ms", 1}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Cuts a decimal number off the front of *text.
std::optional<double> CutNumber(std::string_view* text) {
  if (text->empty() || !IsDigit(text->front())) return std::nullopt;
  double value = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] =
      std::from_chars(text->data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(rest - text->data()));
  return value;
}

}  // namespace

std::optional<double> ParseDuration(std::string_view text) {
  double milliseconds = 0;
  std::size_t next_unit = 0;
  bool first = true;
  do {
    const std::optional<double> number = CutNumber(&text);
    if (!number) return std::nullopt;
    if (text.empty()) {
      return first ? std::optional<double>(*number) : std::nullopt;
    }
    std::size_t length = 0;
    while (length < text.size() && !IsDigit(text[length])) ++length;
    const std::string_view name = text.substr(0, length);
    std::size_t unit = next_unit;
    while (unit < kUnits.size() && kUnits[unit].name != name) ++unit;
    if (unit == kUnits.size()) return std::nullopt;
    milliseconds += *number * kUnits[unit].milliseconds;
    next_unit = unit + 1;
    text.remove_prefix(length);
    first = false;
  } while (!text.empty());
  return milliseconds / 1e3;
}

std::string DurationText(double seconds) {
  for (const Unit& unit : kUnits) {
    const double count = seconds * 1e3 / unit.milliseconds;
    if (count >= 1 && count < 1e15 && count == std::floor(count)) {
      return std::to_string(static_cast<std::int64_t>(count)) +
             std::string(unit.name);
    }
  }
  return std::to_string(static_cast<std::int64_t>(seconds)) + "s";
}

}  // namespace rlrun
