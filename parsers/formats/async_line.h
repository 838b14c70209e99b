// Lines by which the trainer and the rollouter of a fully asynchronous run
// steer each other.
//
//   [FullyAsyncTrainer] Collected 64/128 samples. mq_len: 3
//
// Accepts: the trainer's heartbeat, `Requesting N samples`, `Collected k/N
//   samples`, `Loop collection completed: k/N samples`, `timing_s/param_sync: X
//   seconds`; the rollouter's `[ShouldPause]`, pause, drain and
//   `[reset_staleness]` lines; `MessageQueue stats:`, `Queue full`; the front
//   of
//   `[MonitorLoop][Statistics] {`, whose other lines the caller collects.
// Ignores: other lines of these actors.
// Rejects: counts that are none.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/model/log_events.h"

namespace rlrun {

struct AsyncLine {
  enum class Role : std::uint8_t {
    kNone,
    kControl,     // `control`, `value`
    kSamples,     // `collected` of `required`; `is_complete`: the last of them
    kStatistics,  // `rest`: from `{` on
  };
  Role role = Role::kNone;
  ControlKind control = ControlKind::kHeartbeat;
  std::optional<double> value;
  std::int64_t collected = 0, required = 0;
  bool is_first = false, is_complete = false;
  std::string_view rest;
};

AsyncLine ParseAsyncLine(std::string_view payload);

// Takes `'key': number,` pairs from one line of the statistics; true: the dict
// ends in it. Values that are no numbers are left out.
bool ParseStatistics(std::string_view text, QueueStatistics* out);

}  // namespace rlrun
