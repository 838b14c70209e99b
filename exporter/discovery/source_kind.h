// What kinds of files a run is read from, and what their names say about it.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rlrun {

// In the order in which they are believed. kLaunch: the launcher's own output,
// which holds its banner and mostly all of the log; kWandb: W&B's copy of the
// console.
enum class SourceKind : std::uint8_t { kLog = 0, kLaunch, kJsonl, kWandb };
inline constexpr std::size_t kSourceKinds = 4;

// `log`, `launch`, `jsonl`, `wandb`: the value of the label `source`.
std::string_view SourceKindName(SourceKind kind);

// `launch_*`: output of a launcher.
bool IsLaunchName(std::string_view path);
// `*.out`: often, not always, the output of a launcher.
bool IsOutName(std::string_view path);
// `.../wandb/<run dir>/files/output.log`.
bool IsWandbCopy(std::string_view path);

// `exp-20260526-232411`: every node of a multi-node launch makes such a name of
// its own clock.
struct StampedName {
  std::string stem;    // `exp`; may be empty
  double seconds = 0;  // of the stamp, since 1970 on an unknown clock
};
// Nothing if `name` does not end in a stamp.
std::optional<StampedName> ParseStampedName(std::string_view name);

}  // namespace rlrun
