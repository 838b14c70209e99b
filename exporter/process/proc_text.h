// Texts of the process file system, read as pure functions; who reads the
// files is proc_fs.h.
//   4711 (python3 (x)) S 4600 4600 4500 34816 ...   /proc/<pid>/stat
//   btime 1795959126                                 a line of /proc/stat
// Accepts: a name in the brackets that holds brackets, blanks and line ends.
// Ignores: every other field and line.
// Rejects: a text without its closing bracket or with fewer fields, numbers
// that are none.
// Safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

struct PidStat {
  std::string comm;  // at most 15 bytes, any bytes
  char state = '?';  // R, S, D, T, Z (zombie), X (dead), ...
  std::int64_t parent = 0;
  std::int64_t group = 0;         // process group
  std::int64_t session = 0;       // session
  std::uint64_t start_ticks = 0;  // clock ticks after boot

  // It has ended, and only its parent has not asked how.
  bool ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
};

std::optional<PidStat> ParsePidStat(std::string_view text);

// Unix seconds; absent: no such line.
std::optional<std::uint64_t> ParseBtime(std::string_view text);

// `python3\0-m\0x\0` -> {python3, -m, x}. A process that has written a title
// over its arguments gives that title as one argument, without its padding.
// `cut`: the text was longer than what was read, so its last argument is left
// out. Empty arguments in the middle are kept.
std::vector<std::string> SplitArguments(std::string_view text, bool cut);

// The value of `name` in `A=1\0B=2\0`; the first one counts. Absent: not set.
// A last entry that was cut is not read as its value.
std::optional<std::string> FindVariable(std::string_view environment,
                                        std::string_view name, bool cut);

}  // namespace rlrun
