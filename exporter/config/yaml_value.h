// A value of a YAML file with its name and line, and typed readings of it that
// report what is wrong instead of throwing. Knows no key of ours.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {

struct ConfigError {
  int line = 0;  // from 1; 0: the file as a whole
  std::string text;
};

class YamlValue {
 public:
  // `name` is the path of keys to it (`limits.max_series`, empty for the whole
  // file); errors are appended to *errors, which outlives the value.
  YamlValue(const YAML::Node& node, int line, std::string name,
            std::vector<ConfigError>* errors)
      : node_(node), line_(line), name_(std::move(name)), errors_(errors) {}

  int line() const { return line_; }
  const std::string& name() const { return name_; }
  // A map, or a value left out, which is an empty one.
  bool IsMap() const { return node_.IsMap() || node_.IsNull(); }
  // `file:line: name: text`.
  void Fail(const std::string& text) const;

  // Each returns false, reports, and leaves *out alone where the value is of
  // another type or outside [min, max].
  bool Read(std::string* out) const;
  bool Read(bool* out) const;
  bool ReadWhole(std::int64_t min, std::int64_t max, std::int64_t* out) const;
  bool ReadNumber(double min, double max, double* out) const;
  bool ReadSeconds(double min, double max, double* out) const;

  // Elements; a value left out is an empty list.
  std::vector<YamlValue> Elements() const;
  // Pairs in the order of the file; a value left out is an empty map. A key
  // that stands twice is reported and its first value stays.
  std::vector<std::pair<std::string, YamlValue>> Entries() const;

 private:
  void FailType(const std::string& wanted) const;
  // The text of a scalar without quotes around it, else nothing.
  std::optional<std::string> Plain() const;

  YAML::Node node_;
  int line_;
  std::string name_;
  std::vector<ConfigError>* errors_;
};

}  // namespace rlrun
