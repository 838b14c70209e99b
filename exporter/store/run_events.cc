#include "exporter/store/run_events.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rlrun {
namespace {

constexpr double kDay = 86400;

// Days of the civil calendar since an arbitrary one; Howard Hinnant's
// days_from_civil without the shift to 1970.
std::int64_t DayNumber(int year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t of_era = y - era * 400;
  const std::int64_t of_year =
      (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
}

// Seconds from `older` to `newer`; what one of them does not print is taken to
// be the same, or just before. Never negative.
double Between(const Stamp& older, const Stamp& newer) {
  const auto time = [](const Stamp& s) {
    return s.hour * 3600.0 + s.minute * 60.0 + s.second + s.millisecond * 1e-3;
  };
  double seconds = time(newer) - time(older);
  if (older.month == 0 || newer.month == 0) {
    return seconds < 0 ? seconds + kDay : seconds;
  }
  const bool has_years = older.year != 0 && newer.year != 0;
  const std::int64_t from =
      DayNumber(has_years ? older.year : 2000, older.month, older.day);
  std::int64_t to =
      DayNumber(has_years ? newer.year : 2000, newer.month, newer.day);
  if (!has_years && to < from - 1) to = DayNumber(2001, newer.month, newer.day);
  seconds += static_cast<double>(to - from) * kDay;
  return std::max(seconds, 0.0);
}

// A timing of a step line that is the time of a phase.
struct Timing {
  std::string_view key;
  RunPhase phase;
  bool adds_up = true;  // false: one of several names of one thing
};
constexpr std::array kTimings = {
    Timing{"timing_s/gen", RunPhase::kGenerateRollouts},
    Timing{"timing_s/testing", RunPhase::kEvaluateRollouts},
    Timing{"timing_s/old_log_prob", RunPhase::kComputeLogProbs},
    Timing{"timing_s/ref", RunPhase::kComputeLogProbs},
    Timing{"timing_s/update_critic", RunPhase::kOptimizerStep},
    Timing{"timing_s/update_actor", RunPhase::kOptimizerStep},
    Timing{"timing_s/update_weights", RunPhase::kWeightSync, false},
    Timing{"timing_s/param_sync", RunPhase::kWeightSync, false},
    Timing{"timing_s/timing_s/param_sync", RunPhase::kWeightSync, false},
    Timing{"timing_s/save_checkpoint", RunPhase::kCheckpointSave},
    // slime, miles
    Timing{"perf/rollout_time", RunPhase::kGenerateRollouts},
    Timing{"perf/eval_rollout_time", RunPhase::kEvaluateRollouts},
    Timing{"perf/log_probs_time", RunPhase::kComputeLogProbs},
    Timing{"perf/ref_log_probs_time", RunPhase::kComputeLogProbs},
    Timing{"perf/teacher_log_probs_time", RunPhase::kComputeLogProbs},
    Timing{"perf/data_preprocess_time", RunPhase::kTraining},
    Timing{"perf/actor_train_time", RunPhase::kOptimizerStep},
    Timing{"perf/critic_train_time", RunPhase::kOptimizerStep},
    Timing{"perf/ref_model_update_time", RunPhase::kWeightSync},
    Timing{"perf/update_weights_time", RunPhase::kWeightSync},
    Timing{"perf/save_model_time", RunPhase::kCheckpointSave},
    Timing{"perf/sleep_time", RunPhase::kOffloadTrain},
    Timing{"perf/wake_up_time", RunPhase::kOffloadTrain},
};

std::array<double, kRunPhases> TimesOf(const StepRecord& record) {
  std::array<double, kRunPhases> times{};
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if (!key.starts_with(record.by_rollout ? "perf/" : "timing_s/")) continue;
    if (!(pair.value > 0) || std::isinf(pair.value)) continue;
    for (const Timing& timing : kTimings) {
      if (key != timing.key) continue;
      double& time = times[static_cast<std::size_t>(timing.phase)];
      time = timing.adds_up ? time + pair.value : std::max(time, pair.value);
    }
  }
  return times;
}

}  // namespace

void RunEvents::Apply(const LogFacts& facts, bool live,
                      std::optional<double> time) {
  ++version;
  for (const StepRecord& record : facts.steps) {
    if (record.line_class == LineClass::kTrain && !record.pairs.empty()) {
      newest_training_line = record.begin_offset;
    }
  }
  if (facts.last_stamp) newest_stamp_ = facts.last_stamp;
  ApplyErrors(facts.events);
  ApplyMarks(facts.events);
  ApplyPhases(facts);
  ApplyEngines(facts, live, time);
}

void RunEvents::ApplyErrors(const LogEvents& events) {
  for (std::size_t i = 0; i < kLogErrorKinds; ++i) {
    errors[i] += events.errors[i];
  }
  if (!first_burst) first_burst = events.first_burst;
  if (events.newest_burst) {
    newest_burst = events.newest_burst;
    if (first_burst &&
        first_burst->first.at.offset == newest_burst->first.at.offset) {
      first_burst = newest_burst;
    }
  }
  if (events.severe_burst) severe_burst = events.severe_burst;
  if (events.interrupt) interrupt = events.interrupt;
  if (events.newest_line == 0) return;
  recent.insert(recent.end(), events.recent.begin(), events.recent.end());
  std::erase_if(recent, [&](const RecentLine& r) {
    return r.line + kRecentLines <= events.newest_line;
  });
}

std::size_t RunEvents::CountRecent(LogErrorKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(recent.begin(), recent.end(), [&](const RecentLine& r) {
        return r.kind == kind &&
               (!newest_training_line || r.offset > *newest_training_line);
      }));
}

void RunEvents::ApplyMarks(const LogEvents& events) {
  if (events.end &&
      (!end || !IsBehindTraining(end->at) || events.end->kind <= end->kind)) {
    end = events.end;
  }
  if (events.exit) exit = events.exit;
  if (events.resume) resume = events.resume;
  if (events.samples) samples = events.samples;
  if (events.queue) queue = events.queue;
  for (std::size_t i = 0; i < kControlKinds; ++i) {
    if (events.controls[i]) controls[i] = events.controls[i];
  }
  for (std::size_t i = 0; i < kTrialLineKinds; ++i) {
    trial_lines[i] += events.trial_lines[i];
  }
  if (events.last_activity) last_activity = events.last_activity;
}

void RunEvents::ApplyPhases(const LogFacts& facts) {
  for (std::size_t p = 0; p < kRunPhases; ++p) {
    const PhaseMarks& marks = facts.events.phases[p];
    if (marks.begin) phases[p].begin = marks.begin;
    if (marks.end) phases[p].end = marks.end;
    if (marks.begin || marks.end) phases_shown |= 1u << p;
    const double seconds = facts.events.phase_seconds[p];
    if (seconds > 0) {
      phase_seconds[p] = phase_seconds[p].value_or(0) + seconds;
    }
  }
  if (facts.events.phase) {
    phase = facts.events.phase;
    phases_shown |= 1u << static_cast<unsigned>(*phase);
  }
  for (const StepRecord& record : facts.steps) {
    const std::array<double, kRunPhases> times = TimesOf(record);
    for (std::size_t p = 0; p < kRunPhases; ++p) {
      if (times[p] == 0) continue;
      // A line that is printed twice is one piece of time.
      const LastTime now{record.step, times[p]};
      if (std::exchange(last_times_[p], now) == now) continue;
      phase_seconds[p] = phase_seconds[p].value_or(0) + times[p];
    }
  }
}

void RunEvents::ApplyEngines(const LogFacts& facts, bool live,
                             std::optional<double> time) {
  engines_dropped += facts.events.engines_dropped;
  for (const EngineReading& reading : facts.events.engines) {
    RunEngine* const engine = EngineOf(reading.engine, time);
    if (engine == nullptr) {
      ++engines_dropped;
    } else {
      *engine = {reading, time, live};
    }
  }
  if (live) return;
  for (RunEngine& engine : engines) {
    if (engine.live) continue;
    engine.time = time;
    if (time && engine.reading.at.stamp && newest_stamp_) {
      engine.time = *time - Between(*engine.reading.at.stamp, *newest_stamp_);
    }
  }
}

// The place of a replica; null: there is no room. Those of earlier launches,
// long silent, make room.
RunEngine* RunEvents::EngineOf(const std::string& name,
                               std::optional<double> time) {
  const auto find = [&] {
    return std::lower_bound(engines.begin(), engines.end(), name,
                            [](const RunEngine& e, const std::string& n) {
                              return e.reading.engine < n;
                            });
  };
  auto it = find();
  if (it != engines.end() && it->reading.engine == name) return &*it;
  if (engines.size() == kMaxEngines && time) {
    std::erase_if(engines,
                  [&](const RunEngine& e) { return !e.IsCurrent(*time); });
    it = find();
  }
  if (engines.size() == kMaxEngines) return nullptr;
  return &*engines.emplace(it);
}

void RunEvents::StartNewText() {
  RunEvents kept;
  kept.errors = errors;
  kept.trial_lines = trial_lines;
  kept.engines_dropped = engines_dropped;
  kept.phase_seconds = phase_seconds;
  kept.version = version + 1;
  *this = std::move(kept);
}

bool RunEvents::IsBehindTraining(const LogMark& mark) const {
  return !newest_training_line || mark.offset > *newest_training_line;
}

bool RunEvents::burst_is_last() const {
  return newest_burst && IsBehindTraining(newest_burst->newest);
}

bool RunEvents::severe_burst_is_last() const {
  return severe_burst && IsBehindTraining(severe_burst->newest);
}

bool RunEvents::interrupt_is_last() const {
  return interrupt && IsBehindTraining(interrupt->at);
}

bool RunEvents::end_is_last() const { return end && IsBehindTraining(end->at); }

bool RunEvents::exit_is_last() const {
  return exit && IsBehindTraining(exit->at);
}

const SampleProgress* RunEvents::current_samples() const {
  return samples && IsBehindTraining(samples->at) ? &*samples : nullptr;
}

}  // namespace rlrun
