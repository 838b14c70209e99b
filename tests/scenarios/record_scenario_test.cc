// Every scenario with a run record is read by the whole application and judged;
// what is found is what its ledger says, and nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/signatures/record_rules.h"
#include "tests/scenarios/meant_findings.h"
#include "tests/scenarios/memory_sink.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/scenario_files.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun::scenarios {
namespace {

std::vector<RunReport> ReportsOf(const Scenario& scenario,
                                 const ScenarioOptions& options) {
  InMemoryFileSource files;
  files.Mkdir("/runs");
  MemorySink sink(&files);
  WriteScenario(scenario, options, "/runs", &sink);
  Config config;
  config.roots.emplace_back().path = "/runs";
  AppOptions app_options;
  app_options.age_limits = false;
  App app(config, app_options, &files);
  const std::int64_t at = ScenarioLedger(scenario, options).front().at;
  const Now now{1000, static_cast<double>(at)};
  app.ReadInline(now);
  return app.Reports(now);
}

void ExpectLedger(const Scenario& scenario, const ScenarioOptions& options) {
  const std::vector<Expectation> ledger = ScenarioLedger(scenario, options);
  const Expectation& first = ledger.front();
  const std::vector<RunReport> reports = ReportsOf(scenario, options);
  ASSERT_EQ(reports.size(), 1U) << "record and log are of one run";
  const RunReport& report = reports[0];
  EXPECT_EQ(report.project, "lab");
  EXPECT_EQ(report.run, scenario.name);
  EXPECT_EQ(report.run_id, scenario.name);
  EXPECT_EQ(report.framework, "slime");
  // The record names the newest one and counts none.
  ASSERT_EQ(report.rollouts.has_value(), first.steps > 0);
  if (report.rollouts) {
    EXPECT_FALSE(report.rollouts->count);
    EXPECT_EQ(report.rollouts->newest.size(), 1u);
  }
  EXPECT_EQ(kRunStateNames[static_cast<std::size_t>(report.state)],
            first.state);
  std::set<std::string> found;
  for (const Finding& finding : report.findings) {
    if (finding.level == Level::kNone) continue;
    found.emplace(finding.name);
    EXPECT_TRUE(IsMeant(finding, ledger))
        << finding.name << ": " << finding.detail;
  }
  for (const Expectation& expected : ledger) {
    if (expected.signature.empty()) continue;
    EXPECT_THAT(found, testing::Contains(expected.signature));
  }
}

class RecordScenario : public testing::TestWithParam<std::string> {};

TEST_P(RecordScenario, IsWhatItsLedgerSays) {
  SetupLog("error", "logfmt");
  const Scenario& scenario = *FindScenario(GetParam());
  for (const int more : {0, 40, 110}) {
    SCOPED_TRACE(more);
    ScenarioOptions options;
    options.seed = static_cast<std::uint64_t>(more + 1);
    if (more > 0) options.steps = scenario.recipe.steps + more;
    ExpectLedger(scenario, options);
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : Scenarios()) {
    if (scenario.recipe.record) names.push_back(scenario.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(, RecordScenario, testing::ValuesIn(Names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RecordScenarios, EachRuleOfRecordsHasOne) {
  std::set<std::string> shown;
  for (const std::string& name : Names()) {
    for (const Expectation& row : ScenarioLedger(*FindScenario(name))) {
      shown.insert(row.signature);
    }
  }
  for (const TimeRule& rule : RecordRules()) {
    EXPECT_TRUE(shown.contains(std::string(rule.name))) << rule.name;
  }
}

}  // namespace
}  // namespace rlrun::scenarios
