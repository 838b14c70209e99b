#include "parsers/formats/slime_console.h"

#include <utility>

#include "parsers/formats/actor_role.h"
#include "parsers/lines/front.h"
#include "parsers/values/stamp.h"

namespace rlrun {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// `2026-03-01 05:00:00+00:00 `; 0: there is none.
std::size_t ZonedStampSize(std::string_view text) {
  constexpr std::string_view kZone = "+00:00 ";
  constexpr std::size_t kDate = 19;
  if (text.size() < kDate + kZone.size() || !IsDigit(text.front()) ||
      text[4] != '-') {
    return 0;
  }
  const std::size_t zone = text.substr(0, 40).find(kZone);
  return zone == std::string_view::npos || zone < kDate ? 0
                                                        : zone + kZone.size();
}

// `ta-01JAB23CD `, of a container, a function or an app.
std::size_t IdentifierSize(std::string_view text) {
  if (text.size() < 12 || text[2] != '-' ||
      (!HasFront(text, "ta-") && !HasFront(text, "fu-") &&
       !HasFront(text, "fc-") && !HasFront(text, "ap-"))) {
    return 0;
  }
  std::size_t i = 3;
  while (i < text.size() &&
         (IsDigit(text[i]) || (text[i] >= 'A' && text[i] <= 'Z') ||
          (text[i] >= 'a' && text[i] <= 'z'))) {
    ++i;
  }
  return i >= 9 && i < text.size() && text[i] == ' ' ? i + 1 : 0;
}

bool IsMetricLine(const Line& line) {
  std::string scratch;
  ActorPrefix ignored;
  const std::string_view payload = SkipFrontAndPrefixes(
      SkipModalFront(StripEscapes(line.text, &scratch)), &ignored);
  return FindSlimeLine(payload).type != SlimeLine::Type::kNone;
}

}  // namespace

std::string_view SkipModalFront(std::string_view text) {
  text.remove_prefix(ZonedStampSize(text));
  for (int i = 0; i < 2; ++i) text.remove_prefix(IdentifierSize(text));
  return text;
}

void SlimeConsole::ParseLines(std::span<const Line> lines, LogFacts* facts) {
  for (const Line& line : lines) {
    const LineOutcome outcome = ParseLine(line, facts);
    ++facts->lines[static_cast<std::size_t>(outcome)];
  }
  events_.EndBatch(lines, &IsMetricLine);
  PublishFacts(facts);
}

LineOutcome SlimeConsole::ParseLine(const Line& line, LogFacts* facts) {
  events_.NextLine();
  ActorPrefix prefix;
  const std::string_view text =
      SkipModalFront(StripEscapes(line.text, &scratch_));
  const std::string_view payload = SkipFrontAndPrefixes(text, &prefix);
  if (payload.empty()) return LineOutcome::kIgnored;
  if (!facts->trainer_actor && prefix.present()) {
    facts->trainer_actor = IsOfSlime(prefix.actor);
  }
  const SlimeLine metrics = FindSlimeLine(payload);
  if (metrics.type != SlimeLine::Type::kNone) {
    return ParseMetrics(line, metrics, payload, facts);
  }
  return ParseOther(line, payload, prefix, facts);
}

LineOutcome SlimeConsole::ParseMetrics(const Line& line,
                                       const SlimeLine& metrics,
                                       std::string_view payload,
                                       LogFacts* facts) {
  SlimeLine whole = metrics;
  whole.dict = DropRepeatedSuffix(metrics.dict);
  if (memory_.IsRepeated(static_cast<std::size_t>(whole.type), whole.number,
                         whole.dict)) {
    return LineOutcome::kStep;
  }
  StepRecord record;
  if (!ReadSlimeLine(whole, &record, &facts->values_skipped)) {
    return LineOutcome::kMalformed;
  }
  own_.NoteFramework(whole.process.empty() ? "slime" : "miles");
  if (auto stamp = ParseStamp(payload)) {
    stamp->offset = line.offset;
    stamps_.Note(*stamp, facts);
  }
  if (record.line_class == LineClass::kRollout) {
    if (whole.type == SlimeLine::Type::kRollout) rollout_ = record.step;
    if (whole.type == SlimeLine::Type::kPerf) own_.NotePerf();
  }
  if (record.line_class == LineClass::kTrain) {
    if (rollout_) own_.NoteStep(*rollout_, record.step);
    rollout_.reset();
    facts->mode = record.dialect == KeyDialect::kSlimeSft ? RunMode::kSft
                  : own_.is_async()                       ? RunMode::kAsync
                                                          : RunMode::kSync;
    events_.NoteStep(line, record, &facts->events);
  }
  stamps_.Add(line, std::move(record), facts);
  return LineOutcome::kStep;
}

LineOutcome SlimeConsole::ParseOther(const Line& line, std::string_view payload,
                                     const ActorPrefix& prefix,
                                     LogFacts* facts) {
  if (IsOld(payload)) return LineOutcome::kIgnored;
  std::optional<Stamp> stamp = ParseStamp(payload);
  if (stamp) {
    stamp->offset = line.offset;
    stamps_.Note(*stamp, facts);
    events_.NoteStamp(*stamp);
  }
  std::string_view process = prefix.pid;
  const std::string_view message = SkipLogHeads(payload, &process);
  const LogMark mark{line.offset, stamps_.newest()};
  ErrorLine error;
  if (own_.Offer(message, process, mark, facts, &error)) {
    if (error.role != ErrorLine::Role::kNone) {
      events_.NoteError(error, line, &facts->events);
    }
    return LineOutcome::kEvent;
  }
  const bool taken = !message.empty() &&
                     events_.Offer(line, message, prefix,
                                   stamp ? &*stamp : nullptr, &facts->events);
  return taken || stamp ? LineOutcome::kEvent : LineOutcome::kIgnored;
}

// Printed again by a launcher that has lost its stream. How a job ended is said
// by the launcher itself.
bool SlimeConsole::IsOld(std::string_view payload) {
  if (HasFront(payload, "Final Ray job status: ") ||
      (HasFront(payload, "Job '") &&
       (payload.ends_with("' succeeded") || payload.ends_with("' failed")))) {
    memory_.NoteEnd(payload);
  } else if (HasFront(payload, "Running entrypoint for job ")) {
    if (memory_.BeginsAgain(payload)) return true;
  } else if (HasFront(payload, "[ray] Log stream ended")) {
    memory_.ExpectReplay();
    return true;
  }
  return memory_.IsOld(payload);
}

void SlimeConsole::PublishFacts(LogFacts* facts) {
  auto news = own_.TakeNews();
  if (news == nullptr) return;
  if (news->total_steps) {
    facts->total_steps = news->total_steps;
    events_.NoteTotal(*news->total_steps);
  }
  facts->run_facts = std::move(news);
}

void SlimeConsole::Finish(LogFacts* facts) {
  PublishFacts(facts);
  events_.Finish(&facts->events);
}

}  // namespace rlrun
