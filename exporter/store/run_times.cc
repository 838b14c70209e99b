#include "exporter/store/run_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "exporter/store/median.h"

namespace rlrun {
namespace {

// Durations that the median is taken of.
constexpr std::size_t kDurations = 64;

// As printed, the first that is there; step_state.h knows the same ones.
constexpr std::array<std::string_view, 5> kStepSeconds = {
    "timing_s/step", "perf/time_per_step", "perf/step_time", "train/time(s)",
    "step_time"};
constexpr std::array<std::string_view, 3> kValidationSeconds = {
    "timing_s/testing", "rollouter/validate_time", "trainer/validate_time"};
constexpr std::array<std::string_view, 1> kCheckpointSeconds = {
    "timing_s/save_checkpoint"};

// Of the first key that the line has with a length of time; later wins.
template <std::size_t N>
std::optional<double> Seconds(const StepRecord& record,
                              const std::array<std::string_view, N>& keys) {
  for (const std::string_view key : keys) {
    std::optional<double> seconds;
    for (const StepRecord::Pair& pair : record.pairs) {
      if (record.Key(pair) == key) seconds = pair.value;
    }
    if (seconds && std::isfinite(*seconds) && *seconds >= 0) return seconds;
  }
  return std::nullopt;
}

void Raise(std::optional<double>* longest, std::optional<double> seconds) {
  if (seconds) *longest = std::max(longest->value_or(0), *seconds);
}

}  // namespace

std::optional<double> RunTimes::written() const {
  if (!mtime || !growth) return mtime ? mtime : growth;
  return std::max(*mtime, *growth);
}

std::optional<double> RunTimes::silence() const {
  const std::optional<double> last = written();
  if (!last) return std::nullopt;
  return std::max(now - *last, 0.0);
}

void RunTimeline::NoteSource(bool readable, std::optional<double> mtime) {
  times_.readable = readable;
  blind_ = blind_ || !readable;
  if (mtime) times_.mtime = mtime;
}

void RunTimeline::NoteTrial(double changed) {
  times_.trial_time = std::max(times_.trial_time.value_or(changed), changed);
}

void RunTimeline::StartNewText() {
  ++times_.texts;
  step_.reset();
  step_end_ = 0;
  step_silence_ = 0;
  step_interrupted_ = true;
  resume_.reset();
  arrival_.reset();
}

void RunTimeline::NoteGrowth(double time) {
  const std::optional<double> before = times_.written();
  if (before && !blind_) {
    const double silence = time - *before;
    step_silence_ = std::max(step_silence_, silence);
    if (silence >= kLongSilence) times_.grown_since = time;
  }
  blind_ = false;
  times_.growth = std::max(times_.growth.value_or(time), time);
}

void RunTimeline::Apply(const LogFacts& facts, std::optional<double> arrival) {
  if (arrival) NoteGrowth(*arrival);
  const auto& resume = facts.events.resume;
  if (resume) resume_ = resume->at.offset;
  for (const StepRecord& record : facts.steps) NoteStep(record, arrival);
}

void RunTimeline::NoteStep(const StepRecord& record,
                           std::optional<double> arrival) {
  Raise(&times_.longest_validation, Seconds(record, kValidationSeconds));
  Raise(&times_.longest_checkpoint, Seconds(record, kCheckpointSeconds));
  if (record.longest_gap) {
    step_silence_ = std::max(step_silence_, *record.longest_gap);
  }
  if (record.by_rollout) NoteRolloutTime(record);
  if (record.line_class == LineClass::kTrain && !record.pairs.empty()) {
    ++steps_of_rollout_;
    NoteTrainingStep(record, arrival);
  }
}

// The time of a rollout is that of all training steps that it was used for.
void RunTimeline::NoteRolloutTime(const StepRecord& record) {
  if (record.line_class != LineClass::kRollout || !step_) return;
  const std::optional<double> seconds = Seconds(record, kStepSeconds);
  if (!seconds) return;
  NoteDuration(*step_, *seconds / std::max(steps_of_rollout_, 1));
  steps_of_rollout_ = 0;
}

void RunTimeline::NoteTrainingStep(const StepRecord& record,
                                   std::optional<double> arrival) {
  ++times_.training_lines;
  const bool again = step_ && record.step == *step_;
  const bool resumed =
      (step_ && record.step < *step_) || step_interrupted_ ||
      (resume_ && *resume_ >= step_end_ && *resume_ < record.begin_offset);
  std::optional<double> seconds = Seconds(record, kStepSeconds);
  if (!seconds && arrival && arrival_ && step_ && record.step == *step_ + 1 &&
      *arrival > *arrival_) {
    seconds = *arrival - *arrival_;
  }
  if (seconds) NoteDuration(record.step, *seconds);
  if (!resumed) {
    // Where nothing shows the silences of a step, it may be one of them.
    if (step_silence_ == 0 && !arrival && seconds) step_silence_ = *seconds;
    times_.longest_silence = std::max(times_.longest_silence, step_silence_);
  }
  step_silence_ = 0;
  step_interrupted_ = false;
  step_ = record.step;
  step_end_ = record.end_offset;
  if (!again) arrival_ = arrival;
}

void RunTimeline::NoteDuration(std::int64_t step, double seconds) {
  while (!durations_.empty() && durations_.back().first >= step) {
    durations_.pop_back();
  }
  durations_.emplace_back(step, seconds);
  if (durations_.size() > kDurations) durations_.pop_front();
  std::array<double, kDurations> lengths{};
  std::size_t count = 0;
  for (const auto& [of, length] : durations_) lengths[count++] = length;
  times_.step_seconds = Median(std::span(lengths).first(count));
}

}  // namespace rlrun
