#include "exporter/exposition/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rlrun {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes that need a look: quotes, backslash, newline, NUL and anything not
// ASCII.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x80; c < 256; ++c) table[c] = true;
  table['"'] = table['\\'] = table['\n'] = table['\0'] = true;
  return table;
}();

bool IsSpecial(char c) { return kSpecial[static_cast<unsigned char>(c)]; }

// Repaired; backslash and newline escaped, quotes too if `quotes`.
void AppendEscaped(std::string* out, std::string_view text, bool quotes) {
  while (true) {
    const auto special = static_cast<std::size_t>(
        std::find_if(text.begin(), text.end(), IsSpecial) - text.begin());
    out->append(text.substr(0, special));
    text.remove_prefix(special);
    if (text.empty()) return;
    std::size_t taken = 1;
    switch (text.front()) {
      case '\n':
        out->append("\\n");
        break;
      case '\\':
        out->append("\\\\");
        break;
      case '"':
        out->append(quotes ? "\\\"" : "\"");
        break;
      default: {
        std::size_t invalid = 0;
        taken = Utf8SequenceLength(text, &invalid);
        out->append(taken != 0 ? text.substr(0, taken) : kReplacement);
        if (taken == 0) taken = invalid;
      }
    }
    text.remove_prefix(taken);
  }
}

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsNameChar(char c) { return IsNameStart(c) || (c >= '0' && c <= '9'); }

bool AppendNotFinite(std::string* out, double value) {
  if (std::isfinite(value)) return false;
  out->append(std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
  return true;
}

// What most values are: a number of few digits with up to six decimals. Writes
// what std::to_chars would write; null: `value` is another one. The decimals of
// at most 15 digits are told apart by their doubles, so that one that gives the
// very value is the shortest, but for zeros at its end; and in this range it is
// never longer than the form with an exponent.
char* WriteDecimal(double value, char* at) {
  constexpr std::int64_t kScale = 1000000;
  const double size = std::fabs(value);
  if (!(size >= 0.001 && size < 1e5)) return nullptr;
  const auto scaled =
      static_cast<std::int64_t>(size * static_cast<double>(kScale) + 0.5);
  if (static_cast<double>(scaled) / static_cast<double>(kScale) != size) {
    return nullptr;
  }
  if (value < 0) *at++ = '-';
  at = std::to_chars(at, at + 6, scaled / kScale).ptr;
  *at = '.';
  auto rest = static_cast<std::uint32_t>(scaled % kScale);
  for (char* digit = at + 6; digit != at; --digit) {
    *digit = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  at += 6;
  while (*at == '0') --at;
  return *at == '.' ? at : at + 1;
}

}  // namespace

void AppendDouble(std::string* out, double value) {
  if (AppendNotFinite(out, value)) return;
  char buffer[32];
  std::to_chars_result result{};
  if (std::fabs(value) < 1e15) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value &&
        (whole != 0 || !std::signbit(value))) {
      result = std::to_chars(buffer, buffer + sizeof(buffer), whole);
      out->append(buffer, result.ptr);
      return;
    }
  }
  if (char* end = WriteDecimal(value, buffer)) {
    out->append(buffer, end);
    return;
  }
  result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, result.ptr);
}

void AppendCanonicalDouble(std::string* out, double value) {
  if (AppendNotFinite(out, value)) return;
  char buffer[32];
  const std::to_chars_result result = std::to_chars(
      buffer, buffer + sizeof(buffer), value, std::chars_format::general);
  const std::string_view text(buffer,
                              static_cast<std::size_t>(result.ptr - buffer));
  out->append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out->append(".0");
}

std::size_t Utf8SequenceLength(std::string_view text, std::size_t* invalid) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned lead = byte(0);
  if (lead != 0 && lead < 0x80) return 1;
  *invalid = 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // Overlong forms, surrogates and what is above U+10FFFF show in the second
  // byte (table 3-7 of the Unicode standard).
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < (i == 1 ? low : 0x80u) ||
        byte(i) > (i == 1 ? high : 0xBFu)) {
      *invalid = i;
      return 0;
    }
  }
  return length;
}

std::string RepairUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t invalid = 0;
    const std::size_t length = Utf8SequenceLength(text.substr(i), &invalid);
    if (length != 0) {
      i += length;
      continue;
    }
    out.append(text.substr(kept, i - kept)).append(kReplacement);
    i += invalid;
    kept = i;
  }
  out.append(text.substr(kept));
  return out;
}

bool IsValidMetricName(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsNameChar(c) || c == ':'; });
}

bool IsValidLabelName(std::string_view name) {
  return !name.empty() && IsNameStart(name[0]) && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), IsNameChar);
}

void AppendLabels(std::string* out, std::span<const Label> labels) {
  bool first = true;
  for (const Label& label : labels) {
    if (label.value.empty()) continue;
    if (!first) out->push_back(',');
    first = false;
    out->append(label.name).append("=\"");
    AppendEscaped(out, label.value, true);
    out->push_back('"');
  }
}

void AppendRenderedSample(std::string* out, std::string_view name,
                          std::string_view common, std::string_view labels,
                          double value) {
  out->append(name);
  if (common.empty()) common = std::exchange(labels, {});
  if (!common.empty()) {
    out->push_back('{');
    out->append(common);
    if (!labels.empty()) {
      out->push_back(',');
      out->append(labels);
    }
    out->push_back('}');
  }
  out->push_back(' ');
  AppendDouble(out, value);
  out->push_back('\n');
}

void AppendSample(std::string* out, std::string_view name,
                  std::string_view common, std::span<const Label> labels,
                  double value) {
  std::string text;
  AppendLabels(&text, labels);
  AppendRenderedSample(out, name, common, text, value);
}

void AppendHeader(std::string* out, std::string_view name,
                  std::string_view type, std::string_view help,
                  std::string_view unit, TextFormat format) {
  const bool open_metrics = format == TextFormat::kOpenMetrics100;
  if (open_metrics && type == "untyped") type = "unknown";
  if (open_metrics && type == "counter") {
    if (name.ends_with("_total")) {
      name.remove_suffix(6);
    } else {
      type = "unknown";
    }
  }
  out->append("# HELP ").append(name).push_back(' ');
  AppendEscaped(out, help, open_metrics);
  out->append("\n# TYPE ").append(name).push_back(' ');
  out->append(type).push_back('\n');
  if (open_metrics && !unit.empty() && name.size() > unit.size() + 1 &&
      name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_') {
    out->append("# UNIT ").append(name).push_back(' ');
    out->append(unit).push_back('\n');
  }
}

void AppendHeader(std::string* out, const FamilyHeader& family,
                  TextFormat format) {
  const std::string_view type = family.type == FamilyType::kCounter ? "counter"
                                : family.type == FamilyType::kHistogram
                                    ? "histogram"
                                    : "gauge";
  AppendHeader(out, family.name, type, family.help, family.unit, format);
}

}  // namespace rlrun
