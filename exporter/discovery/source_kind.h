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
// console; kWandbFile: its `run-<id>.wandb`, which lags behind that; kRecord: a
// run-record store.
enum class SourceKind : std::uint8_t {
  kLog = 0,
  kLaunch,
  kJsonl,
  kWandb,
  kWandbFile,
  kTensorboard,
  kRecord
};
inline constexpr std::size_t kSourceKinds = 7;

// `log`, `launch`, `jsonl`, `wandb` (both), `tensorboard`, `record`: the value
// of the label `source`.
std::string_view SourceKindName(SourceKind kind);

// It holds what a trainer gave to a metrics logger, in a form of its own: no
// console text, and its lines are equal to no line of a log.
constexpr bool IsMetricsFile(SourceKind kind) {
  return kind == SourceKind::kWandbFile || kind == SourceKind::kTensorboard;
}

// `launch_*`: output of a launcher.
bool IsLaunchName(std::string_view path);
// `*.out`: often, not always, the output of a launcher.
bool IsOutName(std::string_view path);
// `.../wandb/<run dir>/files/output.log`.
bool IsWandbCopy(std::string_view path);

// `.../run-<id>.wandb`, or a copy of one of any name.
bool IsWandbFile(std::string_view path);
// `.../events.out.tfevents.<time>.<host>...`.
bool IsEventFile(std::string_view path);
// The W&B directory of one run that holds the file: of its `run-<id>.wandb` or
// of its copy of the console. Empty: it is none of these.
std::string_view WandbRunDirectory(std::string_view path);

// `exp-20260526-232411`: every node of a multi-node launch makes such a name of
// its own clock.
struct StampedName {
  std::string stem;    // `exp`; may be empty
  double seconds = 0;  // of the stamp, since 1970 on an unknown clock
};
// Nothing if `name` does not end in a stamp.
std::optional<StampedName> ParseStampedName(std::string_view name);

}  // namespace rlrun
