#include "exporter/app/tracked_file.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "exporter/app/run_group.h"
#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

// A hash of a training line: step, keys and values in any order, so that a log
// and its JSONL copy have the same one. *timed: the line holds a measured time;
// two runs of one configuration and seed may well print the same first loss,
// but not the same seconds.
std::uint64_t ExecutionMark(const StepRecord& record, bool* timed) {
  *timed = false;
  std::uint64_t sum = static_cast<std::uint64_t>(record.step);
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    *timed = *timed || ((key.starts_with("timing_s/") ||
                         key.starts_with("perf/time_per_step") ||
                         key == "train/time(s)") &&
                        pair.value != std::floor(pair.value));
    const std::uint64_t h = std::hash<std::string_view>{}(key) ^
                            (std::hash<double>{}(pair.value) << 1);
    sum += h * 0x9e3779b97f4a7c15u;
  }
  return sum;
}

}  // namespace

struct TrackedFile::Shape {
  bool publishable = false;
  bool has_trainer = false;
  bool trains = false;
  bool stamped = false;
  bool failed = false;
  SourceKind kind = SourceKind::kLog;
  std::optional<std::uint64_t> mark;
  std::optional<std::uint64_t> line;
  ToldWandbRun wandb;
  std::optional<std::int64_t> first_step;
  std::size_t first_size = 0, rollout_size = 0;
  std::uint64_t trail = 0;
  bool exited = false;
  FileId id;
  std::uint64_t texts = 0;
  std::size_t paths = 0;
  bool operator==(const Shape&) const = default;
};

TrackedFile::TrackedFile(std::string path, std::string listed,
                         PathIdentity name, const RootOptions& root,
                         std::size_t root_number, const StoreOptions* options,
                         SeriesBudget* budget, const RulesForRun* rules)
    : name_(std::move(name)),
      listed_(std::move(listed)),
      text_paths_({listed_}),
      root_number_(root_number),
      options_(options),
      budget_(budget),
      rules_(rules),
      run_(options->max_keys_per_run, budget) {
  run_.path = std::move(path);
  run_.labels = root.labels;
  // A directory of events lies where its run is called so.
  if (IsEventFile(listed_) && !name_.project.empty() && !name_.by_pattern) {
    statement_ = {RepairUtf8(name_.project), RepairUtf8(name_.run), ""};
  }
  UpdateRules();
}

void TrackedFile::UpdateRules() {
  const bool stated = !name_.by_pattern && !statement_.experiment.empty();
  judged_.SetRules(
      (*rules_)(stated ? RunIdentity{statement_.project, statement_.experiment}
                       : RunIdentity{name_.project, name_.run}));
}

void TrackedFile::SetOurs(bool ours) {
  if (ours != this->ours()) run_.steps.SetBudget(ours ? budget_ : nullptr);
}

const std::string& TrackedFile::wandb_id() const {
  static const std::string kNone;
  return wandb_.several ? kNone : wandb_.id;
}

SourceKind TrackedFile::kind() const {
  if (is_record()) return SourceKind::kRecord;
  if (jsonl_) return SourceKind::kJsonl;
  if (IsWandbFile(listed_)) return SourceKind::kWandbFile;
  if (IsEventFile(listed_)) return SourceKind::kTensorboard;
  if (IsWandbCopy(run_.path)) return SourceKind::kWandb;
  return evidence_.has_banner() || beside_log || IsLaunchName(run_.path)
             ? SourceKind::kLaunch
             : SourceKind::kLog;
}

TrackedFile::Shape TrackedFile::TakeShape() const {
  return {Publishable(),
          has_trainer(),
          has_training(),
          run_.start_time.has_value(),
          !error_.empty(),
          kind(),
          first_values_,
          first_line(),
          wandb_,
          first_step_.step(),
          first_step_.size(),
          first_rollout_.size(),
          trail_.version(),
          run_.events.exit.has_value(),
          id_,
          texts_,
          text_paths_.size()};
}

void TrackedFile::ApplyProgress(const FileUpdate& update) {
  id_ = update.progress.id;
  error_ = update.progress.error;
  caught_up_ = caught_up_ || update.progress.caught_up;
  complete_end_ = update.progress.complete_end;
  jsonl_ = update.jsonl;
  if (!update.text_path.empty() && text_paths_.back() != update.text_path) {
    text_paths_.push_back(update.text_path);
  }
  SourceProgress& p = run_.progress;
  p.bytes_read = update.progress.bytes_read;
  p.bytes_behind = update.progress.bytes_behind;
  p.bytes_lost = update.progress.bytes_lost;
  p.rotations = update.progress.rotations;
  p.truncations = update.progress.truncations;
  p.up = update.progress.readable;
  if (update.progress.modified_time) {
    p.modified_time = update.progress.modified_time;
  }
  const LogFacts& facts = update.facts;
  for (std::size_t i = 0; i < kLineOutcomes; ++i) p.lines[i] += facts.lines[i];
  for (std::size_t i = 0; i < kSkipReasons; ++i) {
    p.values_skipped[i] += facts.values_skipped[i];
  }
  for (std::size_t i = 0; i < kConfigOutcomes; ++i) {
    p.config_blocks[i] += facts.config_blocks[i];
  }
}

void TrackedFile::Apply(const FileUpdate& update) {
  const Shape before = TakeShape();
  ApplyProgress(update);
  const SourceProgress& p = run_.progress;
  const LogFacts& facts = update.facts;
  if (update.new_text) {
    ++texts_;
    if (!update.goes_on) run_.steps.StartNewText();
    clock_.StartNewText();
    run_.events.StartNewText();
    total_in_text_ = facts_in_text_ = wandb_in_text_ = false;
    text_begins_ = true;
    stated_start_.reset();
  }
  if (!stated_start_) stated_start_ = facts.start_time;
  evidence_.Note(facts);
  ApplyStatement(facts);
  if (facts.events.wandb) {
    if (!std::exchange(wandb_in_text_, true)) wandb_ = {};
    wandb_.Add(*facts.events.wandb);
  }
  if (update.record != nullptr) ApplyRecord(update.record);
  if (facts.run_facts) {
    run_.facts = facts.run_facts;
    run_.framework = run_.facts->framework.value_or(run_.framework);
    facts_in_text_ = true;
  }
  const std::uint64_t relaunches = run_.steps.relaunches();
  for (const StepRecord& record : facts.steps) ApplyStep(record, update);
  clock_.NoteFacts(facts);
  run_.events.Apply(facts, update.live,
                    update.live ? update.arrival : p.modified_time);
  if (facts.total_steps) {
    run_.total_steps = facts.total_steps;
    total_in_text_ = true;
  } else if (run_.steps.relaunches() != relaunches && !total_in_text_) {
    run_.total_steps.reset();  // the old launch's plan
  }
  if (facts.mode != RunMode::kUnknown) run_.mode = facts.mode;
  if (is_record()) {
    run_.total_steps = PlannedSteps(steps_per_rollout_,
                                    run_.steps.last_step(LineClass::kTrain));
  }
  UpdateTimes();
  run_.source = SourceKindName(kind());
  judged_.NoteLastStamp(clock_.LastStamp(p.modified_time));
  judged_.Apply(run_, facts, update.new_text,
                update.live ? std::optional(update.arrival) : std::nullopt,
                update.goes_on);
  if (TakeShape() != before) ++shape_;
}

void TrackedFile::Prefetch(std::size_t stage) const {
  if (stage == 0) return PrefetchBytes(this, sizeof *this);
  judged_.Prefetch(stage - 1);
  if (stage == 1) run_.steps.PrefetchEntries();
  if (stage == 2) run_.steps.PrefetchKeys();
  if (group != nullptr) group->Prefetch(stage - 1);
}

// What an older text has stated holds until another launch is seen: a rotated
// log has its config block in the file before.
void TrackedFile::ApplyStatement(const LogFacts& facts) {
  if (facts.run_facts == nullptr) return;
  const RunFacts& f = *facts.run_facts;
  RunStatement now;
  if (f.experiment) {
    now = {RepairUtf8(f.project.value_or("")), RepairUtf8(*f.experiment), ""};
  } else {
    now = statement_;
  }
  now.train_log = f.train_log.value_or("");
  // verl's config stands in its tracker; others' names are the tracker's own.
  now.by_tracker = IsMetricsFile(kind()) && f.framework;
  if (now == statement_) return;
  statement_ = std::move(now);
  ++shape_;
  UpdateRules();
}

// A record names its run by its id; it is what the run says of itself.
void TrackedFile::ApplyRecord(
    const std::shared_ptr<const RecordedRun>& record) {
  run_.record = record;
  evidence_.NoteRecord();
  if (!record->record.framework.empty()) {
    run_.framework = record->record.framework;
  }
  RunStatement now = {RepairUtf8(record->record.project),
                      RepairUtf8(record->record.id), ""};
  if (now == statement_) return;
  statement_ = std::move(now);
  ++shape_;
  UpdateRules();
}

void TrackedFile::ApplyStep(const StepRecord& record,
                            const FileUpdate& update) {
  const auto before = run_.steps.last_step(LineClass::kTrain);
  const std::uint64_t version = run_.steps.version();
  run_.steps.Apply(record);
  std::optional<double> arrival = record.time;
  if (!arrival && update.live) arrival = update.arrival;
  // A heartbeat that moved nothing is no step of this run.
  if (record.pairs.empty() && run_.steps.version() == version) return;
  clock_.NoteStep(record, arrival);
  if (record.by_rollout) {
    NoteRolloutTime(record);
    if (!is_record() && record.line_class != LineClass::kVal) {
      first_rollout_.Note(record);
    }
  }
  NoteRollout(record);
  if (record.line_class != LineClass::kTrain || record.pairs.empty()) return;
  run_.durations.NoteStep(record.step);
  ++steps_of_rollout_;
  if (std::exchange(text_begins_, false) && before && record.step <= *before) {
    ForgetLaunch();
  }
  if (is_record()) {
    record_trains_ = true;
  } else {
    first_step_.Note(record);
    // A document comes long after its steps.
    if (record.dialect != KeyDialect::kVerl) {
      // Launched again, or resumed: it is to be proven anew.
      if (!trail_.empty() && record.step < trail_.newest()) proven.clear();
      trail_.Note(record, jsonl_ ? record.time : arrival);
    }
  }
  if (!is_record() && !first_values_ && !record.cut) {
    first_values_ = ExecutionMark(record, &first_timed_);
    first_timed_ = first_timed_ && !IsMetricsFile(kind());
  }
  if (record.clock != 0 && !first_clocks_.mark()) {
    bool timed = false;
    first_clocks_.Note(ExecutionMark(record, &timed), record.clock);
  }
  if (const auto printed = run_.steps.printed_duration()) {
    run_.durations.Add(record.step, *printed);
  } else if (arrival && step_arrival_ && before &&
             arrival_step_ == record.step - 1 && *arrival > *step_arrival_) {
    // Two steps that arrive in one turn tell nothing.
    run_.durations.Add(record.step, *arrival - *step_arrival_);
  }
  if (arrival_step_ != record.step) {
    arrival_step_ = record.step;
    step_arrival_ = arrival;
  }
}

// The first step of rollout n is the n-th of as many as each rollout has.
void TrackedFile::NoteRollout(const StepRecord& record) {
  if (record.by_rollout && record.line_class == LineClass::kRollout) {
    // The times of a rollout come behind its steps.
    if (record.step != newest_rollout_) rollout_ = record.step;
    newest_rollout_ = record.step;
  } else if (record.line_class == LineClass::kTrain && !record.pairs.empty()) {
    if (rollout_ && *rollout_ >= 1 && record.step % *rollout_ == 0) {
      steps_per_rollout_ = record.step / *rollout_;
    }
    rollout_.reset();
  }
}

std::optional<std::int64_t> TrackedFile::PlannedSteps(
    std::int64_t per_rollout, std::optional<std::int64_t> newest) const {
  const RecordedProgress& progress = run_.record->progress;
  const std::optional<std::int64_t>& total = progress.total;
  // Supervised training has no rollouts.
  if (!total || !newest || run_.mode == RunMode::kSft) return total;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (per_rollout > 0 && *total < kMost) return *total * per_rollout;
  // More steps than rollouts: how many there will be, nobody says.
  const bool more =
      *newest > progress.current.value_or(*newest) || *newest > *total;
  return more ? std::nullopt : total;
}

// The time of a rollout is that of all training steps that it was used for.
void TrackedFile::NoteRolloutTime(const StepRecord& record) {
  const auto step = run_.steps.last_step(LineClass::kTrain);
  if (record.line_class != LineClass::kRollout || !step) return;
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    if ((key != "perf/step_time" && key != "perf/total_train_time") ||
        !std::isfinite(pair.value) || pair.value < 0) {
      continue;
    }
    run_.durations.Add(*step, pair.value / std::max(steps_of_rollout_, 1));
    steps_of_rollout_ = 0;
    return;
  }
}

// The text is that of another launch.
void TrackedFile::ForgetLaunch() {
  first_values_.reset();
  first_timed_ = false;
  first_clocks_ = {};
  first_step_.Clear();
  trail_.Clear();
  proven.clear();
  if (facts_in_text_) return;
  run_.facts.reset();
  if (statement_ == RunStatement()) return;
  statement_ = {};
  ++shape_;
}

FirstStep::Match TrackedFile::CompareFirst(const TrackedFile& other) const {
  using Match = FirstStep::Match;
  const Match step = first_step_.Compare(other.first_step_);
  const Match rollout = first_rollout_.Compare(other.first_rollout_);
  if (step == Match::kDifferent || rollout == Match::kDifferent ||
      trail_.Compare(other.trail_).differ) {
    return Match::kDifferent;
  }
  return step == Match::kSame || rollout == Match::kSame ? Match::kSame
                                                         : Match::kUnknown;
}

void TrackedFile::UpdateTimes() {
  run_.start_time = stated_start_
                        ? stated_start_
                        : clock_.FirstStamp(run_.progress.modified_time);
  run_.last_step_time =
      clock_.LastStep(run_.progress.modified_time, complete_end_);
  if (!is_record()) return;
  const RunRecord& record = run_.record->record;
  run_.start_time = record.started_at ? record.started_at : record.created_at;
  run_.last_step_time = run_.record->last_step_time;
}

double TrackedFile::ExpiresAt() const {
  return run_.progress.modified_time
             ? *run_.progress.modified_time + options_->retention_finished
             : std::numeric_limits<double>::infinity();
}

std::uint64_t TrackedFile::TakeDroppedKeys() {
  const std::uint64_t now = run_.steps.dropped_keys();
  return now - std::exchange(taken_keys_, now);
}

std::uint64_t TrackedFile::TakeDroppedSeries() {
  const std::uint64_t now = run_.steps.dropped_series();
  return now - std::exchange(taken_series_, now);
}

}  // namespace rlrun
