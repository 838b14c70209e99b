#include "parsers/formats/event_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parsers/formats/actor_role.h"
#include "parsers/formats/error_line.h"
#include "parsers/formats/event_text.h"
#include "parsers/formats/wandb_line.h"
#include "parsers/lines/front.h"

namespace rlrun {
namespace {

// Of a dict over more lines than this the end was lost.
constexpr std::uint64_t kMaxStatisticsLines = 1000;
// Of a batch, so many last lines may be the newest activity.
constexpr std::size_t kMaxActivityLines = 32;
constexpr std::size_t kMaxActivityBytes = 4 * kMaxEventText;

// First bytes of payloads of which any event begins.
constexpr std::array<bool, 256> kMayBegin = [] {
  std::array<bool, 256> may{};
  for (int c = 'a'; c <= 'z'; ++c) may[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) may[static_cast<std::size_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) may[static_cast<std::size_t>(c)] = true;
  for (const char c : {'[', '(', '*'}) may[static_cast<std::size_t>(c)] = true;
  may[0xe8] = true;  // a word of Chinese launch scripts
  return may;
}();

// INFO and DEBUG lines of vLLM's logger: engines' readings or nothing.
bool IsQuietLevel(std::string_view payload) {
  return HasFront(payload, "INFO ") || HasFront(payload, "DEBUG ");
}

bool HasWord(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80);
  });
}

bool IsActivity(std::string_view payload) {
  return HasWord(payload) && !payload.ends_with("s/it]") &&
         !payload.ends_with("it/s]") &&
         payload.find(" HTTP/1.") == std::string_view::npos;
}

}  // namespace

bool EventReader::Offer(const Line& line, std::string_view payload,
                        const ActorPrefix& prefix, const Stamp* stamp,
                        LogEvents* events) {
  if (stamp != nullptr) stamp_ = *stamp;
  if (statistics_ && ContinueStatistics(payload, prefix, events)) return true;
  const char c = payload.front();
  if ((c == 'w' || c == '\x1B') && OfferWandb(payload, events)) return true;
  if (!kMayBegin[static_cast<unsigned char>(c)]) return false;
  // Beside engine lines the most frequent ones. Whole results of trials are
  // printed in them, so they are never errors.
  if (HasFront(payload, "[task=")) return OfferRun(line, payload, events);
  const EngineLine engine = FindEngineLine(payload, stamp);
  if (engine.kind != EngineLineKind::kNone) {
    engines_.Note(engine, payload, line.offset, prefix, stamp_);
    return true;
  }
  if (stamp != nullptr && stamp->year == 0 && IsQuietLevel(payload)) {
    return false;
  }
  return OfferOther(line, payload, prefix, events);
}

bool EventReader::OfferWandb(std::string_view payload, LogEvents* events) {
  constexpr std::size_t kColours = 24;  // bytes in front of the word, at most
  if (payload.substr(0, kColours).find("wandb") == std::string_view::npos) {
    return false;
  }
  std::string scratch;
  const WandbLine line = ParseWandbLine(StripEscapes(payload, &scratch));
  if (!line.tells()) return false;
  wandb_.Add({std::string(line.id), line.of_agent});
  events->wandb = wandb_;
  return true;
}

bool EventReader::OfferOther(const Line& line, std::string_view payload,
                             const ActorPrefix& prefix, LogEvents* events) {
  if (OfferAsync(line, payload, prefix, events)) return true;
  if (OfferRun(line, payload, events)) return true;
  ErrorLine error =
      ParseErrorLine(payload, prefix.present() && !IsTrainer(prefix.actor));
  if (error.role == ErrorLine::Role::kNone) return false;
  error.of_helper = IsHelper(prefix.actor);
  const auto before = events->errors;
  const bool taken =
      bursts_.Offer(error, line_number_, MarkOf(line), IsThrough(), events);
  NoteRecent(line, before, events);
  return taken;
}

void EventReader::NoteRecent(
    const Line& line, const std::array<std::uint64_t, kLogErrorKinds>& before,
    LogEvents* events) const {
  for (const LogErrorKind kind :
       {LogErrorKind::kHttpAuth, LogErrorKind::kCudaOom, LogErrorKind::kNccl,
        LogErrorKind::kRetry}) {
    const auto k = static_cast<std::size_t>(kind);
    if (events->errors[k] == before[k]) continue;
    if (events->recent.size() == kRecentLines) {
      events->recent.erase(events->recent.begin());
    }
    events->recent.push_back({kind, line.offset, line_number_});
  }
}

bool EventReader::OfferAsync(const Line& line, std::string_view payload,
                             const ActorPrefix& prefix, LogEvents* events) {
  if (payload.front() != '[' && payload.front() != 'M') return false;
  const AsyncLine async = ParseAsyncLine(payload);
  switch (async.role) {
    case AsyncLine::Role::kNone:
      return false;
    case AsyncLine::Role::kControl:
      events->controls[static_cast<std::size_t>(async.control)] = {MarkOf(line),
                                                                   async.value};
      if (async.control == ControlKind::kParamSync) {
        EndPhase(RunPhase::kOptimizerStep, line, events);
        EndPhase(RunPhase::kWeightSync, line, events);
      }
      return true;
    case AsyncLine::Role::kSamples:
      events->samples = {MarkOf(line), async.collected, async.required};
      if (async.is_first) {
        EndPhase(RunPhase::kOptimizerStep, line, events);
        BeginPhase(RunPhase::kGenerateRollouts, line, events);
      } else if (async.is_complete) {
        EndPhase(RunPhase::kGenerateRollouts, line, events);
        BeginPhase(RunPhase::kOptimizerStep, line, events);
      }
      return true;
    case AsyncLine::Role::kStatistics:
      statistics_ = OpenStatistics{
          {MarkOf(line), {}}, std::string(prefix.pid), line_number_};
      if (ParseStatistics(async.rest, &statistics_->values)) {
        events->queue = std::move(statistics_->values);
        statistics_.reset();
      }
      return true;
  }
  return false;
}

// Other actors' lines may stand between.
bool EventReader::ContinueStatistics(std::string_view payload,
                                     const ActorPrefix& prefix,
                                     LogEvents* events) {
  if (line_number_ - statistics_->first_line > kMaxStatisticsLines) {
    statistics_.reset();
    return false;
  }
  if (prefix.pid != statistics_->pid) return false;
  if (payload.front() != '\'' && payload.front() != '}') {
    // Without prefixes, other lines cannot be told from the end of the dict.
    if (prefix.present()) statistics_.reset();
    return false;
  }
  if (ParseStatistics(payload, &statistics_->values)) {
    events->queue = std::move(statistics_->values);
    statistics_.reset();
  }
  return true;
}

bool EventReader::OfferRun(const Line& line, std::string_view payload,
                           LogEvents* events) {
  const RunLine run = ParseRunLine(payload);
  switch (run.role) {
    case RunLine::Role::kNone:
      return false;
    case RunLine::Role::kPhaseBegin:
      BeginPhase(run.phase, line, events);
      break;
    case RunLine::Role::kPhaseEnd:
      EndPhase(run.phase, line, events);
      break;
    case RunLine::Role::kResume:
    case RunLine::Role::kFromScratch:
      events->resume = {MarkOf(line), run.role == RunLine::Role::kFromScratch,
                        run.step};
      break;
    case RunLine::Role::kEnd:
      has_ended_ = has_ended_ || run.end == EndKind::kTrainer;
      // Of a launch whose run went on, an end is none.
      if (!events->end || run.end <= events->end->kind ||
          events->end->at.offset < newest_training_) {
        events->end = {MarkOf(line), run.end};
      }
      break;
    case RunLine::Role::kTrial:
      ++events->trial_lines[static_cast<std::size_t>(run.trial)];
      break;
    case RunLine::Role::kProgress:
      break;
  }
  if (run.collected && run.required) {
    events->samples = {MarkOf(line), *run.collected, *run.required};
  }
  return true;
}

void EventReader::NoteStep(const Line& line, const StepRecord& record,
                           LogEvents* events) {
  if (!record.pairs.empty()) newest_step_ = record.step;
  if (record.pairs.empty() || record.line_class == LineClass::kRollouter) {
    return;
  }
  // A step line ends what has begun and nothing else.
  constexpr auto kEvaluate = static_cast<unsigned>(RunPhase::kEvaluateRollouts);
  if (((open_phases_ >> kEvaluate) & 1u) != 0) {
    EndPhase(RunPhase::kEvaluateRollouts, line, events);
  }
  if (record.line_class != LineClass::kTrain) return;
  bursts_.EndBurst();
  has_ended_ = false;
  newest_training_ = line.offset;
  for (std::size_t p = 0; p < kRunPhases && open_phases_ != 0; ++p) {
    if (((open_phases_ >> p) & 1u) != 0) {
      EndPhase(static_cast<RunPhase>(p), line, events);
    }
  }
}

void EventReader::BeginPhase(RunPhase phase, const Line& line,
                             LogEvents* events) {
  const auto p = static_cast<std::size_t>(phase);
  events->phases[p].begin = MarkOf(line);
  events->phase = phase;
  open_phases_ |= 1u << p;
}

void EventReader::EndPhase(RunPhase phase, const Line& line,
                           LogEvents* events) {
  const auto p = static_cast<std::size_t>(phase);
  const bool is_open = ((open_phases_ >> p) & 1u) != 0;
  if (!is_open && line.may_have_step) return;
  events->phases[p].end = MarkOf(line);
  open_phases_ &= ~(1u << p);
  events->phase = RunPhase::kTraining;
  // Validation inside collection: back to what is still open.
  for (std::size_t q = 0; q < kRunPhases; ++q) {
    if (((open_phases_ >> q) & 1u) != 0) {
      events->phase = static_cast<RunPhase>(q);
    }
  }
}

bool EventReader::IsThrough() const {
  return has_ended_ ||
         (newest_step_ && total_steps_ && *newest_step_ >= *total_steps_);
}

void EventReader::EndBatch(std::span<const Line> lines,
                           bool (*is_step)(const Line&)) {
  engines_.EndBatch();
  const std::size_t n = std::min(lines.size(), kMaxActivityLines);
  for (std::size_t i = 0; i < n; ++i) {
    const Line& line = lines[lines.size() - 1 - i];
    if (is_step != nullptr ? is_step(line) : line.may_have_step) continue;
    ActorPrefix prefix;
    const std::string_view payload = SkipPrefixes(line.text, &prefix);
    if (!IsActivity(payload.substr(0, kMaxActivityBytes))) continue;
    activity_.assign(payload.substr(0, kMaxActivityBytes));
    activity_at_ = MarkOf(line);
    has_activity_ = true;
    return;
  }
}

void EventReader::Finish(LogEvents* events) {
  engines_.Take(events);
  events->newest_line = line_number_;
  if (!std::exchange(has_activity_, false)) return;
  events->last_activity = {activity_at_, EventText(activity_)};
}

}  // namespace rlrun
