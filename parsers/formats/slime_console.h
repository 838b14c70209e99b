// The console log of slime and miles, with or without a launcher around it.
//
//   (MegatronTrainRayActor pid=7) [2026-08-21 10:00:00] model.py:918 - step 0:
//   {'train/loss': 1e-09, 'train/step': 0}
//
// Accepts: metric lines (slime_line.h); stamps (values/stamp.h); what only such
//   runs print (slime_events.h); errors and engines (event_reader.h); in front
//   of all that actor prefixes, and the times and identifiers of `modal app
//   logs`.
// Ignores: a metric line that was there before (line_memory.h), and everything
//   that stands among such lines: a launcher that has lost its stream (`[ray]
//   Log stream ended but job X ... reconnecting`) prints it from the beginning.
//   The metric line still counts as a step line.
// Rejects: metric lines without a number: malformed.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/formats/event_reader.h"
#include "parsers/formats/line_memory.h"
#include "parsers/formats/log_format.h"
#include "parsers/formats/slime_events.h"
#include "parsers/formats/slime_line.h"
#include "parsers/formats/stamp_trail.h"
#include "parsers/lines/payload.h"

namespace rlrun {

class SlimeConsole : public LogFormat {
 public:
  std::string_view name() const override { return "slime_console"; }
  void ParseLines(std::span<const Line> lines, LogFacts* facts) override;
  void Finish(LogFacts* facts) override;
  void Reset() override { *this = SlimeConsole(); }

 private:
  LineOutcome ParseLine(const Line& line, LogFacts* facts);
  LineOutcome ParseMetrics(const Line& line, const SlimeLine& metrics,
                           std::string_view payload, LogFacts* facts);
  LineOutcome ParseOther(const Line& line, std::string_view payload,
                         const ActorPrefix& prefix, LogFacts* facts);
  bool IsOld(std::string_view payload);
  void PublishFacts(LogFacts* facts);

  StampTrail stamps_;
  LineMemory memory_;
  SlimeEvents own_;
  EventReader events_;
  std::optional<std::int64_t> rollout_;  // whose first step has not come yet
  std::string scratch_;
};

// `text` behind the time and the identifiers that `modal app logs` can print.
std::string_view SkipModalFront(std::string_view text);

}  // namespace rlrun
