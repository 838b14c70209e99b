// Alerting rules that follow from the tables of checks and signatures: what
// they say, how they are written down, and a unit test of each for promtool.
// alerts/health.rules.yaml, alerts/signatures.rules.yaml, the recording rules
// and their tests are made of these; rules about ends of runs and about the
// exporter are written by hand.
// Plain data and pure functions; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlrun::alerts {

struct RecordingRule {
  std::string name;  // `run:<metric>:<operation>`
  std::string expr;
};

struct Alert {
  std::string name;      // RLRun..., also the name of its runbook
  std::string expr;      // lines
  std::string severity;  // info, warning, critical
  std::string subject;   // the label `signature` or `check`
  std::string id;        // its value
  std::string summary;
  std::string description;   // lines
  std::string comment = {};  // in front of it, a line; empty: none
};

// A series of a unit test: what follows the name of the run in its labels.
struct TestSeries {
  std::string run;
  std::string metric;
  std::string labels;  // beyond run and project: `a="b"`
  std::string values;  // in promtool's notation, one a minute
};

// What fires at a minute: alerts of one name, all of the run `sums`.
struct TestMoment {
  int minute = 0;
  std::vector<std::string> severities;    // none: silent
  std::vector<std::string> summaries;     // same order
  std::vector<std::string> descriptions;  // same order
};

struct AlertTest {
  std::string name;
  std::string alert;
  std::string subject, id;
  std::vector<TestSeries> series;
  std::vector<TestMoment> moments;
};

struct RuleFile {
  std::string comment;  // lines, without `#`
  std::string group;
  std::vector<Alert> alerts;
  std::vector<AlertTest> tests;
};

// RLRun, `middle`, and the words of a snake_case name.
std::string AlertName(std::string_view middle, std::string_view name);

// Up to its full stop, or up to a colon.
std::string FirstSentence(std::string_view text);

// max without the labels by which two exporters of one run differ.
std::string MaxOfExporters(std::string_view selector);

std::vector<RecordingRule> RecordingRules();
RuleFile HealthAlerts();
RuleFile SignatureAlerts();

// YAML as committed.
std::string RenderRecordingRules();
std::string RenderRules(const RuleFile& file);
// `rules`: the file of the alerts, beside recording.rules.yaml.
std::string RenderTests(const RuleFile& file, std::string_view rules);

// Pieces of annotations. `{{ project }}/{{ run }}` of an alert's labels:
inline constexpr std::string_view kRunTemplate =
    "{{ with $labels.project }}{{ . }}/{{ end }}{{ $labels.run }}";
// A template pipeline: the answer to `query`, in which %[1]q is the run and
// %[2]q the project.
std::string Query(std::string_view query);

// The run of every test, and where its page is.
inline constexpr std::string_view kTestRun = "lab/sums";
inline constexpr std::string_view kTestUrl =
    "http://node-a:10190/runs/lab/sums";
// Where the runbook of an alert about it is, with its queries filled in.
std::string TestRunbook(std::string_view alert);

}  // namespace rlrun::alerts
