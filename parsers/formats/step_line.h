// One printed step line -> its step number and key/value pairs. Which lines of
// a log to ask, bars, totals and stamps are left to verl_console.
//
//   step:3 - actor/lr:1e-06 - critic/score/max:np.float64(0.5) - val-core/a
//   b:x/acc/mean@1:0.25
//
// Accepts: `step:` + digits, then the end, or blanks and `-` and pairs
// `key:value`
//   split at ` - `. A key may hold blanks, parentheses, `@`; a validation key,
//   into which the name of a data source is pasted, also `:` and ` - `.
//   Text glued behind a value: the value ends where its number ends.
// Ignores (counted by reason): a piece whose value is no number, or that has no
//   key or no colon; the last piece of a cut line; everything behind glued
//   text.
// Rejects: `step:` without digits, digits followed by other text, no valid
// pair. Pure; safe to call from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parsers/lines/payload.h"
#include "parsers/model/log_facts.h"
#include "parsers/model/step_record.h"

namespace rlrun {

using SkipCounts = std::array<std::uint64_t, kSkipReasons>;

struct StepEdge {
  static constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = kNone;  // of "step:" in the text
  ActorPrefix prefix;      // outermost one in front of it, where there is one
};

// Where a step line begins in `text`, which has no escape sequences: at its
// start behind blanks and prefixes, right behind the prefix of another writer,
// or behind the `s/it]` or `it/s]` that closes a progress bar. Never behind a
// letter, `_`, `/` or other text: `training/global_step:1 -`.
StepEdge FindStepEdge(std::string_view text);

enum class StepLineKind {
  kNone,       // text that only begins with "step:": prose
  kStep,       // a number and pairs
  kBare,       // a number and nothing else
  kMalformed,  // a step line by its shape, without a number or a valid pair
};

// Reads `text`, which begins with "step:" and has no escape sequences and no
// `[repeated ...]`. With kStep and kBare fills step, line_class, cut, key_text
// and pairs of *record; with kStep adds to *skipped. `is_cut`: the end of the
// line was lost while it was copied, so its last pair may be damaged.
StepLineKind ParseStepLine(std::string_view text, bool is_cut,
                           StepRecord* record, SkipCounts* skipped);

// The class of a record by its keys; kTrain without any.
LineClass ClassifyPairs(const StepRecord& record);

// What the keys tell of how the run trains; kUnknown: nothing.
RunMode ModeOfPairs(const StepRecord& record);

}  // namespace rlrun
