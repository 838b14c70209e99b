// A folder of logs of long ago: nothing in it lives, and nothing alarms.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/exporter/app/app_fixture.h"
#include "tests/scenarios/scenario.h"

namespace rlrun {
namespace {

constexpr double kDay = 86400;

class OldLogs : public AppFixture {
 protected:
  // Scenarios in turn: of three logs, one was last written 2 to 6 days ago and
  // two 8 to 400 days ago.
  void WriteLogs(int logs) {
    const auto& all = scenarios::Scenarios();
    for (int i = 0; i < logs; ++i) {
      const double age = i % 3 == 0 ? 2 + i % 5 : 8 + i * 392 / (logs - 1);
      const double end = static_cast<double>(kStart) - age * kDay;
      scenarios::ScenarioOptions options;
      options.start = static_cast<std::int64_t>(end) - 3 * 86400;
      const scenarios::Scenario& scenario =
          all[static_cast<std::size_t>(i) % all.size()];
      const std::string path =
          "/r/" + scenario.name + "-" + std::to_string(i) + ".log";
      files_.Write(path, scenarios::ScenarioLog(scenario, options));
      files_.SetMtime(path, static_cast<std::int64_t>(end * 1e9));
    }
  }
};

TEST_F(OldLogs, TwoHundredRaiseNothing) {
  WriteLogs(200);
  ReadAt(0);
  ReadThrough(10, 90);
  EXPECT_EQ(Files("too_old"), "133");
  EXPECT_EQ(Files("run"), "67");
  EXPECT_TRUE(app_->snapshot()->ready);
  EXPECT_THAT(Runs(), testing::IsEmpty());
  for (const char* family :
       {"\nrlrun_state{", "\nrlrun_signature_active{", "\nrlrun_health{",
        "\nrlrun_decision{", "\nrlrun_check_failing_steps{",
        "\nrlrun_log_errors_total{"}) {
    EXPECT_EQ(Text().find(family), std::string::npos) << family;
  }
}

// `status` and `once` read them all: what is in them is told, as of a past.
TEST_F(OldLogs, AskedForTheyHaveAllEnded) {
  options_.age_limits = false;
  WriteLogs(200);
  ReadAt(0);
  const std::vector<RunReport> reports = app_->Reports(NowAt(0));
  // Logs of one name, one behind the other, are one run.
  EXPECT_GE(reports.size(), scenarios::Scenarios().size());
  for (const RunReport& report : reports) {
    SCOPED_TRACE(report.run);
    EXPECT_TRUE(IsEnded(report.state));
    EXPECT_FALSE(report.decision);
    for (const Finding& finding : report.findings) {
      if (finding.level == Level::kNone) continue;
      EXPECT_NE(finding.name, "stall");
      EXPECT_NE(finding.name, "no_progress");
      EXPECT_NE(finding.name, "died_silently");
    }
  }
}

}  // namespace
}  // namespace rlrun
