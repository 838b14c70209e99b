#include "exporter/report/html.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "exporter/report/plain_text.h"

namespace rlrun {

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : PlainText(text, "\xEF\xBF\xBD")) {
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
        out += c;
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

std::string EncodePathPart(std::string_view part) {
  return Encode(part, "-._~!$()*+,;=:@");
}

std::string DecodePath(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    unsigned char byte = 0;
    const std::string_view digits = path.substr(1, 2);
    const char* const end = digits.data() + digits.size();
    if (path[0] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), end, byte, 16).ptr == end) {
      out += static_cast<char>(byte);
      path.remove_prefix(3);
    } else {
      out += path[0];
      path.remove_prefix(1);
    }
  }
  return out;
}

std::string CanonicalPath(std::string_view path) {
  std::string out;
  for (;;) {
    const std::size_t slash = path.find('/');
    out += EncodePathPart(DecodePath(path.substr(0, slash)));
    if (slash == path.npos) return out;
    out += '/';
    path.remove_prefix(slash + 1);
  }
}

std::string EncodeQuery(std::string_view text) { return Encode(text, "-._~"); }

}  // namespace rlrun
