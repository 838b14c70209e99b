// What is held of a run at one time: findings with their evidence, checks,
// state, verdict. metrics/ and report/ show it; nothing here is text for them
// but names, sentences and evidence.
// Plain data; immutable once built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/signatures/level.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

enum class RunState : std::uint8_t {
  kStarting = 0,
  kRunning,
  kStalled,
  kFinished,
  kFailed,
  kInterrupted,
  kLost
};
inline constexpr std::size_t kRunStates = 7;
inline constexpr std::array<std::string_view, kRunStates> kRunStateNames = {
    "starting", "running",     "stalled", "finished",
    "failed",   "interrupted", "lost"};
// It has ended, as far as is known.
constexpr bool IsEnded(RunState s) {
  return s == RunState::kFinished || s == RunState::kFailed ||
         s == RunState::kInterrupted || s == RunState::kLost;
}

enum class Health : std::uint8_t { kHealthy = 0, kAtRisk, kCritical };
inline constexpr std::array<std::string_view, 3> kHealthNames = {
    "healthy", "at_risk", "critical"};

enum class Decision : std::uint8_t { kContinue = 0, kWait, kStop };
inline constexpr std::array<std::string_view, 3> kDecisionNames = {
    "continue", "wait", "stop"};

// Why a decision is `wait`.
enum class WaitReason : std::uint8_t {
  kNone = 0,
  kUnreadable,
  kFindings,
  kStale,
  kFewSteps
};

// A signature or signal that applies to the run.
struct Finding {
  std::string_view name;
  std::uint8_t severities = 0;  // bits, LevelBit
  Level level = Level::kNone;   // in force
  std::uint64_t activations = 0;
  std::optional<std::int64_t> since_step;  // while active
  std::vector<Evidence> evidence;          // while active, at most 4
  std::string detail;                      // while active; may be empty
  std::string_view means, next;            // sentences
  bool operator==(const Finding&) const = default;
};

// A check that applies to the run.
struct CheckResult {
  std::string_view name;
  KeyText key;                    // verbatim
  std::string_view label = {};    // what of it is judged; empty: its value
  std::size_t failing_steps = 0;  // newest evaluated ones in a row
  std::size_t alert_after = 1;    // N
  // The first of the failing steps; absent: there is none.
  std::optional<std::int64_t> since_step = {};
  std::optional<double> min, max;    // bounds in force
  std::optional<double> value;       // newest evaluated value
  std::optional<std::int64_t> step;  // its step
  std::string_view means;
  std::string_view next = {};  // what to do, where a report says it
  bool failed() const { return failing_steps >= alert_after; }
  bool operator==(const CheckResult&) const = default;
};

// A finding that was active and has cleared.
struct Recovered {
  std::string_view name;
  std::int64_t step = 0;  // on which it cleared
  bool operator==(const Recovered&) const = default;
};

struct Judgement {
  std::size_t training_steps = 0;   // judged so far
  std::vector<Finding> findings;    // those that apply, in the order of rules
  std::vector<CheckResult> checks;  // those that apply
  std::vector<Recovered> recovered;
  RunState state = RunState::kStarting;
  std::string state_reason;  // in a few words; may be empty
  Health health = Health::kHealthy;
  std::optional<Decision> decision;  // absent once the run has ended
  std::string decision_reason;
  WaitReason wait_reason = WaitReason::kNone;

  const Finding* find(std::string_view name) const {
    for (const Finding& f : findings) {
      if (f.name == name) return &f;
    }
    return nullptr;
  }
  bool active(std::string_view name) const {
    const Finding* f = find(name);
    return f != nullptr && f->level != Level::kNone;
  }
  bool operator==(const Judgement&) const = default;
};

}  // namespace rlrun
