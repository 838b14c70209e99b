// When a run is published, until when, and under which name.
#include "exporter/app/run_registry.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/run_files.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Call = InMemoryFileSource::Call;
using RunRegistryTest = AppFixture;

TEST_F(RunRegistryTest, RunsWithoutAStepAreStarting) {
  files_.Write("/r/config.log", ConfigBlock("p", "block"));
  files_.Write("/r/total.log", "(TaskRunner pid=7) Total training steps: 9\n");
  files_.Write("/r/launch_20260101-101112.log",
               LaunchBannerText("p", "banner", "/out/of/reach.log"));
  files_.Write("/r/decoy.log", "{'a': 1}\nproject: x\nTotal steps: many\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("total", "p/banner", "p/block"));
  EXPECT_EQ(Files("run"), "3");
  EXPECT_EQ(Files("not_a_log"), "1");
  EXPECT_EQ(Value("rlrun_total_steps{run=\"total\"}"), "9");
}

TEST_F(RunRegistryTest, NameIsWhatTheConfigStatesAndStays) {
  files_.Write("/r/train/run.log", ConfigBlock("p", "exp"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  files_.Append("/r/train/run.log", TimedStep(1, "2.5"));
  ReadThrough(10, 30);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
}

TEST_F(RunRegistryTest, PatternOfTheRootWinsOverWhatTheLogStates) {
  RootOptions root;
  root.path = "/r";
  root.run_name = "^(?P<project>[^/]+)/(?P<run>[^/]+)/";
  config_.roots.push_back(root);
  files_.Write("/r/mine/best/x.log", ConfigBlock("p", "exp"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("mine/best"));
}

TEST_F(RunRegistryTest, RelaunchUnderAnotherNameInOneFileIsAnotherRun) {
  files_.Write("/r/train.log", ConfigBlock("p", "one") + TimedStep(3, "2.5"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/one"));
  files_.Write("/r/train.log", ConfigBlock("p", "two") + TimedStep(1, "3.5"));
  ReadThrough(10, 30);
  EXPECT_THAT(Runs(), ElementsAre("p/two"));
}

TEST_F(RunRegistryTest, RotatedLogKeepsItsNameAndItsSources) {
  files_.Write("/r/x.log", ConfigBlock("p", "exp") + TimedStep(1, "2.5"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "2.5"));
  ReadAt(0);
  files_.Rename("/r/x.log", "/r/x.log.1");
  files_.Write("/r/x.log", TimedStep(2, "2.75"));
  ReadThrough(10, 40);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
}

TEST_F(RunRegistryTest, RunLivesWhileOneSourceLives) {
  files_.Write("/r/exp.log", TimedStep(1, "2.5"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "2.5"));
  ReadAt(0);
  Clock(80000);
  files_.Append("/r/0.jsonl", JsonlStep(2, "2.75"));
  ReadAt(90000);  // a day behind the last write of the log
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  ReadAt(170000);
  EXPECT_THAT(Runs(), IsEmpty());
}

TEST_F(RunRegistryTest, SourceThatIsRemovedLeavesTheRunAndItsCounts) {
  files_.Write("/r/exp.log", TimedStep(1, "2.5"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "2.5"));
  ReadAt(0);
  const char* kSteps =
      "rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"}";
  EXPECT_EQ(Value(kSteps), "2");
  files_.Remove("/r/exp.log");
  ReadThrough(10, 100);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value(kSteps), "2");
  EXPECT_EQ(Value("rlrun_source_up{run=\"exp\",source=\"log\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "1");
  files_.Remove("/r/0.jsonl");
  files_.Write("/r/stays.txt", "");
  ReadThrough(110, 1200);
  EXPECT_THAT(Runs(), IsEmpty());
}

TEST_F(RunRegistryTest, SourceThatCannotBeReadIsDownAndTheOthersGoOn) {
  files_.Write("/r/exp.log", TimedStep(1, "2.5"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "2.5"));
  config_.tail.max_open_files = 0;
  ReadAt(0);
  files_.Fail(Call::kOpen, "/r/exp.log", EACCES);
  files_.Append("/r/exp.log", TimedStep(2, "2.75"));
  files_.Append("/r/0.jsonl", JsonlStep(2, "2.75"));
  ReadThrough(10, 30);
  EXPECT_EQ(Value("rlrun_source_up{run=\"exp\",source=\"log\"}"), "0");
  EXPECT_EQ(Value("rlrun_source_up{run=\"exp\",source=\"jsonl\"}"), "1");
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "2");
}

TEST_F(RunRegistryTest, EmptiedRootKeepsItsGroups) {
  files_.Write("/r/exp.log", TimedStep(1, "2.5"));
  files_.Write("/r/0.jsonl", JsonlStep(1, "2.5"));
  ReadAt(0);
  files_.Remove("/r/exp.log");
  files_.Remove("/r/0.jsonl");
  ReadThrough(10, 600);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/r\"}"), "0");
  ReadThrough(610, 1200);
  EXPECT_THAT(Runs(), IsEmpty());
}

TEST_F(RunRegistryTest, RestartGivesTheSameNames) {
  const std::string logs = "/r/p/exp-20260526-232411/logs/";
  files_.Write(logs + "launch_20260526-232411.log",
               LaunchBannerText("p", "exp-20260526-232411",
                                logs + "exp-20260526-232411.log", 2));
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  ReadAt(0);
  files_.Write(logs + "exp-20260526-232411.log",
               ConfigBlock("p", "exp-20260526-232411"));
  files_.Write("/r/b/exp.log", Step(2, "a:2"));
  ReadThrough(10, 20);
  files_.Append(logs + "exp-20260526-232411.log", TimedStep(1, "2.5"));
  files_.Write("/r/wandb/run-1/files/output.log", TimedStep(1, "2.5"));
  files_.Write("/r/q/train.log",
               ConfigBlock("q", "sweep") + TimedStep(1, "1.5"));
  ReadThrough(30, 60);
  const std::vector<std::string> before = Runs();
  EXPECT_THAT(before, UnorderedElementsAre("exp@" + PathHash("/r/a/exp.log"),
                                           "exp@" + PathHash("/r/b/exp.log"),
                                           "p/exp-20260526-232411", "q/sweep"));
  Start();
  ReadAt(70);
  EXPECT_EQ(Runs(), before);
}

}  // namespace
}  // namespace rlrun
