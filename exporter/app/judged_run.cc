#include "exporter/app/judged_run.h"

#include <utility>

#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/time_rules.h"
#include "exporter/signatures/verdict.h"
#include "exporter/store/prefetch.h"

namespace rlrun {
namespace {

std::shared_ptr<const RunRules> OrDefaults(
    std::shared_ptr<const RunRules> rules) {
  if (rules != nullptr) return rules;
  static const auto defaults = std::make_shared<const RunRules>();
  return defaults;
}

// What is judged of a process; when it was last seen is not.
ProcessFact Judged(const ProcessFact& fact) {
  ProcessFact judged;
  judged.presence = fact.presence;
  judged.gone_since = fact.gone_since;
  judged.incomplete = fact.incomplete;
  return judged;
}

}  // namespace

JudgedRun::JudgedRun(std::shared_ptr<const RunRules> rules)
    : rules_(OrDefaults(std::move(rules))), judge_(rules_) {}

void JudgedRun::Prefetch(std::size_t stage) const {
  judge_.Prefetch(stage);
  // The Judgement before will go.
  if (judgement_ == nullptr) return;
  if (stage == 0) PrefetchBytes(judgement_.get(), sizeof *judgement_);
  if (stage == 1) {
    PrefetchTail(judgement_->findings, judgement_->findings.size());
    PrefetchTail(judgement_->checks, judgement_->checks.size());
  }
  if (stage == 2) {
    for (const Finding& f : judgement_->findings) {
      PrefetchTail(f.evidence, f.evidence.size());
    }
  }
}

void JudgedRun::SetRules(std::shared_ptr<const RunRules> rules) {
  rules = OrDefaults(std::move(rules));
  if (rules == rules_) return;
  rules_ = std::move(rules);
  judge_.SetRules(rules_);
  steps_.reset();
  changed_ = true;
}

void JudgedRun::Apply(const Run& run, const LogFacts& facts, bool new_text,
                      std::optional<double> arrival, bool goes_on) {
  changed_ = true;
  if (new_text) {
    timeline_.StartNewText();
    text_begins_ = !goes_on;
  }
  TakeFacts(run);
  for (const StepRecord& record : facts.steps) {
    if (text_begins_ && record.line_class == LineClass::kTrain &&
        !record.pairs.empty()) {
      text_begins_ = false;
      // A log that was rotated goes on; one that starts over is a relaunch.
      const History& history = judge_.history();
      if (history.steps() != 0 && record.step <= history.newest().step) {
        judge_.StartNewText();
      }
    }
    judge_.Apply(record);
  }
  // Made while what it is made of is at hand: the next run pushes it out.
  steps_ = judge_.StepJudgement();
  timeline_.Apply(facts, arrival);
  timeline_.NoteSource(run.progress.up, run.progress.modified_time);
}

// A total that only a line of the log has told is a fact as well, and a newer
// one than the config block's.
void JudgedRun::TakeFacts(const Run& run) {
  if (run.facts == stated_ && run.total_steps == total_steps_) return;
  stated_ = facts_ = run.facts;
  total_steps_ = run.total_steps;
  if (total_steps_ && (!facts_ || facts_->total_steps != total_steps_)) {
    auto all = facts_ ? std::make_shared<RunFacts>(*facts_)
                      : std::make_shared<RunFacts>();
    all->total_steps = total_steps_;
    facts_ = std::move(all);
  }
  judge_.SetFacts(facts_);
  steps_.reset();
}

void JudgedRun::NoteTrial(double changed) {
  if (changed <= timeline_.times().trial_time.value_or(changed - 1)) return;
  timeline_.NoteTrial(changed);
  changed_ = true;
}

void JudgedRun::NoteRecord(RecordedEnd end) {
  changed_ = changed_ || end != record_;
  record_ = end;
}

JudgedRun::Seen JudgedRun::Look(const Run& run, bool caught_up) {
  Seen seen;
  seen.modified_time = run.progress.modified_time;
  seen.readable = run.progress.up && caught_up;
  seen.total_steps = run.total_steps;
  if (run.processes) {
    seen.processes.trainer = Judged(run.processes->trainer);
    seen.processes.runner = Judged(run.processes->runner);
  }
  seen.record = run.record;
  seen.record_up = IsSourceUp(run, "record");
  return seen;
}

bool JudgedRun::IsDue(const Seen& seen, double now) const {
  return judgement_ == nullptr || changed_ || now < judged_at_ ||
         (deadline_ && now >= *deadline_) || !(seen == seen_);
}

std::shared_ptr<const Judgement> JudgedRun::JudgeAt(const Run& run, double now,
                                                    bool caught_up) {
  if (caught_up && !watched_since_) watched_since_ = now;
  const Seen seen = Look(run, caught_up);
  if (!IsDue(seen, now)) return judgement_;
  seen_ = seen;
  timeline_.NoteSource(run.progress.up, run.progress.modified_time);
  Compute(run, now);
  changed_ = false;
  return judgement_;
}

void JudgedRun::Compute(const Run& run, double now) {
  ++judged_;
  judged_at_ = now;
  RunTimes times = timeline_.times();
  times.now = now;
  times.readable = seen_.readable;
  times.step_time = run.last_step_time;
  times.start_time = run.start_time;
  times.watched_since = watched_since_;
  times.last_stamp = last_stamp_;
  const bool has_console =
      run.record != nullptr
          ? HasConsole(run)
          : run.source != "jsonl" && run.source != "tensorboard";
  StateInputs inputs{times,           run.events,
                     seen_.processes, run.steps.last_step(LineClass::kTrain),
                     run.total_steps, record_,
                     has_console};
  if (run.record != nullptr) {
    inputs.recorded = run.record.get();
    inputs.record = RecordedEndOf(*run.record);
    inputs.record_readable = seen_.record_up;
    inputs.has_log = HasLog(run);
  }
  inputs.counts_lines = run.record != nullptr || run.framework == "slime" ||
                        run.framework == "miles";
  inputs.failures = &rules_->options.failures;
  const TimeOptions& options = rules_->options.times;
  state_findings_.Judge(options, inputs);
  deadline_ = NextDeadline(options, inputs);
  Judgement next = MakeJudgement(
      steps_ ? *std::exchange(steps_, std::nullopt) : judge_.StepJudgement(),
      state_findings_, options, inputs);
  if (judgement_ != nullptr && next == *judgement_) return;
  judgement_ = std::make_shared<const Judgement>(std::move(next));
  block_.reset();
}

std::shared_ptr<const SampleBlock> JudgedRun::Block(const Run& run,
                                                    RunSeries* series) {
  if (judgement_ == nullptr) return nullptr;
  if (block_ == nullptr) block_ = series->RenderJudged(run, *judgement_);
  return block_;
}

}  // namespace rlrun
