#include "exporter/config/yaml_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "exporter/config/duration.h"

namespace rlrun {
namespace {

constexpr std::size_t kShownBytes = 60;

// Whole text as a number; no sign but `-`, no blanks.
template <typename T>
std::optional<T> ParseWhole(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// 0.5, 20, 1000000: as short as it can be said.
std::string NumberText(double value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value,
                                    std::chars_format::fixed);
  return std::string(buffer, result.ptr);
}

// An error is one line, whatever the file holds.
std::string Shown(const std::string& text) {
  std::string shown = text.substr(0, kShownBytes);
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return '"' + shown + (text.size() > kShownBytes ? "...\"" : "\"");
}

}  // namespace

void YamlValue::Fail(const std::string& text) const {
  errors_->push_back({line_, name_.empty() ? text : name_ + ": " + text});
}

void YamlValue::FailType(const std::string& wanted) const {
  std::string is;
  switch (node_.Type()) {
    case YAML::NodeType::Scalar:
      is = Shown(node_.Scalar());
      if (node_.Tag() == "!") is += " in quotes";
      break;
    case YAML::NodeType::Sequence:
      is = "a list";
      break;
    case YAML::NodeType::Map:
      is = "a map";
      break;
    default:
      is = "empty";
  }
  Fail("must be " + wanted + ", is " + is);
}

std::optional<std::string> YamlValue::Plain() const {
  if (!node_.IsScalar() || node_.Tag() == "!") return std::nullopt;
  return node_.Scalar();
}

bool YamlValue::Read(std::string* out) const {
  if (!node_.IsScalar()) {
    FailType("a text");
    return false;
  }
  *out = node_.Scalar();
  return true;
}

bool YamlValue::Read(bool* out) const {
  const auto text = Plain();
  if (text != "true" && text != "false") {
    FailType("true or false");
    return false;
  }
  *out = text == "true";
  return true;
}

bool YamlValue::ReadWhole(std::int64_t min, std::int64_t max,
                          std::int64_t* out) const {
  const auto text = Plain();
  const auto value = text ? ParseWhole<std::int64_t>(*text) : std::nullopt;
  if (!value || *value < min || *value > max) {
    FailType("a whole number from " + std::to_string(min) + " to " +
             std::to_string(max));
    return false;
  }
  *out = *value;
  return true;
}

bool YamlValue::ReadNumber(double min, double max, double* out) const {
  const auto text = Plain();
  const auto value = text ? ParseWhole<double>(*text) : std::nullopt;
  if (!value || !(*value >= min && *value <= max)) {
    FailType("a number from " + NumberText(min) + " to " + NumberText(max));
    return false;
  }
  *out = *value;
  return true;
}

bool YamlValue::ReadSeconds(double min, double max, double* out) const {
  const auto value =
      node_.IsScalar() ? ParseDuration(node_.Scalar()) : std::nullopt;
  if (!value || *value < min || *value > max) {
    FailType("a duration from " + DurationText(min) + " to " +
             DurationText(max) + " (such as 90s, 15m, 24h, 7d)");
    return false;
  }
  *out = *value;
  return true;
}

std::vector<YamlValue> YamlValue::Elements() const {
  std::vector<YamlValue> elements;
  if (node_.IsNull()) return elements;
  if (!node_.IsSequence()) {
    FailType("a list");
    return elements;
  }
  for (const YAML::Node& node : node_) {
    elements.emplace_back(node, node.IsNull() ? line_ : node.Mark().line + 1,
                          name_ + "[" + std::to_string(elements.size()) + "]",
                          errors_);
  }
  return elements;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::Entries() const {
  std::vector<std::pair<std::string, YamlValue>> entries;
  if (node_.IsNull()) return entries;
  if (!node_.IsMap()) {
    FailType("a map of keys and values");
    return entries;
  }
  std::map<std::string, int> first_line;
  for (const auto& pair : node_) {
    const int key_line = pair.first.Mark().line + 1;
    if (!pair.first.IsScalar()) {
      YamlValue(pair.first, key_line, name_, errors_)
          .Fail("a key must be a text");
      continue;
    }
    const std::string& key = pair.first.Scalar();
    const YamlValue value(pair.second, key_line,
                          name_.empty() ? key : name_ + "." + key, errors_);
    const auto [first, is_new] = first_line.emplace(key, key_line);
    if (is_new) {
      entries.emplace_back(key, value);
    } else {
      value.Fail("stands twice, first in line " +
                 std::to_string(first->second));
    }
  }
  return entries;
}

}  // namespace rlrun
