// One printed step line (or one JSONL record) as facts: a step number and its
// key/value pairs. Nothing here knows how the text looked.
// Plain data; freely moved between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model/stamp.h"

namespace rlrun {

// Which loop of the trainer printed the line. `kVal`: every key is a
// validation key or a validate time; `kRollouter`: the line of whoever
// generates (the asynchronous rollouter, slime's rollout manager); `kRollout`:
// what a trainer says of the rollout that it learns from; `kCritic`: the step
// line of a critic that has one of its own; `kTrain`: any other.
enum class LineClass : std::uint8_t {
  kTrain = 0,
  kVal,
  kRollouter,
  kRollout,
  kCritic,
};
inline constexpr std::size_t kLineClasses = 5;

// `train`, `val`, `rollouter`, `rollout`, `critic`: the value of the label
// `line`.
constexpr std::string_view LineClassName(LineClass c) {
  constexpr std::string_view kNames[kLineClasses] = {
      "train", "val", "rollouter", "rollout", "critic"};
  return kNames[static_cast<std::size_t>(c)];
}

// Whose words the keys are: what `train/loss` or `reward` means depends on it.
// The `Sft` ones: supervised training, where the loss is the thing to watch.
enum class KeyDialect : std::uint8_t {
  kVerl = 0,
  kSlime,
  kSlimeSft,
  kTrl,
  kTrlSft,
};

// Keys `val-*` and `val/*` are of class val wherever they stand.
constexpr bool IsValidationKey(std::string_view key) {
  return key.starts_with("val-") || key.starts_with("val/");
}

struct StepRecord {
  struct Pair {
    std::uint32_t begin = 0;  // of the key in key_text, bytes
    std::uint32_t size = 0;   // of the key, bytes
    double value = 0;         // NaN and +-Inf are data
  };

  std::int64_t step = 0;
  LineClass line_class = LineClass::kTrain;
  KeyDialect dialect = KeyDialect::kVerl;
  // `step` counts rollouts, each of which may be several training steps.
  bool by_rollout = false;
  // The end of the line is missing or untrusted: keys behind it are unknown,
  // so their absence says nothing.
  bool cut = false;
  // The largest number of decimals of a value with a decimal point; 0: none had
  // one; kExponent: unknown, or a value had an exponent.
  std::uint8_t decimals = 0;
  static constexpr std::uint8_t kExponent = 255;
  // All keys, one after the other; pairs point into it. A key that stands twice
  // in a line is here twice, the later one wins.
  std::string key_text;
  std::vector<Pair> pairs;
  // Byte range [begin_offset, end_offset) of the line in its source, its
  // terminator included.
  std::uint64_t begin_offset = 0;
  std::uint64_t end_offset = 0;
  // When the trainer logged it, Unix seconds, where the source itself says so.
  std::optional<double> time;
  // Hash of what a bar beside the line tells of measured time; 0: nothing. Two
  // runs do not print the same for long, copies do.
  std::size_t clock = 0;
  // Nearest stamped line between the previous step line and this one, and
  // between this one and the next.
  std::optional<Stamp> stamp_before;
  std::optional<Stamp> stamp_behind;
  // Seconds, the longest between two neighbouring stamped lines, the later of
  // which stands behind the previous step line. Absent: there are none that can
  // be compared.
  std::optional<double> longest_gap;

  std::string_view Key(const Pair& p) const {
    return std::string_view(key_text).substr(p.begin, p.size);
  }
  void Add(std::string_view key, double value) {
    pairs.push_back({static_cast<std::uint32_t>(key_text.size()),
                     static_cast<std::uint32_t>(key.size()), value});
    key_text.append(key);
  }
};

// Of a key of that record: of verl's by its name, of others by its line.
constexpr bool IsValidationKeyOf(const StepRecord& record,
                                 std::string_view key) {
  return record.dialect == KeyDialect::kVerl
             ? IsValidationKey(key)
             : record.line_class == LineClass::kVal;
}

}  // namespace rlrun
