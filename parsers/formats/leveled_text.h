// What a logger puts in front of its message: level, stamp, place.
//
//   [rank1]:[E207 01:52:41.323178866 Group.cpp:607] [Rank 1] Watchdog ...
//
// Accepts: `LEVEL:date:`, `LEVEL:name:`, `LEVEL: `, `LEVEL MM-DD time
//   [file:line]`, `date LEVEL file --`, `[date][name][LEVEL] -`, `[date E pid
//   tid] (raylet) file:line:`, glog's `[E207 ...]`, `[rankN]:`, `(raylet)`,
//   several in a row.
// Ignores: nothing. Rejects: nothing; other text is all message.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlrun {

enum class Severity : std::uint8_t { kUnknown = 0, kInfo, kWarning, kError };

struct LeveledText {
  Severity severity = Severity::kUnknown;
  bool is_raylet = false;
  std::string_view message;
};

LeveledText ParseLeveledText(std::string_view payload);

}  // namespace rlrun
