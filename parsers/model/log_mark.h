// Places and pieces of text in a log.
// Plain data; freely moved between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "parsers/model/stamp.h"

namespace rlrun {

// Bytes of UTF-8 that are kept of a line; secrets in it are masked.
inline constexpr std::size_t kMaxEventText = 300;

// Where a line stands, and the newest stamp at or before it.
struct LogMark {
  std::uint64_t offset = 0;  // of the line's first byte, in its source
  std::optional<Stamp> stamp;
};

struct LogText {
  LogMark at;
  std::string text;
};

}  // namespace rlrun
