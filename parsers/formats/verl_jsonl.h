// The file logger of verl: one JSON record per step.
//
//   {"step": 3, "data": {"actor/lr": 1e-06, "actor/grad_norm": NaN}}
//
// Accepts: `step` (a whole number) and `data` (an object) in any order;
// numbers,
//   NaN, Infinity, true/false as 1/0, null as NaN.
// Ignores: blank lines; other members of the record; strings, arrays and
// objects
//   inside `data` (each counted once as not_a_number), empty keys (no_value).
// Rejects: any other line, also one with a number beyond the range of a double
//   (the logger writes Infinity instead): malformed.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <string_view>

#include "parsers/formats/log_format.h"
#include "parsers/formats/mode_teller.h"
#include "parsers/formats/step_line.h"

namespace rlrun {

// Fills step, line_class, key_text and pairs of *record and adds to *skipped;
// false: `text` is no record, and nothing was added.
bool ParseJsonRecord(std::string_view text, StepRecord* record,
                     SkipCounts* skipped);

class VerlJsonl : public LogFormat {
 public:
  std::string_view name() const override { return "verl_jsonl"; }
  void ParseLines(std::span<const Line> lines, LogFacts* facts) override;
  void Reset() override { mode_ = ModeTeller(); }

 private:
  ModeTeller mode_;
};

}  // namespace rlrun
