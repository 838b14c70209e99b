#include "exporter/report/report_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporter/report/hidden_text.h"
#include "exporter/report/report_json.h"
#include "exporter/report/report_text.h"
#include "tests/exporter/report/full_report.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Error(const std::string& json) {
  ReadReports read;
  std::string error;
  return ReadStatusJson(json, &read, &error) ? "" : error;
}

TEST(ReadStatusJson, AnswersOfOthersAreNone) {
  EXPECT_EQ(Error("<html>"), "no JSON");
  EXPECT_EQ(Error(""), "no JSON");
  EXPECT_EQ(Error("[]"), "no object");
  EXPECT_EQ(Error("{\"status\":\"success\"}"), "no list of runs");
  EXPECT_EQ(Error("{\"generated_at\":\"x\",\"runs\":[]}"), "no list of runs");
  EXPECT_THAT(Error("{\"generated_at\":1,\"runs\":[7]}"), HasSubstr("a run"));
  EXPECT_THAT(Error("{\"generated_at\":1,\"runs\":[{\"run\":\"a\"}]}"),
              HasSubstr("a run"));
  EXPECT_EQ(Error(std::string(100000, '[')), "no JSON");
  EXPECT_EQ(Error("{\"generated_at\":1,\"runs\":[]}"), "");
}

TEST(ReadStatusJson, FieldsOfOddTypesAreNotThere) {
  ReadReports read;
  std::string error;
  ASSERT_TRUE(ReadStatusJson(
      "{\"generated_at\":1,\"runs\":[{\"run\":\"a\",\"state\":\"running\","
      "\"health\":\"healthy\",\"step\":\"x\",\"epoch\":[],\"sources\":{},"
      "\"values\":[],\"signatures\":[3],\"trials\":1,\"later\":{}}]}",
      &read, &error))
      << error;
  EXPECT_FALSE(read.runs[0].step);
  EXPECT_TRUE(read.runs[0].findings.empty());
  EXPECT_FALSE(read.runs[0].trials);
}

// What another exporter says is shown as it would say it: no field is left
// unread.
TEST(ReadStatusJson, EveryFieldIsReadBack) {
  const std::vector<RunReport> reports = {FullReport()};
  const StatusChoice choice = ChooseRuns(reports, "", {});
  const std::string json = StatusJson(reports, choice, {}, 5);
  ReadReports read;
  std::string error;
  ASSERT_TRUE(ReadStatusJson(json, &read, &error)) << error;
  EXPECT_EQ(StatusJson(read.runs, choice, {}, read.generated_at), json);
  EXPECT_FALSE(read.partial);
  ASSERT_TRUE(
      ReadStatusJson(StatusJson(reports, choice, {}, 5, true), &read, &error));
  EXPECT_TRUE(read.partial);
  std::string text, again;
  AppendReport(reports[0], ReportStyle::kText, &text);
  AppendReport(read.runs[0], ReportStyle::kText, &again);
  EXPECT_EQ(again, text);
  for (const char* name : {"tr-1", "ap-2", "abc3"}) {
    EXPECT_EQ(ChooseRuns(read.runs, name, {}).error, "") << name;
  }
}

TEST(HideLogText, QuotesGoAndOurWordsStay) {
  RunReport report;
  report.log_text = "a line";
  Finding crash;
  crash.name = "trainer_crash";
  crash.level = Level::kCritical;
  crash.detail = "OSError: a secret";
  Finding stall;
  stall.name = "stall";
  stall.level = Level::kWarning;
  stall.detail = "during a validation";
  Finding kl;
  kl.name = "kl_blowup";
  kl.level = Level::kWarning;
  kl.detail = "M_5(kl_loss)=0.3";
  report.findings = {crash, stall, kl};
  report.headline = "trainer_crash since step 3: OSError: a secret; stall";
  HideLogText(&report);
  EXPECT_EQ(report.log_text, "");
  EXPECT_EQ(report.headline, "trainer_crash since step 3; stall");
  EXPECT_EQ(report.findings[0].detail, "");
  EXPECT_EQ(report.findings[1].detail, "during a validation");
  EXPECT_EQ(report.findings[2].detail, "M_5(kl_loss)=0.3");
}

}  // namespace
}  // namespace rlrun
