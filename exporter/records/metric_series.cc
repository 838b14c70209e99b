#include "exporter/records/metric_series.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

// When a step was written: the median of its values' times, which neither a
// late value nor one that an older attempt has left behind moves. 0: unknown.
template <class Values>
double WrittenAt(const Values& values) {
  std::vector<double> times;
  times.reserve(values.size());
  for (const auto& [key, value] : values) times.push_back(value.written);
  const auto middle =
      times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// What whoever generates tells of a rollout, and not whoever trains.
bool IsOfGeneration(std::string_view key) {
  return key == "perf/rollout_time" || key == "perf/tokens_per_gpu_per_sec" ||
         key.starts_with("perf/longest_sample_") ||
         key.starts_with("rollout/response_len/") ||
         key.starts_with("rollout/zero_std/") ||
         key == "rollout/truncated_ratio" || key == "rollout/repetition_frac";
}

bool IsOfRollout(std::string_view key) {
  return key.starts_with("rollout/") || key.starts_with("perf/") ||
         key.starts_with("multi_turn/") || key.starts_with("passrate/");
}

}  // namespace

void MetricSeries::Put(const std::string& name, MetricChunk chunk) {
  for (const auto& [step, values] : chunk.steps) {
    for (const auto& [key, value] : values) {
      NoteKey(key, value.axis);
      if (value.written > 0) {
        newest_write_ = std::max(newest_write_.value_or(0), value.written);
      }
    }
  }
  files_[name] = {std::move(chunk), false};
  changed_ = true;
}

void MetricSeries::Close(const std::string& name) {
  const auto it = files_.find(name);
  if (it != files_.end()) it->second.closed = true;
}

void MetricSeries::NoteKey(const std::string& key, const std::string& axis) {
  policy_ = policy_ || key == "train/pg_loss" || key == "train/ppo_kl";
  slime_ = slime_ || policy_ || axis == "train/step" ||
           axis == "rollout/step" || axis == "eval/step" ||
           key == "rollout/raw_reward" || key.starts_with("train/lr-pg_");
}

MetricSeries::Axis MetricSeries::AxisOf(const std::string& key,
                                        const std::string& axis) const {
  if (axis == "eval/step" || key.starts_with("eval/")) return Axis::kEval;
  const bool of_rollout =
      axis == "rollout/step" || (slime_ && axis.empty() && IsOfRollout(key));
  if (!of_rollout) return Axis::kTrain;
  if (!slime_) return Axis::kRollout;
  if (IsOfGeneration(key)) return Axis::kMade;
  return key.starts_with("perf/") ? Axis::kTimes : Axis::kRollout;
}

std::array<MetricSeries::Steps, MetricSeries::kAxes> MetricSeries::Merged()
    const {
  std::array<Steps, kAxes> merged;
  for (const auto& [name, file] : files_) {
    for (const auto& [step, values] : file.chunk.steps) {
      for (const auto& [key, value] : values) {
        Steps& steps =
            merged[static_cast<std::size_t>(AxisOf(key, value.axis))];
        const auto [it, is_new] = steps[step].emplace(key, value);
        if (!is_new && it->second.written <= value.written) it->second = value;
      }
    }
  }
  return merged;
}

// Whose words the keys are, and which line of a console they would stand on.
void MetricSeries::Classify(Axis axis, StepRecord* record) const {
  constexpr std::array<LineClass, kAxes> kClasses = {
      LineClass::kRollouter, LineClass::kRollout, LineClass::kTrain,
      LineClass::kRollout, LineClass::kVal};
  record->line_class = kClasses[static_cast<std::size_t>(axis)];
  bool plain = false, critic = false, actor = false;
  for (const StepRecord::Pair& pair : record->pairs) {
    const std::string_view key = record->Key(pair);
    plain = plain || key == "loss";
    critic = critic || key.starts_with("train/critic-");
    actor = actor || key == "train/loss" || key == "train/pg_loss";
  }
  const bool trains = axis == Axis::kTrain;
  if (trains && plain) {
    record->dialect = KeyDialect::kTrlSft;  // its names of the same values
  } else if (slime_) {
    record->by_rollout = !trains;
    record->dialect = trains && !policy_ && !critic ? KeyDialect::kSlimeSft
                                                    : KeyDialect::kSlime;
    if (trains && critic && !actor) record->line_class = LineClass::kCritic;
  }
}

// The newest step may still grow: another writer has not flushed yet.
bool MetricSeries::IsWhole(Axis axis, const Ready& newest, double wall) {
  std::optional<Open>& open = open_[static_cast<std::size_t>(axis)];
  if (!open || open->step != newest.step ||
      open->keys != newest.values->size()) {
    open = Open{newest.step, newest.values->size(), wall};
  }
  return wall - std::max(open->since, 0.0) >= kSettled ||
         (newest.written > 0 && wall - newest.written >= 2 * kSettled);
}

void MetricSeries::TakeAxis(Axis axis, const Steps& merged, double wall,
                            bool at_end,
                            std::vector<std::pair<double, StepRecord>>* out) {
  std::optional<Given>& given = given_[static_cast<std::size_t>(axis)];
  std::vector<Ready> ready;
  for (const auto& [step, values] : merged) {
    const double written = WrittenAt(values);
    const bool again = given && step == given->step;
    const bool grown = again && values.size() > given->keys;
    const bool rewritten = given && written > given->written;
    const bool is_new =
        !given || rewritten ||
        (step > given->step && (written == 0 || given->written == 0));
    if (again ? grown || rewritten : is_new) {
      ready.push_back({written, step, &values});
    }
  }
  std::stable_sort(
      ready.begin(), ready.end(), [](const Ready& a, const Ready& b) {
        return std::tie(a.written, a.step) < std::tie(b.written, b.step);
      });
  if (!ready.empty() && !at_end && !IsWhole(axis, ready.back(), wall)) {
    ready.pop_back();
  } else {
    open_[static_cast<std::size_t>(axis)].reset();
  }
  for (const Ready& r : ready) {
    StepRecord record;
    record.step = r.step;
    record.decimals = StepRecord::kExponent;
    for (const auto& [key, value] : *r.values) record.Add(key, value.value);
    Classify(axis, &record);
    given = Given{r.step, r.written, r.values->size()};
    if (r.written > 0) step_time_ = r.written;
    out->emplace_back(r.written, std::move(record));
  }
}

std::vector<StepRecord> MetricSeries::Take(double wall, bool at_end) {
  const bool waits = std::any_of(std::begin(open_), std::end(open_),
                                 [](const auto& open) { return open; });
  std::vector<std::pair<double, StepRecord>> taken;
  if (std::exchange(changed_, false) || waits || at_end) {
    const std::array<Steps, kAxes> merged = Merged();
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      TakeAxis(static_cast<Axis>(axis), merged[axis], wall, at_end, &taken);
    }
  }
  // Without times, steps of one number belong together.
  std::stable_sort(taken.begin(), taken.end(),
                   [](const auto& a, const auto& b) {
                     if (a.first != b.first) return a.first < b.first;
                     return a.first == 0 && a.second.step < b.second.step;
                   });
  std::vector<StepRecord> out;
  out.reserve(taken.size());
  for (auto& [written, record] : taken) {
    record.begin_offset = next_offset_++;
    record.end_offset = next_offset_;
    out.push_back(std::move(record));
  }
  std::erase_if(files_, [](const auto& f) { return f.second.closed; });
  return out;
}

}  // namespace rlrun
