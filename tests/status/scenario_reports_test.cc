// Each scenario as a file that App reads: its report says what the ledger says,
// and nothing else, in values and in text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/process/process_report.h"
#include "exporter/report/advice.h"
#include "exporter/report/report_json.h"
#include "exporter/report/report_read.h"
#include "exporter/report/report_text.h"
#include "exporter/report/runbooks.h"
#include "exporter/report/status_choice.h"
#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/time_rules.h"
#include "tests/exporter/report/status_schema.h"
#include "tests/scenarios/memory_sink.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/scenario_files.h"

namespace rlrun::scenarios {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::UnorderedElementsAreArray;

ProcessReport GoneProcess(const std::string& id, double since) {
  ProcessReport report;
  report.listed = true;
  RunProcesses run;
  run.id = id;
  run.trainer.presence = Presence::kGone;
  run.trainer.gone_since = since;
  report.runs.push_back(run);
  return report;
}

// The one report of a scenario, looked at when its ledger says.
RunReport ReportOf(const Scenario& scenario, const Expectation& expected) {
  InMemoryFileSource files;
  MemorySink sink(&files);
  WriteScenario(scenario, {}, "/runs", &sink);
  const double written = ScenarioPieces(scenario).back().at;
  Config config;
  config.roots.emplace_back().path = "/runs";
  AppOptions options;
  options.age_limits = false;
  options.self = {"test", "test", /*deterministic=*/true};
  App app(config, options, &files);
  const Now now{1, static_cast<double>(expected.at)};
  app.ReadInline(now);
  if (scenario.needs_process) {
    app.TakeProcesses(GoneProcess(app.RunKeys().at(0).id, written + 1));
    app.Tick(now);
  }
  std::vector<RunReport> reports = app.Reports(now);
  EXPECT_EQ(reports.size(), 1u);
  return reports.empty() ? RunReport() : reports.front();
}

// `name level` of everything that is matched.
std::vector<std::string> Matched(const RunReport& report) {
  std::vector<std::string> out;
  for (const Finding& f : report.findings) {
    if (f.level == Level::kNone) continue;
    out.push_back(std::string(f.name) + " " + std::string(LevelName(f.level)));
  }
  return out;
}

// Those that must be there, and those that may.
std::vector<std::string> Named(const std::vector<Expectation>& ledger) {
  std::vector<std::string> out;
  for (const Expectation& row : ledger) {
    if (!row.signature.empty()) out.push_back(row.signature + " " + row.level);
  }
  return out;
}
std::vector<std::string> Allowed(const std::vector<Expectation>& ledger) {
  std::vector<std::string> out = Named(ledger);
  for (const Companion& c : ledger.front().companions) {
    out.push_back(c.signature + " " + c.level);
  }
  return out;
}

std::vector<std::string> AllSignatures() {
  std::vector<std::string> out;
  for (const auto rules : {FailureRules(), QualityRules()}) {
    for (const StepRule& rule : rules) out.emplace_back(rule.name);
  }
  for (const auto rules : {TimeRules(), EventRules(), RecordRules()}) {
    for (const TimeRule& rule : rules) out.emplace_back(rule.name);
  }
  return out;
}

// From `**Diagnosis**` to the next heading.
std::string Diagnosis(const std::string& text) {
  const std::size_t begin = text.find("\n**Diagnosis**\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find("\n\n", begin) - begin);
}

void ExpectText(const RunReport& report) {
  std::string text;
  AppendReport(report, ReportStyle::kText, &text);
  const std::string diagnosis = Diagnosis(text);
  bool any = false;
  for (const std::string& name : AllSignatures()) {
    const auto is_it = [&](const Finding& f) {
      return f.name == name && f.level != Level::kNone;
    };
    const bool active =
        std::any_of(report.findings.begin(), report.findings.end(), is_it);
    any = any || active;
    EXPECT_EQ(diagnosis.find("\n- " + name + " (") != std::string::npos, active)
        << name << diagnosis;
  }
  EXPECT_EQ(diagnosis.find("no known signature matched") == std::string::npos,
            any)
      << diagnosis;
  EXPECT_LE(report.recommendations.size(), 3u);
  const bool sao = report.mode == "sao";
  EXPECT_EQ(text.find("\n  critic ") != std::string::npos, sao) << text;
  EXPECT_EQ(text.find("n/a (bypass mode)") != std::string::npos, sao) << text;
}

void ExpectEvidence(const RunReport& report, const Expectation& expected) {
  if (expected.evidence.empty()) return;
  for (const Finding& f : report.findings) {
    if (f.name != expected.signature) continue;
    std::vector<std::string> keys;
    for (const Evidence& e : f.evidence) keys.push_back(e.key.str());
    EXPECT_THAT(keys, Contains(::testing::AnyOfArray(expected.evidence)))
        << expected.signature;
  }
}

// Of what is no key of the log its runbook says what it is, and what to do.
void ExpectRunbooks(const RunReport& report) {
  for (const Finding& f : report.findings) {
    if (f.level == Level::kNone) continue;
    const Runbook* runbook = FindRunbook(RunbookOfSignature(f.name));
    ASSERT_NE(runbook, nullptr) << f.name;
    EXPECT_THAT(runbook->text, HasSubstr("\n## Now\n"));
    for (const Evidence& e : f.evidence) {
      if (EvidenceWords(e.key).empty()) continue;
      EXPECT_THAT(runbook->text, HasSubstr(e.key.str())) << f.name;
    }
  }
}

// Who asks an exporter for it prints the same.
void ExpectReadBack(const RunReport& report, const StatusChoice& choice,
                    const std::string& json) {
  ReadReports read;
  std::string error;
  ASSERT_TRUE(ReadStatusJson(json, &read, &error)) << error;
  for (const ReportStyle style : {ReportStyle::kText, ReportStyle::kMarkdown}) {
    EXPECT_EQ(StatusText(read.runs, choice, style, {}),
              StatusText({report}, choice, style, {}));
  }
  EXPECT_EQ(StatusJson(read.runs, choice, {}, read.generated_at), json);
}

class ReportedScenario : public testing::TestWithParam<std::string> {};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : Scenarios()) names.push_back(scenario.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(, ReportedScenario, testing::ValuesIn(Names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ReportedScenario, SaysWhatItsLedgerSays) {
  SetupLog("error", "logfmt");
  const Scenario& scenario = *FindScenario(GetParam());
  const std::vector<Expectation> ledger = ScenarioLedger(scenario);
  const Expectation& first = ledger.front();
  const RunReport report = ReportOf(scenario, first);

  EXPECT_EQ(report.project, first.project);
  EXPECT_EQ(report.run, first.run);
  EXPECT_EQ(kRunStateNames[static_cast<std::size_t>(report.state)],
            first.state);
  EXPECT_EQ(static_cast<int>(report.health), first.exit_code);
  if (!first.decision.empty()) {
    EXPECT_EQ(report.decision
                  ? kDecisionNames[static_cast<std::size_t>(*report.decision)]
                  : "none",
              first.decision)
        << report.decision_reason;
  }
  EXPECT_EQ(report.decision.has_value(), !IsEnded(report.state));
  if (first.steps > 0) {
    EXPECT_EQ(report.step, first.steps);
  }
  const std::vector<std::string> matched = Matched(report);
  EXPECT_THAT(matched, IsSubsetOf(Allowed(ledger)));
  EXPECT_THAT(Named(ledger), IsSubsetOf(matched));
  for (const Expectation& row : ledger) ExpectEvidence(report, row);
  std::vector<std::string> failed;
  for (const CheckResult& check : report.checks) {
    if (check.failed()) failed.emplace_back(check.name);
  }
  EXPECT_THAT(failed, UnorderedElementsAreArray(first.checks));
  ExpectText(report);
  const StatusChoice choice = ChooseRuns({report}, "", {});
  EXPECT_EQ(StatusExitCode({report}, choice), first.exit_code);
  const std::string json = StatusJson({report}, choice, {}, 1);
  EXPECT_EQ(SchemaError(json), "");
  ExpectReadBack(report, choice, json);
  ExpectRunbooks(report);
}

}  // namespace
}  // namespace rlrun::scenarios
