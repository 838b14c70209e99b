// One line of `_dropped/*.jsonl`: a trajectory that never reached the trainer.
//
//   {"ts": 1767323045.1, "task": "t", "reason": "empty_token_ids",
//    "validate": false, "global_steps": 3}
//
// Accepts: any order of fields; `validate` may be missing (training).
// Ignores: every other field.
// Rejects: a line that is no JSON object or states no reason.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

struct DroppedTrial {
  std::string reason;  // at most 60 bytes
  bool validate = false;
};

bool ParseDroppedTrial(std::string_view line, DroppedTrial* out);

}  // namespace rlrun
