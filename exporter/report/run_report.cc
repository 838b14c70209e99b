#include "exporter/report/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "exporter/exposition/text.h"
#include "exporter/report/advice.h"
#include "exporter/report/check_words.h"
#include "exporter/report/curve_words.h"
#include "exporter/report/plain_text.h"
#include "exporter/report/recommendations.h"
#include "exporter/report/report_lines.h"

namespace rlrun {
namespace {

constexpr const char* kUnreachable = "unreachable";
constexpr std::size_t kThinSteps = 10;
constexpr std::size_t kTrendSteps = 10;
// A file that was modified this many seconds behind its last stamp is a copy.
constexpr double kCopied = 6 * 3600;

// The run was written until then; absent: perhaps until now.
std::optional<double> EndTime(const ReportInput& input, RunState state) {
  const std::optional<double>& modified = input.run.progress.modified_time;
  if (input.last_stamp && modified && *modified - *input.last_stamp > kCopied) {
    return input.last_stamp;
  }
  return IsEnded(state) ? modified : std::nullopt;
}

void FillTimes(const ReportInput& input, RunReport* report) {
  const Run& run = input.run;
  report->start_time = run.start_time;
  report->last_step_time = run.last_step_time;
  report->modified_time = run.progress.modified_time;
  if (report->modified_time) {
    report->silence_seconds = std::max(0.0, input.now - *report->modified_time);
  }
  if (run.start_time) {
    const double end = EndTime(input, report->state).value_or(input.now);
    report->running_seconds = std::max(0.0, end - *run.start_time);
  }
  report->seconds_per_step = run.durations.mean(kTrendSteps);
  report->averaged_steps = std::min(run.durations.size(), kTrendSteps);
  report->steps_hold_more = StepTimesHoldMore(input.history);
}

void FillStage(const ReportInput& input, RunReport* report) {
  const Run& run = input.run;
  report->step = run.steps.last_step(LineClass::kTrain);
  report->total_steps = run.total_steps;
  if (!report->step && run.record != nullptr) {
    report->step = run.record->progress.current;
  }
  if (run.mode != RunMode::kAsync && run.mode != RunMode::kSao) {
    report->epoch = run.steps.Value("training/epoch");
    if (!report->epoch) report->epoch = run.steps.Value("epoch");
  }
  if (IsEnded(report->state)) return;
  report->phase = CurrentPhase(run);
  const bool marked =
      run.events.phase && !report->phase.empty() &&
      report->phase ==
          kRunPhaseNames[static_cast<std::size_t>(*run.events.phase)];
  if (marked && input.phase_since) {
    report->phase_seconds = std::max(0.0, input.now - *input.phase_since);
  }
}

// The first error of the burst that the log ends in, else what ended it, else
// the last activity; empty: none of these.
std::string_view ShownLine(const RunEvents& events) {
  if (events.interrupt_is_last() && events.interrupt) {
    return events.interrupt->text;
  }
  if (events.severe_burst_is_last()) {
    return events.severe_burst->evidence().text;
  }
  return events.last_activity ? std::string_view(events.last_activity->text)
                              : std::string_view();
}

void FillThin(const ReportInput& input, RunReport* report) {
  const std::size_t steps = input.judgement.training_steps;
  if (steps < kThinSteps) {
    report->thin.push_back(std::to_string(steps) + " training step" +
                           (steps == 1 ? "" : "s"));
  }
  const auto& skipped = input.run.progress.values_skipped;
  if (skipped[static_cast<std::size_t>(SkipReason::kCut)] != 0) {
    report->thin.emplace_back("a cut line among the inputs");
  }
  const RunFacts* facts = input.run.facts.get();
  const bool clip_is_assumed = facts == nullptr || !facts->critic_grad_clip;
  if (clip_is_assumed && input.judgement.find("critic_starvation") != nullptr) {
    report->thin.push_back(
        "critic.grad_clip taken as " +
        ReportNumber(input.rules.options.failures.critic_default_clip));
  }
}

// The facts that rules read; what none of the sources states is named. The
// last five are none of a supervised run.
void FillUnknown(const ReportInput& input, RunReport* report) {
  constexpr std::array<std::string_view, 9> all = {
      "lr",        "lr_scheduler",     "lr_warmup_steps",
      "test_freq", "prompts_per_step", "responses_per_prompt",
      "estimator", "routing_replay",   "max_response_tokens"};
  const bool supervised = input.run.mode == RunMode::kSft;
  const std::span wanted(all.data(), supervised ? 4 : all.size());
  if (!input.run.total_steps) report->unknown.emplace_back("total_steps");
  const RunFacts none;
  const RunFacts& facts = input.run.facts ? *input.run.facts : none;
  ForEachRunFact([&](std::string_view name, auto field) {
    const bool is_wanted =
        std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    if (is_wanted && !(facts.*field)) report->unknown.emplace_back(name);
  });
}

std::string Baseline(const ReportInput& input) {
  if (input.rules.baseline.empty()) return "the run's own steps";
  std::string out;
  for (const auto& [key, value] : input.rules.baseline) {
    if (!out.empty()) out += ", ";
    out += key + " " + ReportNumber(value);
    if (const auto now = input.run.steps.Value(key)) {
      out += " (now " + ReportNumber(*now) + ")";
    }
  }
  return out;
}

std::string Named(const Finding& finding) {
  std::string out(finding.name);
  if (finding.since_step) {
    out += " since step " + std::to_string(*finding.since_step);
  }
  return out;
}

// What has ended the run, with the words of its log where a finding knows them.
std::string EndOf(const std::vector<const Finding*>& active,
                  const std::string& reason) {
  for (const Finding* f : active) {
    if (f->name != reason) continue;
    return Named(*f) +
           (f->detail.empty() ? "" : ": " + PlainFront(f->detail, kMaxLogText));
  }
  return reason;
}

std::string Headline(const Judgement& judgement, const RunReport& report) {
  const std::vector<const Finding*> active = ActiveFindings(judgement.findings);
  const bool ended = IsEnded(report.state);
  std::string out;
  for (const Finding* f : active) {
    if (f->level == Level::kInfo) continue;
    if (ended && f->name == report.state_reason) continue;  // said in front
    out += (out.empty() ? "" : ", ") + Named(*f);
  }
  if (out.empty()) {
    for (const CheckResult& check : judgement.checks) {
      if (!check.failed()) continue;
      out += (out.empty() ? "" : ", ") + std::string(check.name) +
             " out of range " + OutOfRange(check);
    }
  }
  if (ended && !report.state_reason.empty()) {
    out = EndOf(active, report.state_reason) + (out.empty() ? "" : "; " + out);
  }
  if (out.empty()) {
    out = report.state == RunState::kStarting ? "no training step yet"
          : active.empty()                    ? "no known signature matched"
                                              : "nothing to act on";
    for (const Finding* f : active) out += "; to know: " + Named(*f);
  }
  const bool is_blind = report.data_source == kUnreachable;
  return is_blind ? "its source cannot be read, this is what was known: " + out
                  : out;
}

void FillRecord(const ReportInput& input, RunReport* report) {
  if (input.run.record == nullptr) return;
  const RecordedRun& recorded = *input.run.record;
  report->run_id = recorded.record.id;
  report->app_id = recorded.record.app_id;
  report->metric_run_id = recorded.record.metric_run_id;
  report->attempts = recorded.record.attempts;
  if (recorded.updated_at) {
    report->record_seconds = std::max(0.0, input.now - *recorded.updated_at);
  }
  if (!HasLog(input.run)) report->silence_seconds.reset();
  std::optional<std::uint64_t> count;
  if (recorded.rollouts_listed) count = recorded.rollouts;
  if (count || !recorded.newest.empty()) {
    report->rollouts = ReportRollouts{count, recorded.newest};
  }
}

ReportTrials TrialsOf(const TrialTotals& totals) {
  ReportTrials trials;
  trials.complete = totals.complete;
  if (!totals.complete) return trials;
  double rewards = 0;
  for (const TrialSplitTotals& split : totals.splits) {
    trials.finished += split.finished_all();
    trials.scored += split.scored;
    trials.solved += split.solved;
    trials.running += split.running;
    trials.stuck += split.stuck;
    rewards += split.rewards.sum.value();
    for (std::size_t i = 0; i < kTrialReasons; ++i) {
      if (split.finished[i] == 0) continue;
      trials.reasons[std::string(kTrialReasonNames[i])] += split.finished[i];
    }
    for (const auto& [reason, n] : split.dropped) trials.dropped[reason] += n;
  }
  if (trials.scored != 0) {
    trials.reward_mean = rewards / static_cast<double>(trials.scored);
  }
  return trials;
}

// What to do now, in place of what a rule says of all cases.
void Advise(RunReport* report) {
  for (Finding& finding : report->findings) {
    if (finding.level != Level::kNone) finding.next = AdviceOn(finding).text;
  }
  for (CheckResult& check : report->checks) {
    if (check.failed()) check.next = AdviceOn(check).text;
  }
}

}  // namespace

RunReport MakeRunReport(const ReportInput& input) {
  const Run& run = input.run;
  const Judgement& judgement = input.judgement;
  RunReport report;
  report.project = run.identity.project;
  report.run = run.identity.run;
  report.framework = run.framework;
  report.mode = RunModeName(run.mode);
  report.path = run.path;
  report.sources = input.sources;
  report.state = judgement.state;
  report.state_reason = judgement.state_reason;
  report.health = judgement.health;
  report.decision = judgement.decision;
  report.decision_reason = judgement.decision_reason;
  report.processes = input.processes;
  report.gpus = input.gpus;
  if (run.trials != nullptr) report.trials = TrialsOf(*run.trials);
  FillTimes(input, &report);
  FillStage(input, &report);
  FillRecord(input, &report);
  FillReportLines(input, &report);
  report.log_text = PlainFront(ShownLine(run.events), kMaxLogText);
  report.data_source =
      run.progress.up
          ? (run.data_source.empty() ? run.source
                                     : std::string(run.data_source))
          : std::string(IsSourceUp(run, "record") ? "record" : kUnreachable);
  report.baseline = Baseline(input);
  report.findings = judgement.findings;
  report.checks = judgement.checks;
  Advise(&report);
  report.recovered = judgement.recovered;
  FillThin(input, &report);
  FillUnknown(input, &report);
  report.headline = Headline(judgement, report);
  report.recommendations = Recommendations(judgement);
  return report;
}

}  // namespace rlrun
