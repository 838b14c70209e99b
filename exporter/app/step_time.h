// When the newest step of a source was printed: design.md, "Time". A step line
// has no clock, so this weighs what stands around it.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/model/log_facts.h"
#include "parsers/model/stamp.h"

namespace rlrun {

class StepClock {
 public:
  // The newest step line. `arrival`: Unix seconds at which it was seen, if it
  // came while the file was followed at its end.
  void NoteStep(const StepRecord& record, std::optional<double> arrival);
  // The stamps of one batch of facts; call it for every batch, after its steps.
  void NoteFacts(const LogFacts& facts);
  // Another text begins: offsets and stamps of the old one say nothing of it.
  void StartNewText();

  // First of: what the source itself says; arrival; the nearest stamped line
  // between the neighbouring steps; `mtime` if the step is the last complete
  // line, which ends at `complete_end`, or only its progress bar and blank
  // lines follow. Unix seconds, absent where none of these tells.
  std::optional<double> LastStep(std::optional<double> mtime,
                                 std::uint64_t complete_end) const;
  // Of a stamp of this text.
  std::optional<double> TimeOf(const Stamp& stamp,
                               std::optional<double> mtime) const;
  // Of the first stamped line of the text.
  std::optional<double> FirstStamp(std::optional<double> mtime) const;
  // Of the last one; absent where more than one step is without a stamp behind
  // it: then it does not tell when the text ends.
  std::optional<double> LastStamp(std::optional<double> mtime) const;

 private:
  bool any_step_ = false;
  std::uint64_t begin_ = 0;  // of the newest step line
  std::uint64_t end_ = 0;
  std::uint64_t quiet_end_ = 0;  // only bars and blanks follow up to here
  std::optional<double> time_;   // as its source says
  std::optional<double> arrival_;
  std::optional<Stamp> before_;
  std::optional<Stamp> behind_;
  std::optional<Stamp> first_stamp_;
  std::optional<Stamp> last_stamp_;
};

}  // namespace rlrun
