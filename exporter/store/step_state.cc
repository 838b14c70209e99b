#include "exporter/store/step_state.h"

#include <algorithm>
#include <cmath>

// Implementation. Each class of lines has a generation; a key belongs to the
// class that carried it last and is current while it has that class's
// generation. A line of a new step starts a generation and stamps its keys with
// it, so nobody ever walks over the keys that went away.

namespace rlrun {
namespace {

constexpr std::size_t kMaxNonFiniteKeys = 50;

constexpr std::array<std::string_view, 5> kDurationKeys = {
    "timing_s/step", "perf/time_per_step", "perf/step_time", "train/time(s)",
    "step_time"};

std::size_t Index(LineClass c) { return static_cast<std::size_t>(c); }

}  // namespace

StepState::StepState(std::size_t max_keys, SeriesBudget* budget)
    : max_keys_(max_keys), budget_(budget) {}

StepState::~StepState() {
  if (budget_ != nullptr) budget_->used -= entries_.size();
}

void StepState::SetBudget(SeriesBudget* budget) {
  if (budget_ != nullptr) budget_->used -= entries_.size();
  budget_ = budget;
  if (budget_ != nullptr) budget_->used += entries_.size();
}

void StepState::Apply(const StepRecord& record) {
  if (record.pairs.empty()) {
    ApplyHeartbeat(record);
    return;
  }
  ++version_;
  NoteRewind(record);
  std::array<bool, kLineClasses> begun{};
  std::size_t guess = 0;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    const LineClass owner =
        IsValidationKey(key) ? LineClass::kVal : record.line_class;
    if (!begun[Index(owner)]) {
      begun[Index(owner)] = true;
      BeginLine(owner, record);
    }
    if (!std::isfinite(pair.value)) CountNonFinite(key);
    std::size_t found = guess;
    Entry* entry = Find(key, guess, &found);
    if (entry == nullptr) continue;
    guess = found + 1;
    entry->value = pair.value;
    entry->owner = owner;
    entry->step = record.step;
    entry->generation = generation_[Index(owner)];
  }
  // A line whose keys are all of class val by name still is a line of its own
  // class: its other keys of older steps are gone.
  if (!begun[Index(record.line_class)]) BeginLine(record.line_class, record);
}

void StepState::ApplyHeartbeat(const StepRecord& record) {
  std::optional<std::int64_t> newest;
  for (const auto& step : last_step_) {
    if (step) newest = std::max(newest.value_or(*step), *step);
  }
  auto& train = last_step_[Index(LineClass::kTrain)];
  const bool follows = !newest || (record.step >= train.value_or(*newest - 1) &&
                                   record.step <= *newest + 1);
  if (!follows || train == record.step) return;
  train = record.step;
  ++version_;
}

void StepState::StartNewText() { new_text_ = true; }

void StepState::NoteRewind(const StepRecord& record) {
  if (record.line_class == LineClass::kTrain) {
    if (rewind_base_ && record.step < *rewind_base_) ++rewinds_;
    rewind_base_ = record.step;
  }
  if (!new_text_) return;
  new_text_ = false;
  const auto& same = last_step_[Index(record.line_class)];
  if (same && record.step < *same) Forget();
}

void StepState::Forget() {
  ++relaunches_;
  for (std::uint32_t& g : generation_) ++g;
  for (auto& step : record_step_) step.reset();
  for (auto& step : last_step_) step.reset();
  record_cut_.fill(false);
}

void StepState::Merge(std::span<const StepState* const> sources) {
  ++version_;
  if (!sources.empty()) {
    rewinds_ = sources.front()->rewinds_;
    relaunches_ = sources.front()->relaunches_;
    nonfinite_ = sources.front()->nonfinite_;
  }
  for (std::uint32_t& g : generation_) ++g;
  for (std::size_t i = 0; i < kLineClasses; ++i) {
    const auto c = static_cast<LineClass>(i);
    last_step_[i].reset();
    record_step_[i].reset();
    for (const StepState* s : sources) {
      last_step_[i] = std::max(last_step_[i], s->last_step_[i]);
      record_step_[i] = std::max(record_step_[i], s->record_step_[i]);
    }
    const auto has_newest = [&](const StepState* s) {
      return s->record_step_[i] && s->record_step_[i] == record_step_[i];
    };
    // Keys of older steps stay current behind a cut line alone, and only as
    // long as nobody has the line whole.
    bool cut = true;
    for (const StepState* s : sources) {
      if (has_newest(s)) cut = cut && s->record_cut_[i];
    }
    for (const StepState* s : sources) {
      if (has_newest(s)) MergeKeys(*s, c, false);
    }
    for (const StepState* s : sources) {
      if (cut && has_newest(s)) MergeKeys(*s, c, true);
    }
  }
}

void StepState::MergeKeys(const StepState& source, LineClass c,
                          bool older_too) {
  std::size_t guess = 0;
  for (const Entry& from : source.entries_) {
    if (from.owner != c || !source.IsCurrent(from) ||
        (from.step != record_step_[Index(c)] && !older_too)) {
      continue;
    }
    std::size_t found = guess;
    Entry* entry = Find(from.key, guess, &found);
    if (entry == nullptr) continue;
    guess = found + 1;
    if (IsCurrent(*entry)) continue;  // an earlier source has it
    entry->value = from.value;
    entry->step = from.step;
    entry->owner = c;
    entry->generation = generation_[Index(c)];
  }
}

void StepState::BeginLine(LineClass c, const StepRecord& record) {
  const std::size_t i = Index(c);
  last_step_[i] = record.step;
  const bool same_step = record_step_[i] == record.step;
  record_step_[i] = record.step;
  if (record.cut) {
    // Keys behind the cut are unknown: what was current stays.
    if (!same_step) record_cut_[i] = true;
    return;
  }
  if (same_step && !record_cut_[i]) return;
  const std::uint32_t old = generation_[i]++;
  if (same_step) {
    // A whole line joins cut ones of the same step: keep only what they said.
    for (Entry& e : entries_) {
      if (e.owner == c && e.generation == old && e.step == record.step) {
        e.generation = generation_[i];
      }
    }
  }
  record_cut_[i] = false;
}

StepState::Entry* StepState::Find(std::string_view key, std::size_t guess,
                                  std::size_t* index) {
  if (guess < entries_.size() && entries_[guess].key == key) {
    *index = guess;
    return &entries_[guess];
  }
  if (const auto it = index_.find(key); it != index_.end()) {
    *index = it->second;
    return &entries_[it->second];
  }
  if (entries_.size() >= max_keys_) {
    ++dropped_keys_;
    return nullptr;
  }
  if (budget_ != nullptr) {
    if (budget_->used >= budget_->max) {
      ++dropped_series_;
      return nullptr;
    }
    ++budget_->used;
  }
  *index = entries_.size();
  index_.emplace(std::string(key), static_cast<std::uint32_t>(*index));
  entries_.push_back({});
  entries_.back().key = std::string(key);
  return &entries_.back();
}

void StepState::CountNonFinite(std::string_view key) {
  const auto it = nonfinite_.find(std::string(key));
  if (it != nonfinite_.end()) {
    ++it->second;
  } else if (nonfinite_.size() < kMaxNonFiniteKeys) {
    nonfinite_.emplace(std::string(key), 1);
  }
}

std::optional<double> StepState::Value(std::string_view key) const {
  const auto it = index_.find(key);
  if (it == index_.end() || !IsCurrent(entries_[it->second])) {
    return std::nullopt;
  }
  return entries_[it->second].value;
}

std::optional<double> StepState::printed_duration() const {
  for (const std::string_view key : kDurationKeys) {
    const auto it = index_.find(key);
    if (it == index_.end()) continue;
    const Entry& e = entries_[it->second];
    if (IsCurrent(e) && e.owner == LineClass::kTrain &&
        e.step == last_step(LineClass::kTrain) && std::isfinite(e.value)) {
      return e.value;
    }
  }
  return std::nullopt;
}

}  // namespace rlrun
