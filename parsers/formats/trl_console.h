// The console log of a Hugging Face trainer (transformers, TRL and what is
// built on them).
//
//   5%|#     | 25/500 [01:48<34:10,  4.23s/it]
//   {'loss': 0.0123, 'grad_norm': 0.4, 'reward': 0.5, 'epoch': 0.01}
//
// Accepts: metric lines and bars (trl_line.h); stamps (values/stamp.h); errors
//   (event_reader.h).
// The lines have no step: it is the one of the bar that came since the line
//   before, or, without one, as far behind that line as it was behind the one
//   before it (at first: one). Only bars of the total of the first one count:
//   others are of evaluations. The last line sums the run up: it ends it, and
//   takes no key away.
// Rejects: nothing.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/formats/event_reader.h"
#include "parsers/formats/log_format.h"
#include "parsers/formats/stamp_trail.h"
#include "parsers/formats/trl_line.h"

namespace rlrun {

class TrlConsole : public LogFormat {
 public:
  std::string_view name() const override { return "trl_console"; }
  void ParseLines(std::span<const Line> lines, LogFacts* facts) override;
  void Finish(LogFacts* facts) override { events_.Finish(&facts->events); }
  void Reset() override { *this = TrlConsole(); }

 private:
  LineOutcome ParseLine(const Line& line, LogFacts* facts);
  LineOutcome ParseMetrics(const Line& line, const TrlLine& metrics,
                           StepRecord record, LogFacts* facts);
  void NoteBar(const TrlBar& bar, LogFacts* facts);
  std::int64_t StepOfLine();

  StampTrail stamps_;
  EventReader events_;
  std::optional<std::int64_t> total_;
  std::optional<std::int64_t> bar_;  // newest, since the newest training line
  std::size_t clock_ = 0;            // of the newest bar, as above
  std::int64_t step_ = 0;            // of the newest training line
  std::int64_t stride_ = 1;
  bool told_ = false;  // the framework
  std::string scratch_;
};

}  // namespace rlrun
