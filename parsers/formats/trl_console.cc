#include "parsers/formats/trl_console.h"

#include <memory>
#include <utility>

#include "parsers/lines/payload.h"
#include "parsers/values/stamp.h"

namespace rlrun {
namespace {

bool IsMetricLine(const Line& line) {
  ActorPrefix ignored;
  return MayBeTrlDict(SkipPrefixes(line.text, &ignored));
}

}  // namespace

void TrlConsole::ParseLines(std::span<const Line> lines, LogFacts* facts) {
  for (const Line& line : lines) {
    const LineOutcome outcome = ParseLine(line, facts);
    ++facts->lines[static_cast<std::size_t>(outcome)];
  }
  events_.EndBatch(lines, &IsMetricLine);
}

LineOutcome TrlConsole::ParseLine(const Line& line, LogFacts* facts) {
  events_.NextLine();
  ActorPrefix prefix;
  const std::string_view payload =
      SkipFrontAndPrefixes(StripEscapes(line.text, &scratch_), &prefix);
  if (payload.empty()) return LineOutcome::kIgnored;
  StepRecord record;
  const TrlLine metrics = ReadTrlLine(payload, &record, &facts->values_skipped);
  if (metrics.before) NoteBar(*metrics.before, facts);
  if (metrics.role != TrlLine::Role::kNone) {
    return ParseMetrics(line, metrics, std::move(record), facts);
  }
  if (metrics.before) return LineOutcome::kEvent;
  auto stamp = ParseStamp(payload);
  if (stamp) {
    stamp->offset = line.offset;
    stamps_.Note(*stamp, facts);
  }
  const bool taken = events_.Offer(line, payload, prefix,
                                   stamp ? &*stamp : nullptr, &facts->events);
  return taken || stamp ? LineOutcome::kEvent : LineOutcome::kIgnored;
}

LineOutcome TrlConsole::ParseMetrics(const Line& line, const TrlLine& metrics,
                                     StepRecord record, LogFacts* facts) {
  if (!std::exchange(told_, true)) {
    RunFacts stated;
    stated.framework = "trl";
    facts->run_facts = std::make_shared<const RunFacts>(std::move(stated));
  }
  switch (metrics.role) {
    case TrlLine::Role::kTraining:
      record.step = StepOfLine();
      record.clock = std::exchange(clock_, 0);
      facts->mode = record.dialect == KeyDialect::kTrlSft ? RunMode::kSft
                                                          : RunMode::kSync;
      events_.NoteStep(line, record, &facts->events);
      break;
    case TrlLine::Role::kSummary:
      record.step = bar_.value_or(step_);
      // Behind its own line, which is one of training.
      facts->events.end = {{line.offset + 1, stamps_.newest()},
                           EndKind::kTrainer};
      break;
    default:
      record.step = bar_.value_or(step_);
      break;
  }
  stamps_.Add(line, std::move(record), facts);
  if (metrics.behind) NoteBar(*metrics.behind, facts);
  return LineOutcome::kStep;
}

void TrlConsole::NoteBar(const TrlBar& bar, LogFacts* facts) {
  if (!total_) {
    total_ = bar.total;
    facts->total_steps = total_;
    events_.NoteTotal(*total_);
  }
  if (bar.total != *total_) return;
  bar_ = bar.done;
  if (bar.clock != 0) clock_ = bar.clock;
}

std::int64_t TrlConsole::StepOfLine() {
  std::int64_t step = step_ + stride_;
  // A bar that is drawn again behind its line shows the step of that line.
  if (bar_ && *bar_ > 0 && *bar_ != step_) {
    if (*bar_ > step_ && step_ > 0) stride_ = *bar_ - step_;
    step = *bar_;
  }
  bar_.reset();
  return step_ = step;
}

}  // namespace rlrun
