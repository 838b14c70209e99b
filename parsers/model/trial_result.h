// One finished trial as its result file states it: how it ended, its reward,
// how long its stages took. What is not stated is absent, never 0.
// Plain data; freely moved between threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rlrun {

// Why a trial ended; the value of the label `reason`.
enum class TrialReason : std::uint8_t {
  kAgentCompleted = 0,
  kTimeout,
  kOverlong,
  kMaxTurnsReached,
  kEnvSetupFailed,
  kUnscored,  // the verifier gave nothing, and none of the others is stated
  kUnknown,   // the result file cannot be read as one
};
inline constexpr std::size_t kTrialReasons = 7;
inline constexpr std::array<std::string_view, kTrialReasons> kTrialReasonNames =
    {"agent_completed",  "timeout",  "overlong", "max_turns_reached",
     "env_setup_failed", "unscored", "unknown"};

// Parts of a trial that take time; the value of the label `stage`.
enum class TrialStage : std::uint8_t {
  kEnvironmentSetup = 0,
  kAgentSetup,
  kAgentExecution,
  kVerifier,
  kTotal,
};
inline constexpr std::size_t kTrialStages = 5;
inline constexpr std::array<std::string_view, kTrialStages> kTrialStageNames = {
    "environment_setup", "agent_setup", "agent_execution", "verifier", "total"};

// Tokens; the value of the label `kind`.
inline constexpr std::size_t kTrialTokenKinds = 3;
inline constexpr std::array<std::string_view, kTrialTokenKinds>
    kTrialTokenKindNames = {"input", "cache", "output"};

struct TrialResult {
  TrialReason reason = TrialReason::kUnknown;
  // Of the verifier. A trial that ran out of time may have one; an unscored one
  // has none. Finite.
  std::optional<double> reward;
  std::string exception;  // its type, `AgentTimeoutError`; empty: none
  std::string task_path;  // of its configuration; empty: not stated
  std::array<std::optional<double>, kTrialStages> seconds;  // not negative
  std::array<std::optional<std::uint64_t>, kTrialTokenKinds> tokens;
  std::optional<double> started_at, finished_at;  // Unix seconds
};

}  // namespace rlrun
