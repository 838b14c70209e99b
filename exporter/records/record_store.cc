#include "exporter/records/record_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "parsers/formats/run_record.h"

namespace rlrun {
namespace {

// A record is gone when two listings this many seconds apart lack it.
constexpr double kAbsence = 60;
constexpr std::string_view kEnding = ".json";

// What is looked at; no other directory of a store is.
constexpr std::string_view kKnown[] = {
    "training-run-updates", "training-rollouts-summary", "substep-timing",
    "metric-series",        "training-steps-summary",    "train-results"};

bool IsRecordName(std::string_view name) {
  return name.size() > kEnding.size() && name.ends_with(kEnding) &&
         !name.starts_with('.');
}

}  // namespace

RecordStore::RecordStore(std::string directory, RecordOptions options,
                         FileSource* source)
    : directory_(std::move(directory)), options_(options), source_(source) {}

double RecordStore::Pass(double steady, double wall,
                         const std::function<bool()>& go_on) {
  if (slower_ == 0) {
    slower_ = source_->IsNetwork(directory_) ? options_.network_factor : 1;
  }
  if (steady >= list_due_) {
    if (!go_on()) return 0;
    List(steady);
    ReadSharedRollouts(wall);
  }
  bool more = false;
  auto it = runs_.lower_bound(cursor_);
  for (std::size_t n = 0; n < runs_.size() && !more; ++n) {
    if (it == runs_.end()) it = runs_.begin();
    RecordRun& run = *it->second;
    if (run.due() <= steady && up_) {
      bool working = true;
      while (working && !more) {
        more = !go_on();
        if (!more) working = run.Work(*source_, listing_, steady, wall);
      }
      if (!working) NoteNews(&run);
    }
    if (!more) ++it;
  }
  cursor_ = it == runs_.end() ? std::string() : it->first;
  if (more) return 0;
  complete_ = true;  // what cannot be listed is not waited for
  double due = list_due_;
  if (up_) {
    for (const auto& [name, run] : runs_) due = std::min(due, run->due());
  }
  return std::max(due - steady, 0.0);
}

void RecordStore::List(double steady) {
  list_due_ = steady + options_.interval * slower_;
  std::vector<DirEntry> entries;
  IoStatus status = source_->List(directory_, &entries);
  if (status.ok()) {
    listing_.directories.clear();
    for (const DirEntry& entry : entries) {
      if (std::find(std::begin(kKnown), std::end(kKnown), entry.name) !=
          std::end(kKnown)) {
        listing_.directories.insert(entry.name);
      }
    }
    status = source_->List(directory_ + "/training-runs", &entries);
  }
  // The only record of a store is not there while it is replaced.
  if (!entries.empty() || runs_.empty()) empty_since_.reset();
  if (status.ok() && entries.empty() && !runs_.empty()) {
    if (!empty_since_) empty_since_ = steady;
    if (steady - *empty_since_ < kAbsence) return;
  }
  if (!status.ok() || empty_since_) return NoteDown(steady);
  down_since_.reset();
  up_ = true;
  NoteNames(entries, steady);
  listing_.updates.clear();
  listing_.results.clear();
  if (listing_.has("training-run-updates") &&
      source_->List(directory_ + "/training-run-updates", &entries).ok()) {
    for (const DirEntry& e : entries) listing_.updates.push_back(e.name);
    std::sort(listing_.updates.begin(), listing_.updates.end());
  }
  if (listing_.has("train-results") &&
      source_->List(directory_ + "/train-results", &entries).ok()) {
    for (const DirEntry& e : entries) listing_.results.insert(e.name);
  }
}

// Nothing is known of what it holds: its runs stay for a while.
void RecordStore::NoteDown(double steady) {
  const bool was_up = std::exchange(up_, false);
  if (!down_since_) down_since_ = steady;
  if (was_up) {
    for (const auto& [name, run] : runs_) {
      if (!told_up_.contains(run->path())) continue;
      RecordNews news;
      news.path = run->path();
      news.stat = run->stat();
      news.lives_until = run->lives_until();
      news_.push_back(std::move(news));
      told_up_[run->path()] = false;
    }
  }
  if (steady - *down_since_ >= options_.vanish_grace) NoteNames({}, steady);
}

void RecordStore::NoteNames(const std::vector<DirEntry>& entries,
                            double steady) {
  std::set<std::string> names;
  for (const DirEntry& entry : entries) {
    if (entry.kind == FileKind::kDirectory || !IsRecordName(entry.name)) {
      continue;
    }
    names.insert(entry.name.substr(0, entry.name.size() - kEnding.size()));
  }
  capped_ = 0;
  for (const std::string& name : names) {
    if (runs_.contains(name)) continue;
    if (runs_.size() >= options_.max_runs) {
      ++capped_;
      continue;
    }
    auto& run = runs_[name];
    run = std::make_unique<RecordRun>(directory_, name, &options_);
    if (const auto early = early_rollouts_.extract(name)) {
      run->AddRollouts(early.mapped());
    }
  }
  const bool over = down_since_.has_value();  // and the grace is, too
  for (auto it = runs_.begin(); it != runs_.end();) {
    RecordRun& run = *it->second;
    if (names.contains(it->first)) {
      run.absent_since.reset();
      ++it;
      continue;
    }
    if (!run.absent_since) run.absent_since = steady;
    if (!over && steady - *run.absent_since < kAbsence) {
      ++it;
      continue;
    }
    if (told_up_.contains(run.path())) {
      RecordNews news;
      news.path = run.path();
      news.removed = true;
      news_.push_back(std::move(news));
    }
    told_up_.erase(run.path());
    it = runs_.erase(it);
  }
}

// `training-rollouts-summary/summary.json`, where it is one file for all runs.
void RecordStore::ReadSharedRollouts(double wall) {
  if (!up_ || !listing_.has("training-rollouts-summary")) return;
  if (!shared_rollouts_) {
    shared_rollouts_.emplace(
        directory_ + "/training-rollouts-summary/summary.json",
        options_.max_document_bytes);
  }
  std::string text;
  if (shared_rollouts_->Poll(*source_, wall, &text) != DocumentOutcome::kText) {
    return;
  }
  std::vector<NamedRollout> named;
  if (ParseRolloutSummary(std::move(text), &named) != DocumentParse::kOk) {
    shared_rollouts_->Retry();
    return;
  }
  std::map<std::string, std::vector<RecordedRollout>> by_run;
  for (auto& [run, rollout] : named) by_run[run].push_back(rollout);
  early_rollouts_.clear();
  for (auto& [name, rollouts] : by_run) {
    const auto it = runs_.find(name);
    if (it != runs_.end()) {
      it->second->AddRollouts(rollouts);
    } else if (!name.empty()) {
      early_rollouts_[name] = std::move(rollouts);
    }
  }
}

void RecordStore::NoteNews(RecordRun* run) {
  if (!run->known() || (run->too_old() && !told_up_.contains(run->path()))) {
    return;
  }
  RecordNews news;
  news.run = run->TakeState();
  news.steps = run->TakeSteps();
  const auto [told, is_new] = told_up_.emplace(run->path(), run->up());
  const bool same = !is_new && told->second == run->up();
  if (news.run == nullptr && news.steps.empty() && same) return;
  told->second = run->up();
  news.path = run->path();
  news.stat = run->stat();
  news.lives_until = run->lives_until();
  news.up = run->up();
  news.error = run->error();
  news_.push_back(std::move(news));
}

std::vector<RecordNews> RecordStore::Take() { return std::exchange(news_, {}); }

std::size_t RecordStore::unreadable() const {
  return static_cast<std::size_t>(
      std::count_if(runs_.begin(), runs_.end(),
                    [](const auto& r) { return !r.second->known(); }));
}

std::size_t RecordStore::too_old() const {
  return static_cast<std::size_t>(
      std::count_if(runs_.begin(), runs_.end(),
                    [](const auto& r) { return r.second->too_old(); }));
}

}  // namespace rlrun
