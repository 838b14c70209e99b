// A report with something in every field that its JSON has.
#pragma once

#include "exporter/report/run_report.h"

namespace rlrun {

inline RunReport FullReport() {
  RunReport report;
  report.project = "lab";
  report.run = "sums";
  report.framework = "verl";
  report.mode = "sync";
  report.path = "/r/sums.log";
  report.run_id = "tr-1";
  report.app_id = "ap-2";
  report.metric_run_id = "abc3";
  report.sources = {{"log", "/r/sums.log", true},
                    {"tensorboard", "/r/events.0", true, 2, "/r/events.1"}};
  report.state_reason = report.decision_reason = report.headline = "x";
  report.decision = Decision::kStop;
  report.step = report.total_steps = report.gpus = 3;
  report.epoch = report.phase_seconds = report.start_time =
      report.last_step_time = report.modified_time = report.running_seconds =
          report.seconds_per_step = report.silence_seconds =
              report.record_seconds = 1.5;
  report.steps_hold_more = true;
  report.attempts = 3;
  report.rollouts =
      ReportRollouts{7, {{5, 1.5, 64, 0.25, 90}, {6, {}, {}, {}, {}}}};
  report.trials = ReportTrials{true, 9, 8, 4, 2, 1, 0.5, {{"error", 1}}, {}};
  report.phase = "training";
  report.processes = {{"trainer", 7, 1.5}, {"runner", {}, {}}};
  for (const char* name :
       {"reward", "grads", "critic", "traj", "val", "also"}) {
    report.lines.push_back({name, {{"label", "key", 1, 2}}, "note"});
  }
  report.reward_trend = Trend::kFalling;
  report.log_text = report.data_source = report.baseline = "x";
  Finding finding;
  finding.name = "stall";
  finding.level = Level::kWarning;
  finding.since_step = 3;
  finding.evidence = {{"key", 2, 1, 3, Side::kAbove}, {"other", -1, 1, {}}};
  finding.detail = "x";
  finding.means = finding.next = "x";
  report.findings = {finding, {}};
  report.findings[1].name = "no_signal";
  CheckResult check;
  check.name = "actor_lr";
  check.key = "actor/lr";
  check.min = check.max = check.value = 1;
  check.label = "share of it";
  check.failing_steps = 2;
  check.since_step = 2;
  check.step = 3;
  check.means = "x";
  report.averaged_steps = 2;
  report.checks = {check};
  report.recovered = {{"stall", 4}};
  report.recommendations = report.thin = report.unknown = {"x"};
  return report;
}

}  // namespace rlrun
