// Lines that tell what a trainer is doing: validation, checkpoint, resume, end,
// trials.
//
//   (TaskRunner pid=7) local_global_step_folder: checkpoints/a/b/global_step_30
//
// Accepts: `test_gen_batch meta info: {... 'validate': True ...}`, `validation
//   generation end`; saving of checkpoints and its last line; `Setting global
//   step to N`, `Load from checkpoint folder:` and its like, `Training from
//   scratch`; `Final validation metrics`, `Total time for train steps:`, `total
//   time: N seconds`; a wrapper's "training finished"; `[Trial] step=S d/T`,
//   `[Progress] step=S [..] d/T`, `[Progress] === step S starting: target T`,
//   `[task=X] attempt a/b OUTCOME`. All also behind a logger's head or
//   `[FullyAsync...] `.
// Ignores: W&B's last lines, which come after a crash too.
// Rejects: `validate: False`.
// Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/model/log_events.h"

namespace rlrun {

struct RunLine {
  enum class Role : std::uint8_t {
    kNone,
    kPhaseBegin,
    kPhaseEnd,
    kResume,
    kFromScratch,
    kEnd,
    kTrial,     // of kind `trial`, perhaps with samples
    kProgress,  // samples only
  };
  Role role = Role::kNone;
  RunPhase phase = RunPhase::kTraining;
  EndKind end = EndKind::kTrainer;
  TrialLineKind trial = TrialLineKind::kFinished;
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> collected, required;
};

// `payload`: the line behind its prefixes.
RunLine ParseRunLine(std::string_view payload);

// The whole number that `text` begins with, behind blanks.
std::optional<std::int64_t> FrontInteger(std::string_view text);

}  // namespace rlrun
