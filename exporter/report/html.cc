#include "exporter/report/html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "exporter/exposition/text.h"

namespace rlrun {

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : RepairUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (byte < 0x20 || byte == 0x7f) {
          out += "\xEF\xBF\xBD";
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string AgeText(double time, double now) {
  const double age = now - time;
  if (!std::isfinite(age)) return "unknown";
  struct Unit {
    double seconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits = {
      {{86400, " d ago"}, {3600, " h ago"}, {60, " min ago"}, {1, " s ago"}}};
  for (const Unit& unit : kUnits) {
    // Two of a unit at least, so that the number keeps its precision.
    if (age >= 2 * unit.seconds || unit.seconds <= 1) {
      const double count = std::min(std::max(age, 0.0) / unit.seconds, 1e9);
      return std::to_string(static_cast<std::int64_t>(count)) + unit.name;
    }
  }
  return "unknown";
}

namespace {

std::string Encode(std::string_view text, std::string_view kept) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9');
    if (letter || kept.find(c) != kept.npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace

std::string EncodePath(std::string_view path) {
  return Encode(path, "/-._~!$()*+,;=:@");
}

std::string EncodeQuery(std::string_view text) { return Encode(text, "-._~"); }

}  // namespace rlrun
