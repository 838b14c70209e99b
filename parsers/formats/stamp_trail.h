// The stamps of a console whose step lines carry their own, or none: which
// stamp dates a step, and how long the text was silent between two of them.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <optional>

#include "parsers/lines/line.h"
#include "parsers/model/log_facts.h"
#include "parsers/model/stamp.h"

namespace rlrun {

class StampTrail {
 public:
  // The stamp of a line that stands at stamp.offset.
  void Note(const Stamp& stamp, LogFacts* facts);
  // Gives the record, of `line`, its place and the stamps around it, and
  // appends it to the facts.
  void Add(const Line& line, StepRecord record, LogFacts* facts);
  const std::optional<Stamp>& newest() const { return newest_; }

 private:
  std::optional<Stamp> newest_;
  std::optional<Stamp> since_step_;    // newest behind the newest step line
  std::optional<double> longest_gap_;  // behind the newest step line
  bool behind_wanted_ = false;  // the newest step line has none behind it
};

}  // namespace rlrun
