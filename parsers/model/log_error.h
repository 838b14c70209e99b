// Errors that a log tells of, by class, and those of them that belong together.
// Plain data; freely moved between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/model/log_mark.h"

namespace rlrun {

enum class LogErrorKind : std::uint8_t {
  kTraceback = 0,
  kTrainerCrash,
  kCudaOom,
  kHostOom,
  kNccl,
  kActorDied,
  kEngine,
  kHttpAuth,
  kHttpRate,
  kRetry,
  kDiskFull,
  kSandbox,
  kToolParser,
  kNonfiniteUpdate,
};
inline constexpr std::size_t kLogErrorKinds = 14;
inline constexpr std::array<std::string_view, kLogErrorKinds>
    kLogErrorKindNames = {
        "traceback",   "trainer_crash",   "cuda_oom",  "host_oom",
        "nccl",        "actor_died",      "engine",    "http_auth",
        "http_rate",   "retry",           "disk_full", "sandbox",
        "tool_parser", "nonfinite_update"};

struct LogError {
  LogErrorKind kind = LogErrorKind::kTraceback;
  LogMark at;
  std::string text;
};

// Errors that stand close together: mostly one and its echoes.
struct ErrorBurst {
  LogError first;
  // The first that says more than "traceback" or "job failed": the first of
  // another kind, else the exception that the first traceback ends in.
  std::optional<LogError> cause;
  LogMark newest;            // its newest error so far
  std::uint32_t kinds = 0;   // bit k: it has errors of kind k
  std::uint64_t errors = 0;  // lines
  // False: only of kinds that a run lives with (retry, http_rate, sandbox,
  // tool_parser, nonfinite_update).
  bool severe = false;
  // All of it was printed by actors that only generate: they run what a model
  // has written, too, and live with its errors.
  bool of_helpers = false;
  bool interrupted = false;  // a KeyboardInterrupt ended its traceback
  bool after_end = false;  // began behind the last planned step or an end mark

  const LogError& evidence() const { return cause ? *cause : first; }
  bool has(LogErrorKind kind) const {
    return ((kinds >> static_cast<unsigned>(kind)) & 1u) != 0;
  }
};

}  // namespace rlrun
