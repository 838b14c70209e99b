#include "parsers/values/iso_time.h"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <system_error>

namespace rlrun {
namespace {

// Reads `digits` decimal digits at the front of *text.
bool TakeDigits(std::string_view* text, std::size_t digits, int* value) {
  if (text->size() < digits || text->front() == '-') return false;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + digits, *value);
  if (error != std::errc() || end != text->data() + digits) return false;
  text->remove_prefix(digits);
  return true;
}

bool TakeChar(std::string_view* text, std::string_view any_of) {
  if (text->empty() || any_of.find(text->front()) == std::string_view::npos) {
    return false;
  }
  text->remove_prefix(1);
  return true;
}

// `Z`, `+02:00`, `-0700` or nothing (UTC), in seconds.
bool TakeZone(std::string_view* text, int* seconds) {
  *seconds = 0;
  if (text->empty() || TakeChar(text, "Zz")) return true;
  const bool minus = text->front() == '-';
  int hours = 0, minutes = 0;
  if (!TakeChar(text, "+-") || !TakeDigits(text, 2, &hours)) return false;
  TakeChar(text, ":");
  if (!TakeDigits(text, 2, &minutes) || hours > 15 || minutes > 59) {
    return false;
  }
  *seconds = (hours * 60 + minutes) * 60 * (minus ? -1 : 1);
  return true;
}

// `.25`, `.123456`, or nothing.
bool TakeFraction(std::string_view* text, double* fraction) {
  if (text->empty() || text->front() != '.') return true;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), *fraction,
                      std::chars_format::fixed);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

}  // namespace

std::optional<double> ParseIsoTime(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone = 0;
  double fraction = 0;
  if (!TakeDigits(&text, 4, &year) || !TakeChar(&text, "-") ||
      !TakeDigits(&text, 2, &month) || !TakeChar(&text, "-") ||
      !TakeDigits(&text, 2, &day) || !TakeChar(&text, "Tt ") ||
      !TakeDigits(&text, 2, &hour) || !TakeChar(&text, ":") ||
      !TakeDigits(&text, 2, &minute)) {
    return std::nullopt;
  }
  if (TakeChar(&text, ":") && !TakeDigits(&text, 2, &second)) {
    return std::nullopt;
  }
  if (!TakeFraction(&text, &fraction) || !TakeZone(&text, &zone) ||
      !text.empty()) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{
      std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + hour * 3600 + minute * 60 +
         second + fraction - zone;
}

}  // namespace rlrun
