#include "exporter/app/run_group.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rlrun {
namespace {

// Newest steps whose mean duration is shown.
constexpr std::size_t kSummarySteps = 10;
// Everything that only grows.
void AddCounts(const SourceProgress& from, SourceProgress* to) {
  to->bytes_read += from.bytes_read;
  to->bytes_lost += from.bytes_lost;
  to->rotations += from.rotations;
  to->truncations += from.truncations;
  const auto add = [](const auto& source, auto* target) {
    for (std::size_t i = 0; i < source.size(); ++i) (*target)[i] += source[i];
  };
  add(from.lines, &to->lines);
  add(from.values_skipped, &to->values_skipped);
  add(from.config_blocks, &to->config_blocks);
}

// The newest training step; absent: none yet.
std::optional<std::int64_t> TrainStep(const TrackedFile* file) {
  return file->run().steps.last_step(LineClass::kTrain);
}

}  // namespace

void RunGroup::SetSources(std::vector<TrackedFile*> sources) {
  if (sources.size() == 1 && sources == sources_) return;
  for (const TrackedFile* old : sources_) {
    if (std::find(sources.begin(), sources.end(), old) == sources.end()) {
      AddCounts(old->run().progress, &left_);
      has_left_ = true;
    }
  }
  const TrackedFile* before = Preferred();
  sources_ = std::move(sources);
  for (const TrackedFile* f : sources_) {
    had_wandb_ = had_wandb_ || SourceKindName(f->kind()) == "wandb";
  }
  if (Preferred() != before || !Has(primary_)) {
    primary_ = Preferred();
    unserved_since_.reset();
  }
  stale_ = true;
}

void RunGroup::Forget(const TrackedFile* source) {
  AddCounts(source->run().progress, &left_);
  has_left_ = true;
  std::erase(sources_, source);
  merged_steps_.clear();
  // What is rendered may be a part of it.
  series_.reset();
  run_ = nullptr;
  if (primary_ == source) primary_ = Preferred();
  stale_ = true;
}

void RunGroup::Publish(RunIdentity identity,
                       std::shared_ptr<FamilyTable> table) {
  identity_ = std::move(identity);
  table_ = std::move(table);
  series_.reset();
  stale_ = true;
}

void RunGroup::SetRules(const std::shared_ptr<const RunRules>& rules) {
  rules_ = rules;
  for (TrackedFile* f : sources_) f->judged().SetRules(rules);
}

void RunGroup::SetProcesses(const std::optional<ProcessFacts>& processes) {
  if (processes_ == processes) return;
  auto shown = [](std::optional<ProcessFacts> facts) {
    // The time of a look alone changes nothing that is shown.
    if (facts) facts->trainer.last_seen = facts->runner.last_seen = 0;
    return facts;
  };
  stale_ = stale_ || shown(processes_) != shown(processes);
  processes_ = processes;
  if (run_ != nullptr) run_->processes = processes;
}

void RunGroup::SetTrials(std::shared_ptr<const TrialTotals> trials) {
  if (trials == trials_ && trials_known_) return;
  trials_ = std::move(trials);
  trials_known_ = trials_known_ || trials_ == nullptr || trials_->complete ||
                  trials_->newest_change;
  trial_block_.reset();
  stale_ = true;
}

void RunGroup::SetTrialsSilent(bool silent) {
  stale_ = stale_ || (silent != trials_silent_ && trials_ != nullptr);
  trials_silent_ = silent;
}

const Run& RunGroup::run() {
  Refresh();
  return *run_;
}

void RunGroup::Refresh() {
  if (!stale_) return;
  stale_ = false;
  run_block_.reset();
  process_block_.reset();
  Run* wanted = nullptr;
  if (sources_.size() == 1 && !has_left_) {
    wanted = &sources_.front()->run();
    merged_.reset();
    taken_keys_ = 0;
    merged_steps_.clear();
    merged_facts_.clear();
  } else {
    if (merged_ == nullptr) {
      // The sources have their share of the budget already.
      merged_ = std::make_unique<Run>(options_->max_keys_per_run, nullptr);
    }
    Merge();
    wanted = merged_.get();
  }
  wanted->identity = identity_;
  wanted->sources = Sources();
  wanted->data_source = DataSource();
  wanted->had_wandb = had_wandb_;
  wanted->processes = processes_;
  wanted->trials = trials_;
  if (wanted == merged_.get()) wanted->record = NewestRecord();
  if (trials_ != nullptr && trials_->newest_change) {
    primary_->judged().NoteTrial(*trials_->newest_change);
  }
  primary_->judged().NoteRecord(WandbEnd());
  if (wanted != run_ || primary_ != rendered_primary_) series_.reset();
  if (series_ == nullptr) primary_->judged().DropBlock();
  run_ = wanted;
  rendered_primary_ = primary_;
  if (series_ == nullptr) {
    trial_block_.reset();
    series_ = std::make_unique<RunSeries>(table_);
  }
}

void RunGroup::Merge() {
  const Run& first = primary_->run();
  Run& out = *merged_;
  out.framework = first.framework;
  out.labels = first.labels;
  out.path = first.path;
  out.source = first.source;
  out.durations = first.durations;
  out.events = first.events;
  out.mode = first.mode;
  out.total_steps = first.total_steps;
  out.start_time = first.start_time;
  out.last_step_time = first.last_step_time;

  // Lines tell of errors and ends; steps of a record do not.
  const TrackedFile* log = FirstLog();
  if (primary_->is_record() && log != nullptr) {
    out.events = log->run().events;
    out.path = log->run().path;
    out.start_time = log->run().start_time;
    out.mode = log->run().mode;
  }

  out.progress = left_;
  out.progress.up = primary_->is_record() && log != nullptr
                        ? log->run().progress.up
                        : Serving() != nullptr;
  out.progress.bytes_behind = 0;
  std::vector<const TrackedFile*> telling = {primary_};
  const bool log_tells =
      primary_->kind() == SourceKind::kLog && first.progress.up;
  for (const TrackedFile* f : sources_) {
    const SourceProgress& p = f->run().progress;
    AddCounts(p, &out.progress);
    out.progress.bytes_behind += p.bytes_behind;
    if (f->aside) continue;
    // W&B goes on to write what the machine does, whatever the trainer does,
    // and a record is no log.
    if ((f == primary_ || f->kind() != SourceKind::kWandbFile) &&
        (!f->is_record() || log == nullptr)) {
      out.progress.modified_time =
          std::max(out.progress.modified_time, p.modified_time);
    }
    if (f != primary_) telling.push_back(f);
  }
  MergeFacts(telling);
  // A launcher's output repeats the log, and is read for it where there is
  // none.
  if (log_tells) {
    std::erase_if(telling, [](const TrackedFile* f) {
      return f->kind() == SourceKind::kLaunch;
    });
  }
  MergeSteps(telling);
}

const TrackedFile* RunGroup::FirstLog() const {
  for (const TrackedFile* f : sources_) {
    if (!f->aside && !f->is_record()) return f;
  }
  return nullptr;
}

// Of several copies of its record, the one with the newest sign of life.
std::shared_ptr<const RecordedRun> RunGroup::NewestRecord() const {
  std::shared_ptr<const RecordedRun> newest;
  for (const TrackedFile* f : sources_) {
    const auto& record = f->run().record;
    if (record == nullptr) continue;
    if (newest == nullptr || newest->updated_at < record->updated_at) {
      newest = record;
    }
  }
  return newest;
}

void RunGroup::MergeFacts(const std::vector<const TrackedFile*>& telling) {
  std::vector<std::shared_ptr<const RunFacts>> facts;
  // Of a record the plan is one of rollouts.
  std::int64_t per_rollout = 0;
  std::optional<std::int64_t> newest;
  for (const TrackedFile* f : telling) {
    if (per_rollout == 0) per_rollout = f->steps_per_rollout();
    newest = std::max(newest, TrainStep(f));
  }
  for (const TrackedFile* f : telling) {
    const Run& run = f->run();
    if (merged_->mode == RunMode::kUnknown) merged_->mode = run.mode;
    if (!merged_->total_steps) {
      merged_->total_steps = f->is_record()
                                 ? f->PlannedSteps(per_rollout, newest)
                                 : run.total_steps;
    }
    if (!merged_->start_time) merged_->start_time = run.start_time;
    // A record knows it; of a log it may be the default.
    if (f->is_record() && merged_->framework == "verl") {
      merged_->framework = run.framework;
    }
    if (run.facts == nullptr) continue;
    if (facts.empty() && run.facts->framework) {
      merged_->framework = *run.facts->framework;
    }
    facts.push_back(run.facts);
  }
  if (facts == merged_facts_) return;
  merged_facts_ = std::move(facts);
  if (merged_facts_.size() < 2) {
    merged_->facts = merged_facts_.empty() ? nullptr : merged_facts_.front();
    return;
  }
  auto all = std::make_shared<RunFacts>(*merged_facts_.front());
  for (const auto& weaker : merged_facts_) FillRunFacts(*weaker, all.get());
  merged_->facts = std::move(all);
}

void RunGroup::MergeSteps(const std::vector<const TrackedFile*>& telling) {
  std::vector<const StepState*> states;
  std::vector<std::pair<const StepState*, std::uint64_t>> versions;
  const TrackedFile* newest = primary_;
  for (const TrackedFile* f : telling) {
    states.push_back(&f->run().steps);
    versions.emplace_back(states.back(), states.back()->version());
    if (TrainStep(f) > TrainStep(newest)) newest = f;
  }
  if (newest != primary_)
    merged_->last_step_time = newest->run().last_step_time;
  if (versions == merged_steps_) return;
  merged_steps_ = std::move(versions);
  merged_->steps.Merge(states);
}

std::uint64_t RunGroup::TakeDroppedKeys() {
  if (merged_ == nullptr) return 0;
  const std::uint64_t now = merged_->steps.dropped_keys();
  return now - std::exchange(taken_keys_, now);
}

void RunGroup::AcquireKeys() {
  Refresh();
  series_->AcquireKeys(*run_);
}

std::shared_ptr<const SampleBlock> RunGroup::StepBlock() {
  Refresh();
  return series_->RenderSteps(*run_);
}

std::shared_ptr<const SampleBlock> RunGroup::RunBlock() {
  Refresh();
  if (run_block_ == nullptr) run_block_ = series_->RenderRun(*run_);
  return run_block_;
}

std::shared_ptr<const SampleBlock> RunGroup::ProcessBlock() {
  Refresh();
  if (process_block_ == nullptr) {
    process_block_ = series_->RenderProcesses(*run_);
  }
  return process_block_;
}

std::shared_ptr<const SampleBlock> RunGroup::TrialBlock() {
  Refresh();
  if (trials_ == nullptr) return nullptr;
  if (trial_block_ == nullptr) {
    trial_block_ = series_->RenderTrials(*run_, primary_->run().steps.budget());
  }
  return trial_block_;
}

std::shared_ptr<const Judgement> RunGroup::JudgeAt(double now) {
  ChoosePrimary(now);
  Refresh();
  const bool waits = trials_expected_ && !trials_known_ && !trials_silent_;
  judgement_ =
      primary_->judged().JudgeAt(*run_, now, primary_->caught_up() && !waits);
  return judgement_;
}

RunReport RunGroup::Report(double now) {
  Refresh();
  if (judgement_ == nullptr) JudgeAt(now);
  ReportInput input{*run_, history(), *judgement_, *rules_, now,
                    {},    {},        {},          {},      {}};
  for (const TrackedFile* f : sources_) {
    const std::vector<std::string>& texts = f->text_paths();
    input.sources.push_back({std::string(SourceKindName(f->kind())), f->path(),
                             f->run().progress.up, texts.size(),
                             texts.size() > 1 ? texts.back() : std::string()});
  }
  if (processes_) {
    const auto add = [&input](const char* role, const ProcessFact& fact) {
      if (fact.presence == ProcessPresence::kNeverSeen) return;
      input.processes.push_back(
          {role, fact.alive() ? std::optional(fact.pid) : std::nullopt,
           fact.start_time});
    };
    add("runner", processes_->runner);
    add("trainer", processes_->trainer);
    if (processes_->gpus) {
      input.gpus = static_cast<std::int64_t>(*processes_->gpus);
    }
  }
  input.last_stamp = primary_->LastStamp();
  if (const auto phase = run_->events.phase) {
    const auto& marks = run_->events.phases[static_cast<std::size_t>(*phase)];
    if (marks.begin && marks.begin->stamp) {
      input.phase_since = primary_->TimeOf(*marks.begin->stamp);
    }
  }
  return MakeRunReport(input);
}

RunSummary RunGroup::Summary() {
  Refresh();
  const Run& run = *run_;
  RunSummary out;
  out.project = run.identity.project;
  out.run = run.identity.run;
  out.path = run.path;
  out.last_step = run.steps.last_step(LineClass::kTrain);
  out.total_steps = run.total_steps;
  out.last_step_time = run.last_step_time;
  out.step_seconds = run.durations.mean(kSummarySteps);
  if (judgement_ == nullptr) return out;
  const Judgement& j = *judgement_;
  out.state = kRunStateNames[static_cast<std::size_t>(j.state)];
  out.health = kHealthNames[static_cast<std::size_t>(j.health)];
  if (j.decision) {
    out.decision = kDecisionNames[static_cast<std::size_t>(*j.decision)];
  }
  for (const Level level : {Level::kCritical, Level::kWarning}) {
    for (const Finding& f : j.findings) {
      if (f.level != level) continue;
      if (!out.findings.empty()) out.findings += ", ";
      out.findings += f.name;
    }
  }
  return out;
}

RunPage RunGroup::Page(double now) {
  RunReport report = Report(now);
  return {std::move(report), MakeCurves(history(), *judgement_)};
}

std::shared_ptr<const SampleBlock> RunGroup::JudgementBlock() {
  Refresh();
  return primary_->judged().Block(*run_, series_.get());
}

void RunGroup::Prefetch(std::size_t stage) const {
  if (stage == 0) {
    PrefetchBytes(this, sizeof *this);
  } else if (series_ != nullptr) {
    if (stage == 1) PrefetchBytes(series_.get(), sizeof *series_);
    if (stage > 1) series_->Prefetch(stage - 2);
  }
}

void RunGroup::Prepare(double now) {
  if (sources_.size() != 1 || has_left_ || trials_ != nullptr) return;
  JudgeAt(now);
  AcquireKeys();
  StepBlock();
  RunBlock();
  JudgementBlock();
}

std::shared_ptr<const SampleBlock> RunGroup::EngineBlock(double now) {
  Refresh();
  return series_->RenderEngines(*run_, now);
}

}  // namespace rlrun
