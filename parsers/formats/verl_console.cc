#include "parsers/formats/verl_console.h"

#include <algorithm>
#include <utility>

#include "parsers/formats/actor_role.h"
#include "parsers/formats/progress.h"
#include "parsers/lines/front.h"
#include "parsers/lines/payload.h"
#include "parsers/values/stamp.h"

namespace rlrun {
namespace {

// W&B's copy of the console ends a line behind this many characters; one less
// where a blank stood there, because it trims what it cut.
constexpr std::size_t kCutCharacters = 4096;

// Characters of UTF-8 text: bytes that do not continue another one.
std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool IsCutLength(std::size_t n) {
  return n == kCutCharacters || n == kCutCharacters - 1;
}

}  // namespace

void VerlConsole::ParseLines(std::span<const Line> lines, LogFacts* facts) {
  // Fragments behind a CR look back at the front of their line.
  constexpr std::size_t kOlderBatch = static_cast<std::size_t>(-1);
  std::size_t front = kOlderBatch;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].continues_line) front = i;
    const std::string_view line_front = front == kOlderBatch || front == i
                                            ? std::string_view()
                                            : lines[front].text;
    const LineOutcome outcome = ParseLine(lines[i], line_front, facts);
    ++facts->lines[static_cast<std::size_t>(outcome)];
  }
  events_.EndBatch(lines);
  PublishFacts(facts);
  if (front == kOlderBatch) return;
  ActorPrefix prefix;
  SkipFrontAndPrefixes(lines[front].text, &prefix);
  carried_.present = prefix.present();
  carried_.actor.assign(prefix.actor);
}

LineOutcome VerlConsole::ParseLine(const Line& line,
                                   std::string_view line_front,
                                   LogFacts* facts) {
  events_.NextLine();
  if (line.text.size() > kCutCharacters && !has_longer_lines_) {
    NoteLongLine(line.text);
  }
  if (line.may_have_step) {
    const auto outcome = ParseStep(line, line_front, facts);
    if (outcome) return *outcome;
  }
  ActorPrefix prefix;
  std::string_view payload = SkipPrefixes(line.text, &prefix);
  if (quiet_) NoteQuiet(line, payload, facts);
  if (!facts->trainer_actor && prefix.present()) {
    facts->trainer_actor = IsOfTrainer(prefix.actor);
  }
  if (payload.empty()) return LineOutcome::kIgnored;
  if (IsAsync(prefix.actor)) TellMode(RunMode::kAsync, facts);
  return ParseOther(line, payload, prefix, facts);
}

LineOutcome VerlConsole::ParseOther(const Line& line, std::string_view payload,
                                    ActorPrefix prefix, LogFacts* facts) {
  // Nearly all lines of a log are of trials, which have no stamp, and of
  // engines, which state nothing else; the rest is for the others.
  const bool is_trial = HasFront(payload, "[task=");
  const bool is_engine = HasFront(payload, "INFO ");
  std::optional<Stamp> stamp;
  if (!is_trial) stamp = ParseStamp(payload);
  if ((is_trial || (is_engine && stamp)) && !stated_.is_open()) {
    if (stamp) {
      stamp->offset = line.offset;
      TakeStamp(*stamp, facts);
    }
    const bool taken = events_.Offer(line, payload, prefix,
                                     stamp ? &*stamp : nullptr, &facts->events);
    return taken || stamp ? LineOutcome::kEvent : LineOutcome::kIgnored;
  }
  bool event = false;
  const char c = payload.front();
  if (!stamp && ((c >= '0' && c <= '9') || payload.starts_with("[pod/"))) {
    payload = SkipFrontAndPrefixes(payload, &prefix);
    if (prefix.present()) stamp = ParseStamp(payload);
  }
  if (stamp) {
    stamp->offset = line.offset;
    TakeStamp(*stamp, facts);
    event = true;
  }
  const std::optional<std::int64_t> total = ParseTotalSteps(payload);
  if (total) {
    TakeTotal(*total, facts);
    event = true;
  }
  if (!payload.empty()) {
    event = stated_.Offer(line, payload, prefix, mode_.base()) || event;
    event = events_.Offer(line, payload, prefix, stamp ? &*stamp : nullptr,
                          &facts->events) ||
            event;
  }
  return event ? LineOutcome::kEvent : LineOutcome::kIgnored;
}

void VerlConsole::TakeTotal(std::int64_t total, LogFacts* facts) {
  has_total_ = true;
  facts->total_steps = total;
  events_.NoteTotal(total);
}

void VerlConsole::TakeStamp(const Stamp& stamp, LogFacts* facts) {
  if (!facts->first_stamp) facts->first_stamp = stamp;
  facts->last_stamp = stamp;
  if (newest_stamp_) {
    const auto gap = SecondsBetween(*newest_stamp_, stamp);
    if (gap) longest_gap_ = std::max(longest_gap_.value_or(0), *gap);
  }
  newest_stamp_ = stamp;
  stamp_since_step_ = stamp;
  if (!stamp_behind_wanted_) return;
  stamp_behind_wanted_ = false;
  if (facts->steps.empty()) {
    facts->stamp_behind_previous = stamp;
  } else {
    facts->steps.back().stamp_behind = stamp;
  }
}

// What became of a line with "step:" in it; nothing: it is no step line and
// may be any other.
std::optional<LineOutcome> VerlConsole::ParseStep(const Line& line,
                                                  std::string_view line_front,
                                                  LogFacts* facts) {
  std::string_view text = StripEscapes(line.text, &scratch_);
  const StepEdge edge = FindStepEdge(text);
  if (edge.at == StepEdge::kNone) return std::nullopt;
  ActorPrefix prefix = edge.prefix;
  bool has_prefix = prefix.present();
  if (!has_prefix && line.continues_line) {
    if (line_front.data() != nullptr) {
      SkipFrontAndPrefixes(line_front, &prefix);
      has_prefix = prefix.present();
    } else if (carried_.present) {
      has_prefix = true;
      prefix.actor = carried_.actor;
    }
  }
  const bool is_cut = IsCutCopy(line.text, has_prefix);
  StepRecord record;
  const StepLineKind kind =
      ParseStepLine(DropRepeatedSuffix(text.substr(edge.at)), is_cut, &record,
                    &facts->values_skipped);
  if (kind == StepLineKind::kNone) return std::nullopt;
  if (kind == StepLineKind::kMalformed) return LineOutcome::kMalformed;
  if (kind == StepLineKind::kBare &&
      !IsHeartbeat(record.step, has_prefix, prefix.actor)) {
    return LineOutcome::kIgnored;
  }
  if (edge.at != 0) {  // a bar may stand in front
    ActorPrefix ignored;
    const auto total =
        ParseTotalSteps(SkipPrefixes(text.substr(0, edge.at), &ignored));
    if (total) TakeTotal(*total, facts);
  }
  if (kind == StepLineKind::kStep) {
    step_actor_known_ = has_prefix;
    if (has_prefix) step_actor_.assign(prefix.actor);
    mode_.NoteStep(record);
    facts->mode = mode_.mode();
  }
  if (IsAsync(prefix.actor)) TellMode(RunMode::kAsync, facts);
  TakeStep(line, std::move(record), facts);
  return LineOutcome::kStep;
}

void VerlConsole::TakeStep(const Line& line, StepRecord record,
                           LogFacts* facts) {
  newest_step_ = record.step;
  record.begin_offset = line.offset;
  record.end_offset = line.end_offset;
  record.stamp_before = std::exchange(stamp_since_step_, std::nullopt);
  record.longest_gap = std::exchange(longest_gap_, std::nullopt);
  stamp_behind_wanted_ = true;
  quiet_ = true;
  facts->quiet_end = line.end_offset;
  events_.NoteStep(line, record, &facts->events);
  facts->steps.push_back(std::move(record));
}

void VerlConsole::NoteQuiet(const Line& line, std::string_view payload,
                            LogFacts* facts) {
  quiet_ = payload.empty() || payload.ends_with("s/it]") ||
           payload.ends_with("it/s]");
  if (quiet_) facts->quiet_end = line.end_offset;
}

void VerlConsole::TellMode(RunMode mode, LogFacts* facts) {
  mode_.Note(mode);
  facts->mode = mode_.mode();
}

void VerlConsole::PublishFacts(LogFacts* facts) {
  auto news = stated_.TakeNews();
  if (news == nullptr) return;
  mode_.NoteFacts(*news);
  facts->mode = mode_.mode();
  if (!has_total_ && news->total_steps) {
    facts->total_steps = news->total_steps;
    events_.NoteTotal(*news->total_steps);
  }
  facts->run_facts = std::move(news);
}

void VerlConsole::Finish(LogFacts* facts) {
  stated_.Finish(mode_.base(), facts);
  PublishFacts(facts);
  events_.Finish(&facts->events);
}

// A model may print "step:3", so a bare number needs a reason to be believed.
bool VerlConsole::IsHeartbeat(std::int64_t step, bool has_prefix,
                              std::string_view actor) const {
  if (step_actor_known_) return has_prefix && actor == step_actor_;
  if (has_prefix) return IsTrainer(actor);
  return newest_step_ && step >= *newest_step_ && step - *newest_step_ <= 1;
}

bool VerlConsole::IsCutCopy(std::string_view text, bool has_prefix) {
  if (has_prefix || has_longer_lines_ || text.size() < kCutCharacters - 1) {
    return false;
  }
  return IsCutLength(text.size()) || IsCutLength(CountCharacters(text));
}

void VerlConsole::NoteLongLine(std::string_view text) {
  ActorPrefix prefix;
  SkipFrontAndPrefixes(text, &prefix);
  if (prefix.present()) return;
  has_longer_lines_ = CountCharacters(text) > kCutCharacters;
}

}  // namespace rlrun
