// Takes the events from the lines of a console log that are no step lines: each
// line is offered to the small parsers beside this file, and what they say is
// kept in LogEvents. It knows where the lines stand, what time it is in the
// log, and which phases are open. Not thread-safe; one object belongs to one
// reader at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "parsers/formats/async_line.h"
#include "parsers/formats/engine_readings.h"
#include "parsers/formats/error_bursts.h"
#include "parsers/formats/run_line.h"
#include "parsers/lines/line.h"
#include "parsers/lines/payload.h"
#include "parsers/model/log_events.h"
#include "parsers/model/step_record.h"

namespace rlrun {

class EventReader {
 public:
  // Before anything else is said of a line.
  void NextLine() { ++line_number_; }
  // A line that is no step line; `payload` is it behind its prefixes, not
  // empty; `stamp`: its own, or null. Returns whether anything was taken.
  bool Offer(const Line& line, std::string_view payload,
             const ActorPrefix& prefix, const Stamp* stamp, LogEvents* events);
  void NoteStep(const Line& line, const StepRecord& record, LogEvents* events);
  void NoteTotal(std::int64_t total_steps) { total_steps_ = total_steps; }
  // The stamp of a line that is not offered.
  void NoteStamp(const Stamp& stamp) { stamp_ = stamp; }
  // An error that only the caller can tell.
  bool NoteError(const ErrorLine& error, const Line& line, LogEvents* events) {
    return bursts_.Offer(error, line_number_, MarkOf(line), IsThrough(),
                         events);
  }
  // The views into these lines end. `is_step`: tells step lines where
  // Line::may_have_step does not.
  void EndBatch(std::span<const Line> lines,
                bool (*is_step)(const Line&) = nullptr);
  // The facts are taken: what was only remembered is read.
  void Finish(LogEvents* events);

 private:
  LogMark MarkOf(const Line& line) const { return {line.offset, stamp_}; }
  bool OfferOther(const Line& line, std::string_view payload,
                  const ActorPrefix& prefix, LogEvents* events);
  bool OfferAsync(const Line& line, std::string_view payload,
                  const ActorPrefix& prefix, LogEvents* events);
  bool OfferRun(const Line& line, std::string_view payload, LogEvents* events);
  bool ContinueStatistics(std::string_view payload, const ActorPrefix& prefix,
                          LogEvents* events);
  bool OfferWandb(std::string_view payload, LogEvents* events);
  void NoteRecent(const Line& line,
                  const std::array<std::uint64_t, kLogErrorKinds>& before,
                  LogEvents* events) const;
  void BeginPhase(RunPhase phase, const Line& line, LogEvents* events);
  void EndPhase(RunPhase phase, const Line& line, LogEvents* events);
  bool IsThrough() const;

  std::uint64_t line_number_ = 0;
  std::optional<Stamp> stamp_;  // newest
  std::optional<std::int64_t> newest_step_, total_steps_;
  bool has_ended_ = false;
  std::uint64_t newest_training_ = 0;  // offset of its line; 0: none
  std::uint32_t open_phases_ = 0;      // bit p: begun and not ended
  ToldWandbRun wandb_;
  EngineReadings engines_;
  ErrorBursts bursts_;
  // Statistics that are printed over several lines.
  struct OpenStatistics {
    QueueStatistics values;
    std::string pid;
    std::uint64_t first_line;
  };
  std::optional<OpenStatistics> statistics_;
  // The newest line worth showing, raw; it is masked when it is taken.
  bool has_activity_ = false;
  LogMark activity_at_;
  std::string activity_;
};

}  // namespace rlrun
