#include "parsers/formats/slime_events.h"

#include <array>
#include <charconv>
#include <string>

#include "parsers/formats/event_text.h"
#include "parsers/formats/run_line.h"
#include "parsers/values/number.h"

namespace rlrun {
namespace {

constexpr auto kNowhere = std::string_view::npos;

// `text` behind `front`; no value: it does not begin with it.
std::optional<std::string_view> Behind(std::string_view text,
                                       std::string_view front) {
  if (!text.starts_with(front)) return std::nullopt;
  return text.substr(front.size());
}

std::string_view Word(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t,;'\""));
}

// The value of `--name VALUE` or `--name=VALUE`; empty: there is none.
std::string_view Flag(std::string_view command, std::string_view name) {
  for (std::size_t at = command.find(name); at != kNowhere;
       at = command.find(name, at + 1)) {
    const std::string_view rest = command.substr(at + name.size());
    if (at == 0 || command[at - 1] != ' ' || rest.empty()) continue;
    if (rest.front() == ' ' || rest.front() == '=') return Word(rest.substr(1));
  }
  return {};
}

std::optional<std::int64_t> WholeFlag(std::string_view command,
                                      std::string_view name) {
  const std::string_view text = Flag(command, name);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    return std::nullopt;
  }
  return value;
}

// `a/b` at the front of `text`.
std::optional<SampleProgress> ParseShare(std::string_view text) {
  SampleProgress share;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, share.collected);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != '/') return {};
  read = std::from_chars(read.ptr + 1, end, share.required);
  if (read.ec != std::errc() || share.collected < 0 ||
      share.required < share.collected) {
    return std::nullopt;
  }
  return share;
}

// The `a/b` of a bar: `| a/b [`.
std::optional<SampleProgress> ParseBar(std::string_view text) {
  const std::size_t open = text.rfind(" [");
  if (open == kNowhere) return std::nullopt;
  std::size_t at = text.rfind('|', open);
  if (at == kNowhere) return std::nullopt;
  ++at;
  while (at < open && text[at] == ' ') ++at;
  return ParseShare(text.substr(at, open - at));
}

// The value of ` key=` in a line of `key=value` words.
std::string_view Logfmt(std::string_view text, std::string_view key) {
  std::string name(" ");
  name.append(key).push_back('=');
  const std::size_t at = text.find(name);
  return at == kNowhere ? std::string_view()
                        : Word(text.substr(at + name.size()));
}

struct PhaseText {
  std::string_view front;
  RunPhase phase;
  bool ends = false;
};
constexpr std::array kPhaseTexts = {
    PhaseText{"Downloading model ", RunPhase::kDownloadModel},
    PhaseText{"Preparing dataset (", RunPhase::kPrepareDataset},
    PhaseText{"Submitted Ray job: ", RunPhase::kInitializeRollouts},
    PhaseText{"First rollout sample: ", RunPhase::kGenerateRollouts},
    PhaseText{"Finish rollout: ", RunPhase::kGenerateRollouts, true},
    PhaseText{"saving checkpoint at iteration ", RunPhase::kCheckpointSave},
    PhaseText{"successfully saved checkpoint from iteration ",
              RunPhase::kCheckpointSave, true},
};

}  // namespace

bool SlimeEvents::Offer(std::string_view text, std::string_view process,
                        const LogMark& mark, LogFacts* facts,
                        ErrorLine* error) {
  if (text.empty()) return false;
  const TimerLine timer = ParseTimerLine(text);
  if (!timer.name.empty()) {
    timers_.Take(timer, process, mark, &facts->events);
    return true;
  }
  for (const PhaseText& phase : kPhaseTexts) {
    if (!text.starts_with(phase.front)) continue;
    if (phase.ends) {
      TimerPhases::End(phase.phase, mark, &facts->events);
      facts->events.phase = RunPhase::kTraining;
    } else {
      TimerPhases::Begin(phase.phase, mark, &facts->events);
    }
    return true;
  }
  return OfferLauncher(text, mark, facts, error) ||
         OfferRollout(text, mark, &facts->events) ||
         OfferFaultTolerance(text, mark, &facts->events, error);
}

bool SlimeEvents::OfferLauncher(std::string_view text, const LogMark& mark,
                                LogFacts* facts, ErrorLine* error) {
  const char c = text.front();
  if (c != 'T' && c != 'J' && c != 'F' && c != 'R' && c != 'W') return false;
  if (const auto id = Behind(text, "Training run id: ")) {
    const std::string_view word = Word(*id);
    if (word.empty() || stated_.training_run_id == word) return true;
    stated_.training_run_id = std::string(word);
    has_news_ = true;
    TimerPhases::Begin(RunPhase::kInitializing, mark, &facts->events);
    return true;
  }
  const auto command = Behind(text, "Running entrypoint for job ");
  if (command && command->find("train") != kNowhere) {
    TakeCommand(*command);
    return true;
  }
  const bool is_job =
      text.starts_with("Job '") && text.substr(0, 80).find("' ") != kNowhere;
  const auto status = Behind(text, "Final Ray job status: ");
  if (text.starts_with("TrainResult saved: ") ||
      (status && status->starts_with("SUCCEEDED")) ||
      (is_job && text.ends_with("' succeeded"))) {
    facts->events.end = {mark, EndKind::kTrainer};
    return true;
  }
  if ((status && status->starts_with("FAILED")) ||
      (is_job && text.ends_with("' failed"))) {
    *error = {ErrorLine::Role::kError, LogErrorKind::kTrainerCrash, false,
              text};
    return true;
  }
  if (status && status->starts_with("STOPPED")) {
    *error = {ErrorLine::Role::kInterrupt, {}, false, text};
    return true;
  }
  if (text.starts_with("WARNING: training run ") &&
      text.find(" is retrying after ") != kNowhere) {
    facts->events.resume = {mark, false, std::nullopt};
    return true;
  }
  return false;
}

bool SlimeEvents::OfferRollout(std::string_view text, const LogMark& mark,
                               LogEvents* events) {
  std::optional<SampleProgress> samples;
  if (text.starts_with("Rollout generation:")) {
    samples = ParseBar(text);
    if (!samples) return false;
    if (events->phase != RunPhase::kGenerateRollouts) {
      TimerPhases::Begin(RunPhase::kGenerateRollouts, mark, events);
    }
  } else if (text.starts_with("Eval ") && text.find("%|") != kNowhere) {
    if (events->phase != RunPhase::kEvaluateRollouts) {
      TimerPhases::Begin(RunPhase::kEvaluateRollouts, mark, events);
    }
    return true;
  } else if (const auto share = Behind(text, "collected ")) {
    samples = ParseShare(*share);
    if (!samples || text.find(", queue=") == kNowhere) return false;
  } else if (text.starts_with("starting fully-async rollout worker") ||
             text.starts_with("fully-async rollout ")) {
    is_async_ = true;
    return true;
  }
  if (!samples) return false;
  samples->at = mark;
  events->samples = samples;
  return true;
}

// `ft op=train phase=end ok=true elapsed_s=1.0`
bool SlimeEvents::OfferFaultTolerance(std::string_view text,
                                      const LogMark& mark, LogEvents* events,
                                      ErrorLine* error) {
  if (!text.starts_with("ft ")) return false;
  std::string_view what = Logfmt(text, "op");
  if (what.empty()) what = Logfmt(text, "fn");
  if (what.empty()) return false;
  NoteFramework("miles");
  const std::string_view phase = Logfmt(text, "phase");
  const bool begins = phase == "start";
  if (what == "train" || what == "update_weights") {
    const RunPhase of =
        what == "train" ? RunPhase::kOptimizerStep : RunPhase::kWeightSync;
    if (begins) {
      TimerPhases::Begin(of, mark, events);
    } else if (phase == "end") {
      TimerPhases::End(of, mark, events);
      events->phase = RunPhase::kTraining;
    }
  }
  // A cell that is healed, or a step that is tried again, is lived with.
  if (Logfmt(text, "decision") == "retry" || (what == "heal" && begins)) {
    *error = {ErrorLine::Role::kError, LogErrorKind::kRetry, false, text};
  }
  return true;
}

void SlimeEvents::TakeCommand(std::string_view command) {
  has_news_ = true;
  if (command.find("train_async.py") != kNowhere) is_async_ = true;
  rollouts_ = WholeFlag(command, "--num-rollout");
  steps_per_rollout_ = WholeFlag(command, "--num-steps-per-rollout");
  const auto prompts = WholeFlag(command, "--rollout-batch-size");
  const auto samples = WholeFlag(command, "--n-samples-per-prompt");
  const auto batch = WholeFlag(command, "--global-batch-size");
  if (prompts) stated_.prompts_per_step = prompts;
  if (samples) stated_.responses_per_prompt = samples;
  if (!steps_per_rollout_ && prompts && samples && batch) {
    steps_per_rollout_ = *prompts * *samples / *batch;
  }
  if (const auto tokens = WholeFlag(command, "--rollout-max-response-len")) {
    stated_.max_response_tokens = tokens;
  }
  if (const auto every = WholeFlag(command, "--eval-interval")) {
    stated_.test_freq = *every * steps_per_rollout_.value_or(1);
  }
  if (const auto every = WholeFlag(command, "--save-interval")) {
    stated_.save_freq = *every * steps_per_rollout_.value_or(1);
  }
  if (const auto lr = ParseNumber(Flag(command, "--lr"))) stated_.lr = *lr;
  const std::string_view style = Flag(command, "--lr-decay-style");
  if (!style.empty()) stated_.lr_scheduler = std::string(style.substr(0, 40));
  if (const auto warmup = WholeFlag(command, "--lr-warmup-iters")) {
    stated_.lr_warmup_steps = warmup;
  }
  PlanSteps();
}

void SlimeEvents::NoteStep(std::int64_t rollout, std::int64_t step) {
  if (steps_per_rollout_ || rollout < 1 || step % rollout != 0) return;
  steps_per_rollout_ = step / rollout;
  PlanSteps();
}

void SlimeEvents::PlanSteps() {
  if (!rollouts_ || !steps_per_rollout_ || *steps_per_rollout_ < 1) return;
  stated_.total_steps = *rollouts_ * *steps_per_rollout_;
  has_news_ = true;
}

void SlimeEvents::NoteFramework(std::string_view name) {
  if (stated_.framework == name || stated_.framework == "miles") return;
  stated_.framework = std::string(name);
  has_news_ = true;
}

std::shared_ptr<const RunFacts> SlimeEvents::TakeNews() {
  if (!has_news_) return nullptr;
  has_news_ = false;
  return std::make_shared<const RunFacts>(stated_);
}

}  // namespace rlrun
