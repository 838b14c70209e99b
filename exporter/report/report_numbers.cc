#include "exporter/report/report_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace rlrun {
namespace {

std::string Format(const char* format, double value) {
  std::array<char, 64> text;
  const int n = std::snprintf(text.data(), text.size(), format, value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

// Of 0 to 10: two digits; whole ones without a point.
std::string ShortNumber(double value) { return Format("%.2g", value); }

}  // namespace

std::string ReportNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  return Format(is_whole ? "%.0f" : "%.5g", value == 0 ? 0 : value);
}

std::string EvidenceNumber(std::string_view key, double value) {
  const bool computed = key.find('/') == std::string_view::npos;
  if (!computed || !std::isfinite(value)) return ReportNumber(value);
  if (key.ends_with("_seconds")) return ShortDuration(value);
  return key.ends_with("_since") ? UtcText(value) : ReportNumber(value);
}

std::string MinutesText(double seconds) {
  const double minutes = std::max(0.0, seconds) / 60;
  return minutes < 0.1 ? Format("%.2g", minutes)
                       : ReportNumber(std::round(minutes * 100) / 100);
}

std::string UtcText(double time) {
  constexpr double kMost = 253402300799.0;  // the end of the year 9999
  if (!(time >= 0 && time <= kMost)) return "unknown";
  const auto whole = static_cast<std::time_t>(time);
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  std::array<char, 40> text;
  const std::size_t n =
      std::strftime(text.data(), text.size(), "%F %T UTC", &parts);
  return std::string(text.data(), n);
}

std::string LongDuration(double seconds) {
  const auto all = static_cast<long long>(std::max(0.0, seconds));
  std::array<char, 64> text;
  const int n =
      std::snprintf(text.data(), text.size(), "%lld-%02lld:%02lld:%02lld",
                    all / 86400, all / 3600 % 24, all / 60 % 60, all % 60);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

std::string ShortDuration(double seconds) {
  seconds = std::max(0.0, seconds);
  // Two digits at least: 2.24 minutes are not 2.
  if (seconds == 0) return "0 s";
  if (seconds < 9.95) return ShortNumber(seconds) + " s";
  if (seconds < 120) return Format("%.0f s", seconds);
  if (seconds < 9.95 * 60) return ShortNumber(seconds / 60) + " min";
  if (seconds < 2 * 3600) return Format("%.0f min", seconds / 60);
  if (seconds < 2 * 86400) return Format("%.1f h", seconds / 3600);
  return Format("%.1f d", seconds / 86400);
}

}  // namespace rlrun
