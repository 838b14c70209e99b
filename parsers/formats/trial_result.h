// The result file of one Harbor trial (`result.json`), written last and not in
// one piece.
//
//   {"task_id": {"path": "/data/swe/train/42"}, "exception_info": null,
//    "verifier_result": {"rewards": {"reward": 1.0}},
//    "started_at": "2026-01-02T03:04:05Z", "finished_at": "..."}
//
// Accepts: any order of fields, each of them optional or null; times of ISO
//   8601 (no zone: UTC); bare NaN and Infinity.
// Ignores: fields that it does not know, of any depth.
// Rejects: text that ends too early (kIncomplete: it may still be written) and
//   text that is no JSON object (kMalformed). A reward that is not finite is
//   none.
// Reason, first that holds: `timeout` for a time-out of agent or verifier;
//   `overlong` for a context that was too long, or where the file says so;
//   `max_turns_reached` where the file says so; `agent_completed` for a command
//   that ended with an error; without a result of the verifier
//   `env_setup_failed` for a time-out of environment or agent set-up, or a pod
//   or image that failed, else `unscored`; `agent_completed`.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "parsers/model/trial_result.h"

namespace rlrun {

enum class TrialParse : std::uint8_t { kOk, kIncomplete, kMalformed };

// `text` is used up: strings are unescaped in place. *result is set with kOk.
TrialParse ParseTrialResult(std::string text, TrialResult* result);

}  // namespace rlrun
