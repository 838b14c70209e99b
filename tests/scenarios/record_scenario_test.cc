// Every run of a record store is read by the whole application and judged; what
// is found is what its scenario says, and nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/signatures/record_rules.h"
#include "tests/scenarios/record_scenarios.h"
#include "tests/scenarios/scenario.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun::scenarios {
namespace {

constexpr std::int64_t kAt = kScenarioStart;

class RecordScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(RecordScenarioTest, IsJudgedAsItsRowSays) {
  SetupLog("error", "logfmt");
  const auto all = RecordScenarios(kAt);
  const auto scenario = std::find_if(
      all.begin(), all.end(),
      [](const RecordScenario& s) { return s.name == GetParam(); });
  ASSERT_NE(scenario, all.end());
  InMemoryFileSource files;
  files.Mkdir("/runs");
  for (const RecordFile& file : scenario->files) {
    files.Write("/runs/" + file.path, file.text);
    files.SetMtime("/runs/" + file.path,
                   (kAt - static_cast<std::int64_t>(file.age)) * 1000000000);
  }
  Config config;
  RootOptions root;
  root.path = "/runs";
  config.roots.push_back(root);
  AppOptions options;
  options.age_limits = false;
  App app(config, options, &files);
  const Now now{1000, static_cast<double>(kAt)};
  app.ReadInline(now);
  const std::vector<RunReport> reports = app.Reports(now);
  ASSERT_EQ(reports.size(), 1U);
  const RunReport& report = reports[0];
  EXPECT_EQ(report.project, "lab");
  EXPECT_EQ(report.run, "calm-otter-0a1b");
  EXPECT_EQ(report.framework, "slime");
  EXPECT_EQ(kRunStateNames[static_cast<std::size_t>(report.state)],
            scenario->state);
  EXPECT_TRUE(report.rollouts);
  bool found = scenario->signature.empty();
  for (const Finding& f : report.findings) {
    if (f.level == Level::kNone) continue;
    if (f.name == scenario->signature) {
      found = true;
      EXPECT_EQ(LevelName(f.level), scenario->level);
      continue;
    }
    EXPECT_NE(std::find(scenario->companions.begin(),
                        scenario->companions.end(), f.name),
              scenario->companions.end())
        << f.name << ": " << f.detail;
  }
  EXPECT_TRUE(found) << scenario->signature;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const RecordScenario& s : RecordScenarios(kAt)) names.push_back(s.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, RecordScenarioTest, testing::ValuesIn(Names()),
                         [](const testing::TestParamInfo<std::string>& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RecordScenarios, EachRuleOfRecordsHasOne) {
  std::set<std::string> shown;
  for (const RecordScenario& s : RecordScenarios(kAt))
    shown.insert(s.signature);
  for (const TimeRule& rule : RecordRules()) {
    EXPECT_TRUE(shown.contains(std::string(rule.name))) << rule.name;
  }
}

}  // namespace
}  // namespace rlrun::scenarios
