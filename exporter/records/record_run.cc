#include "exporter/records/record_run.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "parsers/formats/run_record.h"

namespace rlrun {
namespace {

constexpr const char* kRuns = "training-runs";
constexpr const char* kUpdates = "training-run-updates";
constexpr const char* kRollouts = "training-rollouts-summary";
constexpr const char* kTimings = "substep-timing";
constexpr const char* kSeries = "metric-series";
constexpr const char* kSteps = "training-steps-summary";

// A file of one rollout is written once, and perhaps posted again soon; one of
// timings grows with its rollout. Seconds.
constexpr double kRolloutSettles = 600;
constexpr double kTimingSettles = 3600;
// A record that is no whole JSON for so long (seconds) is broken, not half
// written.
constexpr double kBroken = 60;
// Clocks that differ by less are taken for equal, seconds.
constexpr double kClockAhead = 60;

bool IsJson(std::string_view name) {
  return name.ends_with(".json") && !name.starts_with('.');
}

// `chunk-000012-1a2b3c4d.json` -> `chunk-000012-`.
std::string_view ChunkIndex(std::string_view name) {
  return name.substr(0, name.rfind('-') + 1);
}

double NewestOf(std::initializer_list<std::optional<double>> times) {
  double newest = 0;
  for (const auto& time : times) newest = std::max(newest, time.value_or(0));
  return newest;
}

}  // namespace

RecordRun::RecordRun(std::string store, std::string name,
                     const RecordOptions* options)
    : store_(std::move(store)),
      name_(std::move(name)),
      options_(options),
      record_file_(PathOf(kRuns, name_ + ".json"),
                   options->max_document_bytes) {}

std::string RecordRun::PathOf(const char* directory,
                              const std::string& name) const {
  return store_ + "/" + directory + "/" + name;
}

bool RecordRun::Work(FileSource& source, const StoreListing& listing,
                     double steady, double wall) {
  if (slower_ == 0) {
    slower_ = source.IsNetwork(store_) ? options_->network_factor : 1;
  }
  if (!in_round_) {
    in_round_ = true;
    tasks_ = {{Kind::kRecord, {}}};
  }
  if (!tasks_.empty()) {
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    Do(task, source, listing, wall);
    if (!tasks_.empty()) return true;
  }
  Assemble(listing, wall);
  EndRound(steady, wall);
  return false;
}

void RecordRun::EndRound(double steady, double wall) {
  in_round_ = false;
  // What the first round finds may have been there for long.
  if (std::exchange(changed_, false) && rounds_ != 0) state_.changed_at = wall;
  ++rounds_;
  std::vector<StepRecord> steps =
      series_.Take(wall, ended() || options_->one_look);
  if (series_.step_time()) state_.last_step_time = series_.step_time();
  steps_.insert(steps_.end(), std::make_move_iterator(steps.begin()),
                std::make_move_iterator(steps.end()));
  const bool rests = known_ && (ended() || too_old_);
  due_ = steady +
         slower_ * (rests ? options_->settled_interval : options_->interval);
}

void RecordRun::Do(const Task& task, FileSource& source,
                   const StoreListing& listing, double wall) {
  switch (task.kind) {
    case Kind::kRecord:
      ReadRecord(source, listing, wall);
      return;
    case Kind::kUpdate:
      ReadUpdate(task.name, source, wall);
      return;
    case Kind::kListRollouts:
      ListFiles(kRollouts, Kind::kRollout, source);
      return;
    case Kind::kRollout:
      ReadRollouts(task.name, source, wall);
      return;
    case Kind::kListTimings:
      ListFiles(kTimings, Kind::kTiming, source);
      return;
    case Kind::kTiming:
      ReadTiming(task.name, source, wall);
      return;
    case Kind::kListSeries:
      ListFiles(kSeries, Kind::kChunk, source);
      return;
    case Kind::kChunk:
      ReadSeries(task.name, true, source, wall);
      return;
    case Kind::kSteps:
      ReadSeries(task.name, false, source, wall);
      return;
  }
}

// Whatever became of a document: one that is not whole is read again.
void RecordRun::NoteParse(const std::string& path, DocumentParse parsed,
                          Document* file) {
  if (parsed == DocumentParse::kOk) {
    bad_.erase(path);
    changed_ = true;
    return;
  }
  file->Retry();
  bad_.insert(path);
}

void RecordRun::ReadRecord(FileSource& source, const StoreListing& listing,
                           double wall) {
  std::string text;
  const DocumentOutcome outcome = record_file_.Poll(source, wall, &text);
  if (outcome == DocumentOutcome::kUnreadable) {
    error_ = record_file_.status().Message();
    return;
  }
  if (outcome == DocumentOutcome::kTooLarge) {
    error_ = "too large for a run record";
    return;
  }
  if (outcome == DocumentOutcome::kText) {
    RunRecord record;
    const DocumentParse parsed = ParseRunRecord(std::move(text), &record);
    NoteParse(record_file_.path(), parsed, &record_file_);
    if (parsed != DocumentParse::kOk) {
      if (!bad_since_) bad_since_ = wall;
      if (wall - *bad_since_ >= kBroken) error_ = "no whole run record";
      return;
    }
    bad_since_.reset();
    TakeRecord(std::move(record));
  }
  if (outcome != DocumentOutcome::kGone) error_.clear();
  if (!known_) return;
  const double age = wall - lives_until();
  too_old_ = age > (ended() ? options_->max_ended_age : options_->max_age);
  if (!too_old_) PlanDetails(listing);
}

// Writers load, change and save without a lock: a later save may hold an older
// copy. Only another attempt takes an end back.
bool RecordRun::GoesBack(const RunRecord& next) const {
  const RunRecord& held = state_.record;
  if (held.updated_at && next.updated_at &&
      *next.updated_at < *held.updated_at) {
    return true;
  }
  if (!IsEndedStatus(held.status) || IsEndedStatus(next.status)) return false;
  if (next.attempts.value_or(0) > held.attempts.value_or(0)) return false;
  const double end = NewestOf({held.ended_at, held.updated_at});
  const double begun = NewestOf({next.started_at, next.progress.updated_at});
  return begun <= end;
}

void RecordRun::TakeRecord(RunRecord next) {
  if (next.id.empty()) next.id = name_;
  if (next.framework == "slime" || next.framework == "miles") {
    series_.SetSlime();
  }
  MergeProgress(next.progress);
  if (next.latest_rollout) AddRollouts({*next.latest_rollout}, false);
  if (known_ && GoesBack(next)) {
    // Progress and rollouts have times of their own; the rest is the held one.
    next = state_.record;
  } else if (known_ &&
             next.attempts.value_or(0) > state_.record.attempts.value_or(0)) {
    // From scratch, or from a checkpoint: what it states now holds.
    state_.progress = next.progress;
  }
  next.progress = {};
  next.latest_rollout.reset();
  state_.record = std::move(next);
  known_ = true;
}

// The newest wins; how far the run is never goes back within an attempt.
void RecordRun::MergeProgress(const RecordedProgress& progress) {
  RecordedProgress& held = state_.progress;
  if (progress == held || progress == RecordedProgress()) return;
  const bool is_newer =
      progress.updated_at.value_or(0) >= held.updated_at.value_or(0);
  const RecordedProgress old = held;
  if (is_newer) held = progress;
  const auto at_least = [](const auto& other, auto* value) {
    if (other && (!*value || **value < *other)) *value = other;
  };
  const RecordedProgress& other = is_newer ? old : progress;
  at_least(other.current, &held.current);
  at_least(other.rollout_id, &held.rollout_id);
  if (!held.total) held.total = other.total;
  if (held.phase.empty()) held.phase = other.phase;
}

void RecordRun::PlanDetails(const StoreListing& listing) {
  if (listing.has(kUpdates)) {
    const std::string prefix = name_ + "__";
    auto it = std::lower_bound(listing.updates.begin(), listing.updates.end(),
                               prefix);
    for (; it != listing.updates.end() && it->starts_with(prefix); ++it) {
      if (IsJson(*it)) tasks_.push_back({Kind::kUpdate, *it});
    }
  }
  if (listing.has(kRollouts)) tasks_.push_back({Kind::kListRollouts, {}});
  if (listing.has(kTimings)) tasks_.push_back({Kind::kListTimings, {}});
  if (listing.has(kSeries)) tasks_.push_back({Kind::kListSeries, {}});
  if (listing.has(kSteps)) tasks_.push_back({Kind::kSteps, name_ + ".json"});
}

// Files of the run below `directory` that may have changed, in their order.
void RecordRun::ListFiles(const char* directory, Kind kind,
                          FileSource& source) {
  std::vector<DirEntry> entries;
  if (!source.List(PathOf(directory, name_), &entries).ok()) return;
  const std::set<std::string>& done = kind == Kind::kRollout  ? read_rollouts_
                                      : kind == Kind::kTiming ? read_timings_
                                                              : read_chunks_;
  std::vector<std::string> names;
  for (const DirEntry& entry : entries) {
    if (entry.kind != FileKind::kDirectory && IsJson(entry.name) &&
        !done.contains(entry.name)) {
      names.push_back(entry.name);
    }
  }
  std::sort(names.begin(), names.end());
  if (kind == Kind::kChunk && !names.empty()) {
    // Older chunks are not written to any more; a retry makes files of its own.
    const std::string_view newest = ChunkIndex(names.back());
    for (auto& [name, file] : chunks_) {
      if (ChunkIndex(name) == newest || ChunkIndex(name) > newest) continue;
      if (bad_.contains(file.path())) continue;
      series_.Close(name);
      read_chunks_.insert(name);
      std::erase(names, name);
    }
    std::erase_if(chunks_, [this](const auto& c) {
      return read_chunks_.contains(c.first);
    });
  }
  for (std::string& name : names) tasks_.push_back({kind, std::move(name)});
}

void RecordRun::ReadUpdate(const std::string& name, FileSource& source,
                           double wall) {
  const auto it =
      updates_
          .try_emplace(name, Update{Document(PathOf(kUpdates, name),
                                             options_->max_document_bytes),
                                    {}})
          .first;
  std::string text;
  Document& file = it->second.file;
  if (file.Poll(source, wall, &text) != DocumentOutcome::kText) return;
  const DocumentParse parsed =
      ParseRunUpdate(std::move(text), &it->second.record);
  NoteParse(file.path(), parsed, &file);
}

void RecordRun::AddRollouts(const std::vector<RecordedRollout>& rollouts,
                            bool listed) {
  state_.rollouts_listed = state_.rollouts_listed || listed;
  for (const RecordedRollout& rollout : rollouts) {
    const auto [it, is_new] = rollouts_.emplace(rollout.id, rollout);
    RecordedRollout& held = it->second;
    // Posted again: the newer one holds; what it does not state stays.
    if (is_new || held == rollout) continue;
    if (rollout.created_at.value_or(0) < held.created_at.value_or(0)) continue;
    RecordedRollout next = rollout;
    if (!next.seconds) next.seconds = held.seconds;
    if (!next.samples) next.samples = held.samples;
    if (!next.mean_reward) next.mean_reward = held.mean_reward;
    held = next;
  }
}

void RecordRun::ReadRollouts(const std::string& name, FileSource& source,
                             double wall) {
  const auto it = rollout_files_
                      .try_emplace(name, PathOf(kRollouts, name_ + "/" + name),
                                   options_->max_document_bytes)
                      .first;
  std::string text;
  Document& file = it->second;
  const DocumentOutcome outcome = file.Poll(source, wall, &text);
  if (outcome == DocumentOutcome::kText) {
    std::vector<NamedRollout> named;
    const DocumentParse parsed = ParseRolloutSummary(std::move(text), &named);
    NoteParse(file.path(), parsed, &file);
    if (parsed != DocumentParse::kOk) return;
    std::vector<RecordedRollout> rollouts;
    rollouts.reserve(named.size());
    for (auto& [run, rollout] : named) rollouts.push_back(rollout);
    AddRollouts(rollouts);
  }
  if (outcome == DocumentOutcome::kGone || name == "summary.json") return;
  if (wall - file.modified_time() < kRolloutSettles) return;
  if (bad_.contains(file.path())) return;
  read_rollouts_.insert(name);
  rollout_files_.erase(it);
}

void RecordRun::ReadTiming(const std::string& name, FileSource& source,
                           double wall) {
  const auto it =
      timings_
          .try_emplace(name,
                       Timing{Document(PathOf(kTimings, name_ + "/" + name),
                                       options_->max_document_bytes),
                              {}})
          .first;
  std::string text;
  Document& file = it->second.file;
  RecordedTiming& timing = it->second.timing;
  const DocumentOutcome outcome = file.Poll(source, wall, &text);
  if (outcome == DocumentOutcome::kText) {
    const DocumentParse parsed = ParseRecordedTiming(std::move(text), &timing);
    NoteParse(file.path(), parsed, &file);
    timing_end_ = NewestOf({timing_end_, timing.end});
  }
  if (outcome == DocumentOutcome::kGone || bad_.contains(file.path())) return;
  if (!timing.final && wall - file.modified_time() < kTimingSettles) return;
  for (const auto& [phase, seconds] : timing.phase_seconds) {
    read_seconds_[phase] += seconds;
  }
  read_timings_.insert(name);
  timings_.erase(it);
}

void RecordRun::ReadSeries(const std::string& name, bool chunk,
                           FileSource& source, double wall) {
  const std::string path =
      chunk ? PathOf(kSeries, name_ + "/" + name) : PathOf(kSteps, name);
  Document& file =
      chunks_.try_emplace(name, path, options_->max_chunk_bytes).first->second;
  std::string text;
  if (file.Poll(source, wall, &text) != DocumentOutcome::kText) return;
  MetricChunk parsed_chunk;
  const DocumentParse parsed =
      chunk ? ParseMetricChunk(std::move(text), &parsed_chunk)
            : ParseRecordedSteps(std::move(text), &parsed_chunk);
  NoteParse(file.path(), parsed, &file);
  if (parsed == DocumentParse::kOk) {
    series_.Put(name, std::move(parsed_chunk));
  }
}

void RecordRun::CountPhases() {
  state_.phase_seconds = state_.record.phase_seconds;
  if (read_seconds_.empty() && timings_.empty()) return;
  // The older field is a copy of the same times.
  state_.phase_seconds = read_seconds_;
  for (const auto& [name, timing] : timings_) {
    for (const auto& [phase, seconds] : timing.timing.phase_seconds) {
      state_.phase_seconds[phase] += seconds;
    }
  }
}

// The newest of times that can be true: a clock that runs ahead by more than a
// little says nothing of when something was written; the file system does.
double RecordRun::Updated(std::initializer_list<std::optional<double>> times,
                          double wall) const {
  double newest = 0;
  bool ahead = false;
  for (const auto& time : times) {
    if (time && *time > wall + kClockAhead) {
      ahead = true;
    } else {
      newest = std::max(newest, time.value_or(0));
    }
  }
  if (!ahead) return newest;
  double written = record_file_.modified_time();
  for (const auto& [name, update] : updates_) {
    written = std::max(written, update.file.modified_time());
  }
  return std::max(newest, std::min(written, wall));
}

void RecordRun::Assemble(const StoreListing& listing, double wall) {
  if (!known_) return;
  RunRecord& record = state_.record;
  double updated = Updated({record.updated_at}, wall);
  for (const auto& [name, update] : updates_) {
    MergeProgress(update.record.progress);
    if (update.record.latest_rollout) {
      AddRollouts({*update.record.latest_rollout}, false);
    }
    updated = Updated({updated, update.record.updated_at}, wall);
  }
  state_.rollouts = rollouts_.size();
  state_.newest.clear();
  for (auto it = rollouts_.rbegin();
       it != rollouts_.rend() && state_.newest.size() < kShownRollouts; ++it) {
    state_.newest.insert(state_.newest.begin(), it->second);
    updated = Updated({updated, it->second.created_at}, wall);
  }
  CountPhases();
  updated = Updated({updated, state_.progress.updated_at}, wall);
  state_.has_updates = updated > 0;
  updated = Updated({updated, series_.newest_write(), timing_end_}, wall);
  if (updated > 0) {
    state_.updated_at = std::max(updated, state_.updated_at.value_or(0));
  }
  state_.status = record.status;
  if (!IsEndedStatus(record.status) &&
      listing.results.contains(name_ + ".json")) {
    state_.status = "completed";
  }
  state_.phase =
      state_.progress.phase.empty() ? record.phase : state_.progress.phase;
  state_.past_startup =
      state_.past_startup || state_.rollouts != 0 ||
      series_.newest_write().has_value() ||
      (!state_.phase.empty() && !IsStartupPhase(state_.phase));
  state_.bad_documents = bad_.size();
}

double RecordRun::lives_until() const {
  const double stated =
      NewestOf({state_.updated_at, state_.record.updated_at,
                state_.progress.updated_at, state_.record.ended_at});
  return stated > 0 ? stated : record_file_.modified_time();
}

std::shared_ptr<const RecordedRun> RecordRun::TakeState() {
  if (!known()) return nullptr;
  if (told_ != nullptr && *told_ == state_) return nullptr;
  told_ = std::make_shared<const RecordedRun>(state_);
  return told_;
}

}  // namespace rlrun
