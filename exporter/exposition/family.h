// The words of the exposition room: formats, family headers, labels.
// Plain data; headers are shared between threads once they no longer change.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

enum class TextFormat { kText004, kOpenMetrics100 };

enum class FamilyType { kGauge, kCounter, kHistogram };

struct FamilyHeader {
  std::string name;  // with `_total` for counters
  FamilyType type = FamilyType::kGauge;
  std::string help;  // any bytes; repaired and escaped when written
  std::string unit;  // `seconds`, `bytes`; empty: none. Suffix of the name
};

struct Label {
  std::string_view name;
  std::string_view value;
};

}  // namespace rlrun
