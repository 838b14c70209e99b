// The console log of verl trainers (synchronous, V1, fully asynchronous, SFT)
// and their copies: `tee` files, launcher output, W&B `output.log`.
//
//   (TaskRunner pid=712) step:3 - actor/lr:1e-06 - training/global_step:3
//
// Accepts: step lines (see step_line.h), with actor prefixes, colours and a
//   deduplicator's suffix around them, or glued behind a progress bar; a bare
//   `step:N` as a heartbeat, from the actor that prints the step lines (before
//   the first of them: from a trainer or runner) or, where nobody prints
//   prefixes, where it continues the steps; totals and bars (progress.h);
//   stamps (values/stamp.h); events (event_reader.h); what states facts of the
//   run (stated_facts.h).
// Ignores: everything else; of prose with "step:" in it nothing is taken.
// Rejects: step lines without a number or a valid pair: malformed. An
//   un-prefixed step line of 4,095 or 4,096 characters is one that W&B cut, as
//   long as the source has shown no longer un-prefixed line: its last pair is
//   not believed.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/formats/event_reader.h"
#include "parsers/formats/log_format.h"
#include "parsers/formats/mode_teller.h"
#include "parsers/formats/stated_facts.h"
#include "parsers/formats/step_line.h"

namespace rlrun {

class VerlConsole : public LogFormat {
 public:
  std::string_view name() const override { return "verl_console"; }
  void ParseLines(std::span<const Line> lines, LogFacts* facts) override;
  void Finish(LogFacts* facts) override;
  void Reset() override { *this = VerlConsole(); }

 private:
  // The prefix in front of the line's first fragment.
  struct Carried {
    bool present = false;
    std::string actor;
  };

  LineOutcome ParseLine(const Line& line, std::string_view line_front,
                        LogFacts* facts);
  std::optional<LineOutcome> ParseStep(const Line& line,
                                       std::string_view line_front,
                                       LogFacts* facts);
  LineOutcome ParseOther(const Line& line, std::string_view payload,
                         ActorPrefix prefix, LogFacts* facts);
  void TakeTotal(std::int64_t total, LogFacts* facts);
  void TakeStamp(const Stamp& stamp, LogFacts* facts);
  void TakeStep(const Line& line, StepRecord record, LogFacts* facts);
  // Keeps track of how far only blanks and bars follow the newest step.
  void NoteQuiet(const Line& line, std::string_view payload, LogFacts* facts);
  void TellMode(RunMode mode, LogFacts* facts);
  void PublishFacts(LogFacts* facts);
  bool IsHeartbeat(std::int64_t step, bool has_prefix,
                   std::string_view actor) const;
  bool IsCutCopy(std::string_view text, bool has_prefix);
  void NoteLongLine(std::string_view text);

  std::optional<std::int64_t> newest_step_;
  std::string step_actor_;  // printed the newest step line with pairs
  bool step_actor_known_ = false;
  Carried carried_;
  ModeTeller mode_;
  bool has_total_ = false;  // a line states it; else the run's facts may
  std::optional<Stamp> stamp_since_step_;  // newest behind the newest step line
  bool quiet_ = false;  // only blanks and bars since the newest step line
  std::optional<Stamp> newest_stamp_;
  std::optional<double> longest_gap_;  // behind the newest step line
  bool stamp_behind_wanted_ = false;  // the newest step line has none behind it
  bool has_longer_lines_ = false;     // so a line of 4,096 is not a cut one
  EventReader events_;
  StatedFacts stated_;
  std::string scratch_;
};

}  // namespace rlrun
