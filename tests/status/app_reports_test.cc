// Reports of App over files that change: what cannot be read, what has no
// project, names and lines that want to be more than text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "exporter/report/report_json.h"
#include "exporter/report/report_text.h"
#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/report/status_schema.h"

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class AppReports : public AppFixture {
 protected:
  static std::string Steps(int first, int last) {
    std::string text;
    for (int i = first; i <= last; ++i) {
      text += Step(i, "actor/lr:1e-06 - critic/rewards/mean:0.4" +
                          std::to_string(i % 3));
    }
    return text;
  }
  std::vector<RunReport> Reports(double t) { return app_->Reports(NowAt(t)); }
  static std::string Text(const RunReport& report,
                          ReportStyle style = ReportStyle::kText) {
    std::string text;
    AppendReport(report, style, &text);
    return text;
  }
};

TEST_F(AppReports, NothingIsNoReport) {
  ReadAt(0);
  EXPECT_THAT(Reports(0), IsEmpty());
}

TEST_F(AppReports, RunWithoutProjectHasItsNameAlone) {
  files_.Append("/r/sums.log", Steps(1, 12));
  ReadAt(10);
  ASSERT_THAT(Reports(10), SizeIs(1));
  EXPECT_THAT(Text(Reports(10)[0]), StartsWith("## harbor status — sums\n"));
}

TEST_F(AppReports, SourceThatCannotBeReadAnyMoreSaysNothingOfTheTraining) {
  files_.Append("/r/sums.log", Steps(1, 12));
  ReadAt(10);
  ASSERT_THAT(Reports(10), SizeIs(1));
  EXPECT_EQ(Reports(10)[0].decision, Decision::kContinue);
  EXPECT_EQ(Reports(10)[0].data_source, "log");
  for (const auto call :
       {InMemoryFileSource::Call::kOpen, InMemoryFileSource::Call::kStat,
        InMemoryFileSource::Call::kRead}) {
    files_.Fail(call, "/r/sums.log", EIO);
  }
  ReadThrough(20, 200);
  const RunReport report = Reports(200).at(0);
  EXPECT_EQ(report.decision, Decision::kWait);
  EXPECT_EQ(report.data_source, "unreachable");
  EXPECT_EQ(report.health, Health::kHealthy);
  EXPECT_THAT(Text(report), HasSubstr("its source cannot be read"));
  EXPECT_THAT(Text(report), HasSubstr("step 12/?"));
}

TEST_F(AppReports, HostileFileNameAndLines) {
  files_.Append("/r/a\x1b[31m\n# b\xFF<i>.log",
                Steps(1, 12) + "~~~~~~\x1b[2J **bold** \xE2\x80\xAE [a](b)\n");
  ReadAt(10);
  const std::vector<RunReport> reports = Reports(10);
  ASSERT_THAT(reports, SizeIs(1));
  const std::string text = Text(reports[0]);
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\n# b")), Not(HasSubstr("\xFF")),
                          Not(HasSubstr("\xE2\x80\xAE"))));
  const std::string markdown = Text(reports[0], ReportStyle::kMarkdown);
  EXPECT_THAT(markdown, AllOf(HasSubstr("\\<i\\>"), HasSubstr("\n~~~~~~~\n  "),
                              Not(HasSubstr("\n~~~~~~\n"))));
  EXPECT_EQ(
      SchemaError(StatusJson(reports, ChooseRuns(reports, "", {}), {}, 1)), "");
}

}  // namespace
}  // namespace rlrun
