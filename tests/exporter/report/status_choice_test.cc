#include "exporter/report/status_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RunReport Report(const std::string& run, RunState state,
                 Health health = Health::kHealthy, double modified = 0) {
  RunReport report;
  report.run = run;
  report.state = state;
  report.health = health;
  report.modified_time = modified;
  report.headline = "headline of " + run;
  report.sources = {{"log", "/r/" + run + ".log", true}};
  return report;
}

TEST(ChooseRuns, LiveRunsAreShownTheWorstFirst) {
  const std::vector<RunReport> reports = {
      Report("a", RunState::kRunning), Report("b", RunState::kFinished),
      Report("c", RunState::kStalled, Health::kAtRisk),
      Report("d", RunState::kStarting),
      Report("e", RunState::kRunning, Health::kCritical)};
  const StatusChoice choice = ChooseRuns(reports, "", {});
  EXPECT_THAT(choice.full, ElementsAre(4, 2, 0, 3));
  EXPECT_THAT(choice.listed, ElementsAre(1));
  EXPECT_EQ(choice.note, "");
  EXPECT_EQ(StatusExitCode(reports, choice), 2);
}

TEST(ChooseRuns, WithoutALiveOneTheLastFinishedIsOffered) {
  const std::vector<RunReport> reports = {
      Report("a", RunState::kFinished, Health::kHealthy, 100),
      Report("b", RunState::kFinished, Health::kAtRisk, 200),
      Report("c", RunState::kFailed, Health::kCritical, 300)};
  const StatusChoice choice = ChooseRuns(reports, "", {});
  EXPECT_THAT(choice.full, ElementsAre(1));
  EXPECT_THAT(choice.listed, ElementsAre(2, 0));
  EXPECT_THAT(choice.note, AllOf(HasSubstr("No run is live"),
                                 HasSubstr("last finished run")));
  EXPECT_EQ(StatusExitCode(reports, choice), 1);
}

TEST(ChooseRuns, WithoutAFinishedOneTheLastWrittenIsOffered) {
  const std::vector<RunReport> reports = {
      Report("a", RunState::kFailed, Health::kCritical, 100),
      Report("b", RunState::kLost, Health::kHealthy, 200)};
  const StatusChoice choice = ChooseRuns(reports, "", {});
  EXPECT_THAT(choice.full, ElementsAre(1));
  EXPECT_THAT(choice.note, Not(HasSubstr("finished")));
}

TEST(ChooseRuns, LogThatIsAskedForIsShownThoughItHasEnded) {
  const std::vector<RunReport> reports = {Report("a", RunState::kFailed),
                                          Report("b", RunState::kRunning),
                                          Report("c", RunState::kFinished)};
  const StatusChoice choice = ChooseRuns(reports, "", {"/r/a.log"});
  EXPECT_THAT(choice.full, ElementsAre(0, 1));
  EXPECT_THAT(choice.listed, ElementsAre(2));
  EXPECT_EQ(ChooseRuns({reports[0]}, "", {"/r/a.log"}).note, "No run is live.");
}

TEST(ChooseRuns, NoRunsAtAll) {
  const StatusChoice choice = ChooseRuns({}, "", {});
  EXPECT_THAT(choice.full, IsEmpty());
  EXPECT_EQ(StatusExitCode({}, choice), 0);
  EXPECT_THAT(ChooseRuns({}, "a", {}).error, HasSubstr("no run is called a"));
}

TEST(ChooseRuns, NameChoosesOneWhateverItsState) {
  const std::vector<RunReport> reports = {Report("alpha", RunState::kRunning),
                                          Report("beta", RunState::kFinished)};
  EXPECT_THAT(ChooseRuns(reports, "bet", {}).full, ElementsAre(1));
  EXPECT_THAT(ChooseRuns(reports, "bet", {}).listed, IsEmpty());
}

TEST(ChooseRuns, AmbiguousNameListsItsCandidates) {
  const StatusChoice choice = ChooseRuns(
      {Report("lab-1", RunState::kRunning), Report("lab-2", RunState::kRunning),
       Report("other", RunState::kRunning)},
      "lab", {});
  EXPECT_THAT(choice.full, IsEmpty());
  EXPECT_THAT(choice.error,
              AllOf(HasSubstr("ambiguous"), HasSubstr("\n  lab-1"),
                    HasSubstr("\n  lab-2"), Not(HasSubstr("other"))));
}

TEST(ChooseRuns, UnknownNameListsTheNearest) {
  const StatusChoice choice =
      ChooseRuns({Report("grpo-8b", RunState::kRunning)}, "gpro-8b", {});
  EXPECT_THAT(choice.error, AllOf(HasSubstr("no run is called gpro-8b"),
                                  HasSubstr("\n  grpo-8b")));
}

TEST(StatusText, SeveralRunsAreListedAndNeverMerged) {
  const std::vector<RunReport> reports = {Report("a", RunState::kRunning),
                                          Report("b", RunState::kRunning),
                                          Report("c", RunState::kFinished)};
  const std::string text =
      StatusText(reports, ChooseRuns(reports, "", {}), ReportStyle::kText, {});
  EXPECT_THAT(text, AllOf(HasSubstr("## harbor status — a\n"),
                          HasSubstr("## harbor status — b\n"),
                          Not(HasSubstr("## harbor status — c")),
                          HasSubstr("\nOther runs (--run=NAME shows one):\n"
                                    "- ⚫ c — finished: headline of c\n")));
}

TEST(StatusText, TailStandsBehindItsRunAndCannotCloseItsBlock) {
  const std::vector<RunReport> reports = {Report("a", RunState::kRunning)};
  const StatusChoice choice = ChooseRuns(reports, "", {});
  EXPECT_THAT(StatusText(reports, choice, ReportStyle::kText, {{"one", "~~~"}}),
              HasSubstr("\n**Log**\none\n~~~\n"));
  EXPECT_THAT(
      StatusText(reports, choice, ReportStyle::kMarkdown, {{"one", "~~~"}}),
      HasSubstr("\n**Log**\n~~~~\none\n~~~\n~~~~\n"));
}

TEST(StatusText, ListedNamesAreEscapedToo) {
  const std::vector<RunReport> reports = {
      Report("a", RunState::kRunning), Report("*b*\n# c", RunState::kFinished)};
  EXPECT_THAT(StatusText(reports, ChooseRuns(reports, "", {}),
                         ReportStyle::kMarkdown, {}),
              HasSubstr("- ⚫ \\*b\\* \\# c — finished"));
}

}  // namespace
}  // namespace rlrun
