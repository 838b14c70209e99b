#include "tests/scenarios/wall_clock.h"

#include <cmath>
#include <cstdio>
#include <ctime>

namespace rlrun::scenarios {

std::string WallClock::Format(const char* format) const {
  const auto whole = static_cast<std::time_t>(std::floor(now()));
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, format, &parts);
  return std::string(text, size);
}

std::string WallClock::MonthDay() const { return Format("%m-%d %H:%M:%S"); }

std::string WallClock::Full() const {
  char text[16];
  std::snprintf(text, sizeof text, ",%03d",
                static_cast<int>((now() - std::floor(now())) * 1000));
  return Format("%Y-%m-%d %H:%M:%S") + text;
}

std::string WallClock::TimeOfDay() const {
  char text[16];
  std::snprintf(text, sizeof text, ".%03d",
                static_cast<int>((now() - std::floor(now())) * 1000));
  return Format("%H:%M:%S") + text;
}

}  // namespace rlrun::scenarios
