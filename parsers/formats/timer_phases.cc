#include "parsers/formats/timer_phases.h"

#include <algorithm>
#include <cmath>

#include "parsers/values/number.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxProcesses = 16;
constexpr std::size_t kMaxOpen = 16;  // timers of one process
constexpr auto kNowhere = std::string_view::npos;

struct TimerName {
  std::string_view name;
  RunPhase phase;
  bool is_outer = false;  // its time is that of others, too
};
constexpr std::array kTimers = {
    TimerName{"train_wait", RunPhase::kGenerateRollouts},
    TimerName{"rollout", RunPhase::kGenerateRollouts, true},
    TimerName{"eval_rollout", RunPhase::kEvaluateRollouts},
    TimerName{"train", RunPhase::kTraining, true},
    TimerName{"data_preprocess", RunPhase::kTraining},
    TimerName{"actor_train", RunPhase::kOptimizerStep},
    TimerName{"critic_train", RunPhase::kOptimizerStep},
    TimerName{"ref_model_update", RunPhase::kWeightSync},
    TimerName{"update_weights", RunPhase::kWeightSync},
    TimerName{"update_weights_implementation", RunPhase::kWeightSync, true},
    TimerName{"finalize_and_resume_engines", RunPhase::kWeightSync, true},
    TimerName{"save_model", RunPhase::kCheckpointSave},
    TimerName{"sleep", RunPhase::kOffloadTrain},
    TimerName{"wake_up", RunPhase::kOffloadTrain},
};

std::optional<TimerName> FindTimer(std::string_view name) {
  if (name.ends_with("log_probs")) {
    return TimerName{name, RunPhase::kComputeLogProbs};
  }
  const auto found =
      std::find_if(kTimers.begin(), kTimers.end(),
                   [name](const TimerName& t) { return t.name == name; });
  return found == kTimers.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

TimerLine ParseTimerLine(std::string_view text) {
  if (!text.starts_with("Timer ") && !text.starts_with("timer ")) return {};
  text.remove_prefix(6);
  const std::size_t blank = text.find(' ');
  if (blank == kNowhere || blank == 0) return {};
  TimerLine timer;
  const std::string_view rest = text.substr(blank + 1);
  timer.ends = rest.starts_with("end");
  if (!timer.ends && rest != "start") return {};
  constexpr std::string_view kElapsed = "end (elapsed: ";
  if (rest.starts_with(kElapsed)) {
    timer.seconds = ParseNumberFront(rest.substr(kElapsed.size())).value;
  } else if (timer.ends && rest != "end") {
    return {};
  }
  timer.name = text.substr(0, blank);
  return timer;
}

TimerPhases::Process& TimerPhases::ProcessOf(std::string_view name) {
  for (Process& process : processes_) {
    if (process.name == name) return process;
  }
  if (processes_.size() == kMaxProcesses) {
    processes_.erase(processes_.begin());
  }
  processes_.push_back({std::string(name), {}});
  return processes_.back();
}

void TimerPhases::Begin(RunPhase phase, const LogMark& mark,
                        LogEvents* events) {
  events->phases[static_cast<std::size_t>(phase)].begin = mark;
  events->phase = phase;
}

void TimerPhases::End(RunPhase phase, const LogMark& mark, LogEvents* events) {
  events->phases[static_cast<std::size_t>(phase)].end = mark;
}

void TimerPhases::Take(const TimerLine& timer, std::string_view process_name,
                       const LogMark& mark, LogEvents* events) {
  const auto known = FindTimer(timer.name);
  if (!known) return;
  Process& process = ProcessOf(process_name);
  if (!timer.ends) {
    if (process.open.size() == kMaxOpen) process.open.clear();
    process.open.emplace_back(timer.name);
    return Begin(known->phase, mark, events);
  }
  // What was opened inside of it and never closed is over, too.
  const auto place =
      std::find(process.open.begin(), process.open.end(), timer.name);
  process.open.erase(place, process.open.end());
  End(known->phase, mark, events);
  Count(timer, known->phase, events);
  if (!process.open.empty()) {
    events->phase = FindTimer(process.open.back())->phase;
    return;
  }
  for (const Process& other : processes_) {
    if (other.open.empty()) continue;
    events->phase = FindTimer(other.open.back())->phase;
    return;
  }
  events->phase = RunPhase::kTraining;
}

void TimerPhases::Count(const TimerLine& timer, RunPhase phase,
                        LogEvents* events) {
  if (timer.name == "train") ++rollouts_;
  if (!FindTimer(timer.name)->is_outer && timer.seconds > 0 &&
      std::isfinite(timer.seconds)) {
    waiting_[static_cast<std::size_t>(phase)] += timer.seconds;
  }
  if (rollouts_ < 2) return;
  for (std::size_t p = 0; p < kRunPhases; ++p) {
    events->phase_seconds[p] += waiting_[p];
    waiting_[p] = 0;
  }
}

void TimerPhases::NotePerf() {
  rollouts_ = 0;
  waiting_.fill(0);
}

}  // namespace rlrun
