// Which files are one run, from the file to the exposition; each rule beside
// what looks like it and must stay two runs.
#include "exporter/app/run_joins.h"

#include <gmock/gmock.h>

#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/run_files.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class RunJoinsTest : public AppFixture {
 protected:
  static std::string At(double t) {
    return StampLine(kStart + static_cast<std::time_t>(t));
  }
  std::string Sources(const std::string& labels) const {
    const std::string text = Text();
    const std::size_t at = text.find("rlrun_info{" + labels);
    if (at == std::string::npos) return "no run";
    const std::size_t begin = text.find("sources=\"", at) + 9;
    return text.substr(begin, text.find('"', begin) - begin);
  }
};

constexpr char kWandb[] = "/r/wandb/run-1/files/output.log";

TEST_F(RunJoinsTest, CopiesWithTheSameFirstLineAreSources) {
  files_.Write("/r/exp.log", TimedStep(1, "61.5", "only/here:1"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "61.5", "\"only/here\": 1") +
                                 JsonlStep(2, "62.25"));
  files_.Write(kWandb, TimedStep(1, "61.5", "only/here:1"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Sources("run=\"exp\""), "log,jsonl,wandb");
  // The newest step of any source; what only an older step has is gone.
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "2");
  EXPECT_EQ(Value("rlrun_step_only_here{run=\"exp\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_last_step{run=\"exp\",line=\"train\"}"), "2");
  EXPECT_EQ(Value("rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"}"),
            "4");
}

TEST_F(RunJoinsTest, AnotherTimeOfTheFirstStepIsAnotherRun) {
  files_.Write("/r/exp.log", TimedStep(1, "61.5"));
  files_.Write("/r/other.jsonl", JsonlStep(1, "61.25"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp", "other"));
}

TEST_F(RunJoinsTest, EqualFirstLinesOfTwoStatedNamesAreTwoRuns) {
  files_.Write("/r/a.log", ConfigBlock("p", "one") + TimedStep(1, "61.5"));
  files_.Write("/r/b.log", ConfigBlock("p", "two") + TimedStep(1, "61.5"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/one", "p/two"));
}

TEST_F(RunJoinsTest, ValuesComeFromTheLogFirst) {
  files_.Write("/r/exp.log", TimedStep(1, "61.5"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "61.5"));
  ReadAt(0);
  files_.Append("/r/0.jsonl", JsonlStep(2, "62.125", "\"more\": 3"));
  files_.Append("/r/exp.log", TimedStep(2, "62.25"));
  ReadThrough(10, 20);
  EXPECT_EQ(Value("rlrun_step_timing_s{run=\"exp\",phase=\"step\"}"), "62.25");
  EXPECT_EQ(Value("rlrun_step_more{run=\"exp\"}"), "3");
}

TEST_F(RunJoinsTest, LauncherThatNamesTheLogIsASource) {
  files_.Write("/r/logs/launch_20260101-101112.log",
               LaunchBannerText("proj", "exp-a", "/r/logs/short.log"));
  files_.Write("/r/logs/short.log", TimedStep(1, "61.5"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("proj/exp-a"));
  EXPECT_EQ(Sources("run=\"exp-a\",project=\"proj\""), "log,launch");
}

TEST_F(RunJoinsTest, LauncherThatNamesAnotherLogIsAnotherRun) {
  files_.Write("/r/logs/launch_20260101-101112.log",
               LaunchBannerText("proj", "exp-a", "/r/logs/absent.log"));
  files_.Write("/r/logs/exp-b.log", TimedStep(1, "61.5"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp-b", "proj/exp-a"));
  EXPECT_EQ(Sources("run=\"exp-a\",project=\"proj\""), "launch");
}

TEST_F(RunJoinsTest, LogIsNamedByItsLastTwoSegmentsWhereOneHasThem) {
  files_.Write("/r/launch_20260101-101112.log",
               LaunchBannerText("p", "exp-a", "/elsewhere/logs/a.log"));
  files_.Write("/r/n1/logs/a.log", TimedStep(1, "61.5"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp-a"));
  Start();
  files_.Write("/r/n2/logs/a.log", TimedStep(1, "61.25"));
  ReadAt(10);
  EXPECT_THAT(Runs(), SizeIs(3));
}

TEST_F(RunJoinsTest, LauncherWithoutABannerIsOfTheLogBesideIt) {
  files_.Write("/r/a/launch_1.log", "x\n" + Step(1, "a:1"));
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  files_.Write("/r/b/launch_2.log", Step(1, "a:1"));  // no log in reach
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("b", "exp"));
  EXPECT_EQ(Sources("run=\"b\""), "launch");
}

TEST_F(RunJoinsTest, LauncherThatPrintsNothingOfARunIsASideFile) {
  files_.Write("/r/launch_20260101-101112.log", "starting\nstep by step\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), IsEmpty());
  EXPECT_EQ(Files("side_file"), "1");
  EXPECT_EQ(Files("not_a_log"), "0");
}

TEST_F(RunJoinsTest, FilesThatStateOneNameAreOneRun) {
  files_.Write("/r/a.log", ConfigBlock("p", "exp") + TimedStep(1, "61.5"));
  files_.Write("/r/job.out", ConfigBlock("p", "exp"));  // no step yet
  files_.Write("/r/c.log", ConfigBlock("q", "exp") + TimedStep(1, "3.5"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp", "q/exp"));
  EXPECT_EQ(Sources("run=\"exp\",project=\"p\""), "log,launch");
}

TEST_F(RunJoinsTest, OneNameAtOneTimeInTwoExecutionsCollides) {
  files_.Write("/r/a.log",
               At(0) + ConfigBlock("p", "exp") + TimedStep(1, "5.5"));
  Clock(60);
  files_.Write("/r/b.log",
               At(50) + ConfigBlock("p", "exp") + TimedStep(1, "6.5"));
  files_.Append("/r/a.log", TimedStep(2, "5.25"));
  ReadAt(70);
  EXPECT_THAT(Runs(), UnorderedElementsAre("p/exp@" + PathHash("/r/a.log"),
                                           "p/exp@" + PathHash("/r/b.log")));
  EXPECT_EQ(Value("rlrun_exporter_name_collisions_total"), "1");
}

TEST_F(RunJoinsTest, OneNameInExecutionsOneAfterTheOtherIsTheNewer) {
  files_.Write("/r/b-first.log",
               At(0) + ConfigBlock("p", "exp") + TimedStep(9, "5.5", "old:1"));
  Clock(600);
  files_.Write("/r/second.log",
               At(500) + ConfigBlock("p", "exp") + TimedStep(1, "6.5"));
  ReadAt(610);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\",project=\"p\"}"), "1");
  EXPECT_EQ(Value("rlrun_step_old{run=\"exp\",project=\"p\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_exporter_name_collisions_total"), "0");
  // The older one is written again: it is none of this run.
  files_.Append("/r/b-first.log", TimedStep(10, "5.5"));
  ReadThrough(620, 640);
  EXPECT_THAT(Runs(), SizeIs(2));
}

class SiblingTest : public RunJoinsTest {
 protected:
  // A node of a launch at `stamp`; a head trains.
  void Node(const std::string& stamp, bool head, int nodes = 2,
            const std::string& stem = "exp") {
    const std::string name = stem + "-20260526-" + stamp;
    const std::string logs = "/r/p/" + name + "/logs/";
    files_.Write(logs + "launch_20260526-" + stamp + ".log",
                 LaunchBannerText("p", name, logs + name + ".log", nodes));
    if (head) {
      files_.Write(logs + name + ".log",
                   ConfigBlock("p", name) + TimedStep(1, "5." + stamp));
    }
  }
};

TEST_F(SiblingTest, NodesOfOneLaunchAreTheHeadsRun) {
  Node("232411", false);
  Node("232413", true);
  Node("233400", false);  // 587 seconds later
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp-20260526-232413"));
  EXPECT_EQ(Sources("run=\"exp-20260526-232413\""), "log,launch");
}

TEST_F(SiblingTest, NodesFarApartOrOfAnotherStemAreRunsOfTheirOwn) {
  Node("232413", true);
  Node("233414", false);  // 601 seconds later
  Node("232414", false, 2, "other");
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(3));
}

TEST_F(SiblingTest, TwoThatTrainAreTwoRuns) {
  Node("232411", true);
  Node("232413", true);
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(2));
}

TEST_F(SiblingTest, LaunchesOfOneNodeEachAreTwoRuns) {
  Node("232411", false, 1);
  Node("232413", true, 1);
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(2));
}

TEST_F(SiblingTest, HeadThatShowsItselfLaterNamesTheRun) {
  Node("232411", false);
  Node("232413", false);
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp-20260526-232411"));
  Node("232413", true);
  ReadThrough(10, 30);
  EXPECT_THAT(Runs(), ElementsAre("p/exp-20260526-232413"));
}

}  // namespace
}  // namespace rlrun
