// A wall-clock stamp as a log line prints it, before anybody knows its year or
// its zone. Resolving it to Unix time needs the file's mtime and is done by
// values/stamp.h. Plain data; freely copied between threads.
#pragma once

#include <cstdint>

namespace rlrun {

struct Stamp {
  int year = 0;         // 0: the line prints none
  int month = 0;        // 1..12; 0: the line prints a time of day only
  int day = 0;          // 1..31; 0 together with month
  int hour = 0;         // 0..23
  int minute = 0;       // 0..59
  int second = 0;       // 0..60
  int millisecond = 0;  // 0..999
  // Byte offset in its source of the line that carries the stamp.
  std::uint64_t offset = 0;

  bool operator==(const Stamp&) const = default;
};

}  // namespace rlrun
