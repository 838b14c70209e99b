// The first line of the report of a run that has ended, and how long it ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "exporter/report/run_report.h"

namespace rlrun {
namespace {

constexpr double kDay = 86400;
constexpr double kWritten = 1767323045;

class HeadlineTest : public testing::Test {
 protected:
  HeadlineTest() {
    run_.progress.up = true;
    run_.progress.modified_time = kWritten;
    run_.start_time = kWritten - 9 * kDay;
    judgement_.state = RunState::kFailed;
    judgement_.state_reason = "trainer_crash";
  }
  void AddFinding(std::string_view name, Level level,
                  const std::string& detail = "") {
    Finding& finding = judgement_.findings.emplace_back();
    finding.name = name;
    finding.level = level;
    finding.since_step = 149;
    finding.detail = detail;
  }
  RunReport Report(std::optional<double> last_stamp = std::nullopt) {
    ReportInput input{run_, history_, judgement_, rules_, kWritten + 60,
                      {},   {},       {},         {},     last_stamp};
    return MakeRunReport(input);
  }

  rlrun::Run run_{2000, nullptr};
  History history_;
  Judgement judgement_;
  RunRules rules_;
};

TEST_F(HeadlineTest, CrashIsNamedOnceWithItsFirstError) {
  AddFinding("trainer_crash", Level::kCritical, "OSError:\nno space");
  EXPECT_EQ(Report().headline,
            "trainer_crash since step 149: OSError: no space");
}

TEST_F(HeadlineTest, OtherFindingsFollowTheEnd) {
  AddFinding("no_signal", Level::kWarning);
  AddFinding("trainer_crash", Level::kCritical);
  EXPECT_EQ(Report().headline,
            "trainer_crash since step 149; no_signal since step 149");
}

TEST_F(HeadlineTest, EndThatIsNoFindingIsItsReason) {
  judgement_.state = RunState::kInterrupted;
  judgement_.state_reason = "the log ends in an interrupt";
  AddFinding("no_signal", Level::kWarning);
  EXPECT_EQ(Report().headline,
            "the log ends in an interrupt; no_signal since step 149");
}

TEST_F(HeadlineTest, RunOfACopyLastedUntilItsLastStamp) {
  EXPECT_EQ(Report().running_seconds, 9 * kDay);
  EXPECT_EQ(Report(kWritten - 7 * kDay).running_seconds, 2 * kDay);
  EXPECT_EQ(Report(kWritten - 3600).running_seconds, 9 * kDay);
  judgement_.state = RunState::kRunning;
  judgement_.state_reason = "";
  EXPECT_EQ(Report().running_seconds, 9 * kDay + 60);
  EXPECT_EQ(Report(kWritten - 7 * kDay).running_seconds, 2 * kDay);
}

}  // namespace
}  // namespace rlrun
