// Values of run records: which numbers count as stated, how much of a text is
// kept. Shared by the parsers of those documents.
// Pure; safe from any thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/model/run_record.h"

namespace rlrun {

// No length of time that a record states is as long (ten years).
inline constexpr double kMaxSeconds = 10 * 366 * 86400.0;

inline std::optional<double> Finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// A whole number that a 64-bit integer and a double hold exactly.
inline std::optional<std::int64_t> Whole(double value) {
  if (!(std::abs(value) < 9e15) || value != std::floor(value)) return {};
  return static_cast<std::int64_t>(value);
}

// The same, where it is not below `least`.
inline std::optional<std::int64_t> WholeFrom(std::int64_t least, double value) {
  const auto whole = Whole(value);
  return whole && *whole >= least ? whole : std::nullopt;
}

// Unix seconds; 0 means "never".
inline std::optional<double> RecordTime(double value) {
  return value > 0 && value < 1e11 ? std::optional(value) : std::nullopt;
}

// The front of a text, whole characters.
inline std::string RecordText(std::string_view text) {
  if (text.size() <= kMaxRecordText) return std::string(text);
  std::size_t size = kMaxRecordText;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
    --size;
  }
  return std::string(text.substr(0, size));
}

// A field of a rollout's summary.
inline void SetRolloutNumber(std::string_view key, double value,
                             RecordedRollout* rollout, bool* has_id) {
  if (key == "rollout_id") {
    const auto id = Whole(value);
    *has_id = id && *id >= 0;
    if (*has_id) rollout->id = *id;
  }
  if (key == "created_at") rollout->created_at = RecordTime(value);
  if (key == "mean") rollout->mean_reward = value;
  if (key == "total") rollout->samples = Whole(value);
  if (key == "rollout_time" && value >= 0 && value < kMaxSeconds) {
    rollout->seconds = value;
  }
}

}  // namespace rlrun
