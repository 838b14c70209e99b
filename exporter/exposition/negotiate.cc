#include "exporter/exposition/negotiate.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace rlrun {
namespace {

// What the most specific range that fits a format said of it.
struct Offer {
  int specificity = -1;  // 3: type and version, 2: type, 1: `text/*`, 0: `*/*`
  double q = 0;

  void Take(int new_specificity, double new_q) {
    if (new_specificity < specificity) return;
    q = new_specificity == specificity ? std::max(q, new_q) : new_q;
    specificity = new_specificity;
  }
};

struct MediaRange {
  std::string_view type;     // `text/plain`
  std::string_view version;  // empty: none given
  double q = 1;
  bool valid = true;
};

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool Same(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return Lower(a) == b; });
}

// The text up to the next `separator` outside quotes, which are removed from
// *rest with it.
std::string_view Cut(std::string_view* rest, char separator) {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < rest->size(); ++i) {
    const char c = (*rest)[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (!quoted && c == separator) break;
  }
  i = std::min(i, rest->size());
  const std::string_view part = rest->substr(0, i);
  rest->remove_prefix(std::min(i + 1, rest->size()));
  return Trim(part);
}

MediaRange ParseRange(std::string_view text) {
  MediaRange range;
  range.type = Cut(&text, ';');
  while (!text.empty()) {
    std::string_view value = Cut(&text, ';');
    const std::string_view name = Cut(&value, '=');
    value = Trim(value);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    if (Same(name, "version")) range.version = value;
    if (Same(name, "q")) {
      const char* end = value.data() + value.size();
      const auto result =
          std::from_chars(value.data(), end, range.q, std::chars_format::fixed);
      range.valid = result.ec == std::errc() && result.ptr == end &&
                    range.q >= 0 && range.q <= 1;
    }
  }
  return range;
}

}  // namespace

std::string_view ContentType(TextFormat format) {
  return format == TextFormat::kOpenMetrics100
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

TextFormat NegotiateFormat(std::string_view accept) {
  Offer text;
  Offer open_metrics;
  while (!accept.empty()) {
    const MediaRange range = ParseRange(Cut(&accept, ','));
    if (!range.valid) continue;
    if (Same(range.type, "*/*")) {
      text.Take(0, range.q);
      open_metrics.Take(0, range.q);
    } else if (Same(range.type, "text/*")) {
      text.Take(1, range.q);
    } else if (Same(range.type, "application/*")) {
      open_metrics.Take(1, range.q);
    } else if (Same(range.type, "text/plain")) {
      if (range.version.empty()) text.Take(2, range.q);
      if (range.version == "0.0.4") text.Take(3, range.q);
    } else if (Same(range.type, "application/openmetrics-text")) {
      if (range.version.empty()) open_metrics.Take(2, range.q);
      if (range.version == "1.0.0") open_metrics.Take(3, range.q);
    }
  }
  const bool better =
      open_metrics.q > text.q ||
      (open_metrics.q == text.q && open_metrics.specificity >= 2);
  return open_metrics.q > 0 && better ? TextFormat::kOpenMetrics100
                                      : TextFormat::kText004;
}

}  // namespace rlrun
