#include "exporter/app/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <sstream>
#include <string>
#include <thread>

#include "tests/exporter/app/app_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Optional;
using Call = InMemoryFileSource::Call;

class AppTest : public AppFixture {};

TEST_F(AppTest, RunIsPublishedWhenItsLogWasReadToItsEndOnce) {
  files_.Write("/r/exp.log", Step(1, "a:1") + Step(2, "a:2") + Step(3, "a:3"));
  config_.tail.bytes_per_turn = 40;  // the first step line and a half
  Start();
  EXPECT_EQ(app_->readers()[0]->Pass(NowAt(0)), 0);
  app_->Tick(NowAt(0));
  EXPECT_THAT(Runs(), IsEmpty());
  EXPECT_FALSE(app_->snapshot()->ready);
  EXPECT_THAT(Files("run"), Optional(std::string("1")));
  EXPECT_THAT(Text(), Not(HasSubstr("run=\"")));
  ReadAt(1);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_TRUE(app_->snapshot()->ready);
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "3");
}

TEST_F(AppTest, FileBecomesARunAtItsFirstStepLine) {
  files_.Write("/r/exp.log", "loading the model\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), IsEmpty());
  EXPECT_EQ(Files("not_a_log"), "1");
  files_.Append("/r/exp.log", Step(1, "a:1"));
  ReadAt(10);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Files("not_a_log"), "0");
  EXPECT_EQ(Files("run"), "1");
}

TEST_F(AppTest, NewFileIsFoundByTheNextListing) {
  ReadAt(0);
  EXPECT_TRUE(app_->snapshot()->ready);
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(5);
  EXPECT_THAT(Runs(), IsEmpty());
  ReadAt(10);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
}

TEST_F(AppTest, DeletedRunIsGoneWhenListingsAMinuteApartLackIt) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  files_.Write("/r/other.log", Step(2, "a:2"));
  ReadAt(0);
  files_.Remove("/r/exp.log");
  ReadThrough(10, 60);
  EXPECT_THAT(Runs(), ElementsAre("exp", "other"));
  EXPECT_EQ(Value("rlrun_source_up{run=\"exp\",source=\"log\"}"), "0");
  ReadAt(70);
  EXPECT_THAT(Runs(), ElementsAre("other"));
  EXPECT_THAT(Text(), Not(HasSubstr("run=\"exp\"")));
}

TEST_F(AppTest, FileThatComesBackInTimeKeepsItsRun) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  files_.Write("/r/other.log", Step(2, "a:2"));
  ReadAt(0);
  files_.Rename("/r/exp.log", "/r/hidden");
  ReadThrough(10, 60);
  files_.Rename("/r/hidden", "/r/exp.log");
  ReadAt(70);
  files_.Rename("/r/exp.log", "/r/hidden");
  ReadThrough(80, 130);
  EXPECT_THAT(Runs(), ElementsAre("exp", "other"));
  ReadAt(140);
  EXPECT_THAT(Runs(), ElementsAre("other"));
}

TEST_F(AppTest, WhatAnUnreadableDirectoryHoldsIsNotDeleted) {
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  files_.Write("/r/other.log", Step(2, "a:2"));
  ReadAt(0);
  files_.Fail(Call::kList, "/r/a", EACCES);
  ReadThrough(10, 200);
  EXPECT_THAT(Runs(), ElementsAre("exp", "other"));
  EXPECT_EQ(Files("unreadable"), "1");
}

class VanishTest : public AppTest {
 protected:
  void SetUp() override {
    files_.Write("/r/a.log", Step(1, "a:1"));
    files_.Write("/r/b.log", Step(2, "a:2"));
    ReadAt(0);
    ASSERT_EQ(Up(), "1");
  }
  std::optional<std::string> Up() const {
    return Value("rlrun_exporter_root_up{root=\"/r\"}");
  }
};

TEST_F(VanishTest, UnreadableRootKeepsItsRunsForTheGrace) {
  files_.Fail(Call::kList, "/r", EACCES);
  ReadThrough(10, 900);
  EXPECT_EQ(Up(), "0");
  EXPECT_THAT(Runs(), ElementsAre("a", "b"));
  ReadAt(910);
  EXPECT_EQ(Up(), "0");
  EXPECT_THAT(Runs(), IsEmpty());
  files_.ClearFaults("/r");
  ReadAt(920);
  EXPECT_EQ(Up(), "1");
  EXPECT_THAT(Runs(), ElementsAre("a", "b"));
}

TEST_F(VanishTest, MissingRootKeepsItsRunsToo) {
  files_.Rename("/r", "/gone");
  ReadThrough(10, 900);
  EXPECT_EQ(Up(), "0");
  EXPECT_THAT(Runs(), ElementsAre("a", "b"));
  files_.Rename("/gone", "/r");
  files_.Append("/r/a.log", Step(2, "a:5"));
  ReadAt(910);
  EXPECT_EQ(Up(), "1");
  EXPECT_EQ(Value("rlrun_step_a{run=\"a\"}"), "5");
  EXPECT_EQ(Value("rlrun_exporter_log_truncations_total{run=\"a\"}"), "0");
}

TEST_F(VanishTest, RootThatTurnsEmptyAtOnceKeepsItsRuns) {
  files_.Remove("/r/a.log");
  files_.Remove("/r/b.log");
  ReadThrough(10, 900);
  EXPECT_EQ(Up(), "0");
  EXPECT_THAT(Runs(), ElementsAre("a", "b"));
  ReadAt(910);
  EXPECT_THAT(Runs(), IsEmpty());
  ReadAt(920);
  EXPECT_EQ(Up(), "1");  // an empty directory is a fine one
}

TEST_F(VanishTest, RootWithAnotherDeviceIsAnotherVolume) {
  files_.Remove("/r/a.log");
  files_.Write("/r/c.log", Step(3, "a:3"));
  files_.SetDevice("/r", 9);
  ReadThrough(10, 900);
  EXPECT_EQ(Up(), "0");
  EXPECT_THAT(Runs(), ElementsAre("a", "b"));
  ReadAt(910);
  ReadAt(920);
  EXPECT_EQ(Up(), "1");
  EXPECT_THAT(Runs(), ElementsAre("b", "c"));
}

TEST_F(AppTest, LogOlderThanMaxAgeIsNotRead) {
  files_.Write("/r/old.log", Step(1, "a:1"));
  files_.SetMtime("/r/old.log", (kStart - 8 * 86400) * 1000000000);
  files_.Write("/r/new.log", Step(1, "a:1"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("new"));
  EXPECT_EQ(Files("too_old"), "1");
  Clock(10);
  files_.Append("/r/old.log", Step(2, "a:2"));
  ReadAt(10);
  EXPECT_THAT(Runs(), ElementsAre("new", "old"));
}

TEST_F(AppTest, WithoutAgeLimitsEverythingIsRead) {
  files_.Write("/r/old.log", Step(1, "a:1"));
  files_.SetMtime("/r/old.log", 1000000000);
  options_.age_limits = false;
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("old"));
  EXPECT_EQ(Files("too_old"), "0");
}

TEST_F(AppTest, EndedRunIsShownForTheRetention) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(0);
  ReadAt(86400);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  ReadAt(86410);
  EXPECT_THAT(Runs(), IsEmpty());
  files_.Append("/r/exp.log", Step(2, "a:2"));
  ReadAt(86420);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value("rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"}"),
            "2");
}

TEST_F(AppTest, LinkBesideTheRealDirectoryGivesOneRun) {
  files_.Write("/r/exp-1/train.log", Step(1, "a:1"));
  files_.Symlink("exp-1", "/r/a-latest");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp-1"));
  EXPECT_EQ(Files("run"), "1");
  files_.Write("/r/exp-2/train.log", Step(1, "a:2"));
  files_.Remove("/r/a-latest");
  files_.Symlink("exp-2", "/r/a-latest");
  ReadThrough(10, 100);
  EXPECT_THAT(Runs(), ElementsAre("exp-1", "exp-2"));
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp-1\"}"), "1");
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp-2\"}"), "2");
}

TEST_F(AppTest, LinkThatPointsElsewhereIsAnotherRun) {
  files_.Write("/data/exp-1/train.log", Step(1, "a:1"));
  files_.Write("/data/exp-2/train.log", Step(1, "a:2"));
  files_.Symlink("/data/exp-1", "/r/latest");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp-1"));
  files_.Remove("/r/latest");
  files_.Symlink("/data/exp-2", "/r/latest");
  ReadThrough(10, 20);
  EXPECT_THAT(Runs(), ElementsAre("exp-2"));
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp-2\"}"), "2");
}

TEST_F(AppTest, FileThatTwoRootsReachIsOneRun) {
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  AddRoot("/r");
  AddRoot("/r/a");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value("rlrun_exporter_name_collisions_total"), "0");
}

TEST_F(AppTest, CopiesOfOneExecutionAreOneRun) {
  const std::string first = Step(1, "a:1 - timing_s/step:61.25");
  files_.Write("/r/exp.log", first + Step(2, "a:2"));
  files_.Write("/r/job.out", "launching\n" + first);
  files_.Write(
      "/r/0.jsonl",
      "{\"step\": 1, \"data\": {\"a\": 1, \"timing_s/step\": 61.25}}\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
}

TEST_F(AppTest, BlockedRootDoesNotDisturbAnother) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  files_.Mkdir("/stuck");
  AddRoot("/stuck");
  AddRoot("/r");
  config_.tail.root_timeout = -1;  // at once
  Start();
  files_.Block("/stuck");
  std::thread thread([&] { app_->readers()[0]->Pass(NowAt(0)); });
  files_.WaitUntilBlocked("/stuck");
  app_->readers()[1]->Pass(NowAt(0));
  app_->Tick(NowAt(0));
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_TRUE(app_->snapshot()->ready);
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/stuck\"}"), "0");
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/r\"}"), "1");
  files_.Append("/r/exp.log", Step(2, "a:2"));
  app_->readers()[1]->Pass(NowAt(10));
  app_->Tick(NowAt(10));
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "2");
  files_.Release("/stuck");
  thread.join();
  app_->Tick(NowAt(10));
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/stuck\"}"), "1");
}

TEST_F(AppTest, RelaunchInATruncatedLogForgetsTheOldKeys) {
  files_.Write("/r/exp.log", Step(1, "a:1 - old:1") + Step(2, "a:2 - old:2"));
  ReadAt(0);
  files_.Write("/r/exp.log", Step(1, "a:7"));
  ReadAt(10);
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "7");
  EXPECT_EQ(Value("rlrun_step_old{run=\"exp\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_last_step{run=\"exp\",line=\"train\"}"), "1");
  EXPECT_EQ(Value("rlrun_exporter_log_truncations_total{run=\"exp\"}"), "1");
}

TEST_F(AppTest, RotatedLogGoesOnAsOneRun) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(0);
  files_.Append("/r/exp.log", Step(2, "a:2 - b:2"));
  files_.Rename("/r/exp.log", "/r/exp.log.1");
  files_.Write("/r/exp.log", Step(3, "a:3"));
  ReadThrough(10, 30);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "3");
  EXPECT_EQ(Value("rlrun_exporter_log_rotations_total{run=\"exp\"}"), "1");
  EXPECT_EQ(Value("rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"}"),
            "3");
  EXPECT_EQ(Value("rlrun_rewinds_total{run=\"exp\"}"), "0");
}

TEST_F(AppTest, ReloadKeepsRunsPositionsAndCounters) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(0);
  const auto read = files_.counts().bytes_read;
  app_->Reload(config_);
  ReadAt(10);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(files_.counts().bytes_read, read);
  files_.Append("/r/exp.log", Step(2, "a:2"));
  ReadAt(20);
  EXPECT_EQ(Value("rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"}"),
            "2");
  EXPECT_EQ(Value("rlrun_exporter_log_bytes_read_total{run=\"exp\"}"), "64");
}

TEST_F(AppTest, ReloadDropsRemovedRootsAndReadsNewOnes) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  files_.Write("/s/more.log", Step(1, "a:2"));
  ReadAt(0);
  config_.roots.clear();
  AddRoot("/s");
  app_->Reload(config_);
  ReadAt(10);
  EXPECT_THAT(Runs(), ElementsAre("more"));
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/r\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/s\"}"), "1");
}

TEST_F(AppTest, ReloadKeepsARootThatIsGivenTwice) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  AddRoot("/r");
  AddRoot("/r");
  ReadAt(0);
  app_->Reload(config_);
  ASSERT_EQ(app_->readers().size(), 2u);
  EXPECT_NE(app_->readers()[0], app_->readers()[1]);
}

TEST_F(AppTest, ReloadRenamesKeys) {
  files_.Write("/r/exp.log", Step(1, "reward/math/mean:0.5 - a:1"));
  ReadAt(0);
  EXPECT_EQ(Value("rlrun_step_reward_math_mean{run=\"exp\"}"), "0.5");
  config_.metrics.templates.push_back(
      {"reward/<task>/mean", "reward_mean", "", ""});
  config_.metrics.exclude.push_back("a");
  app_->Reload(config_);
  app_->Tick(NowAt(1));
  EXPECT_EQ(Value("rlrun_step_reward_mean{run=\"exp\",task=\"math\"}"), "0.5");
  EXPECT_EQ(Value("rlrun_step_reward_math_mean{run=\"exp\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), std::nullopt);
}

TEST_F(AppTest, CollidingRunsGetSuffixesAndKeepThem) {
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  files_.Write("/r/b/exp.log", Step(2, "a:2"));
  ReadAt(10);
  const std::string one = "exp@" + PathHash("/r/a/exp.log");
  const std::string two = "exp@" + PathHash("/r/b/exp.log");
  EXPECT_THAT(Runs(), ::testing::UnorderedElementsAre(one, two));
  EXPECT_EQ(Value("rlrun_step_a{run=\"" + one + "\"}"), "1");
  EXPECT_EQ(Value("rlrun_step_a{run=\"" + two + "\"}"), "2");
  EXPECT_EQ(Value("rlrun_exporter_name_collisions_total"), "1");
  files_.Remove("/r/b/exp.log");
  ReadThrough(20, 100);
  EXPECT_THAT(Runs(), ElementsAre(one));
}

TEST_F(AppTest, RunThatComesBackKeepsItsSuffix) {
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  files_.Write("/r/b/exp.log", Step(2, "a:2"));
  ReadAt(0);
  ReadAt(90000);
  EXPECT_THAT(Runs(), IsEmpty());
  files_.Append("/r/a/exp.log", Step(2, "a:3"));
  ReadAt(90010);
  EXPECT_THAT(Runs(), ElementsAre("exp@" + PathHash("/r/a/exp.log")));
}

TEST_F(AppTest, NamesThatAreRepairedToOneTextCollide) {
  files_.Write("/r/x\xff.log", Step(1, "a:1"));
  files_.Write("/r/x\xfe.log", Step(2, "a:2"));
  ReadAt(0);
  ASSERT_EQ(Runs().size(), 2u);
  EXPECT_NE(Runs()[0], Runs()[1]);
  EXPECT_THAT(Runs()[0], HasSubstr("@"));
}

TEST_F(AppTest, RunThatIsCalledLikeASuffixedOneIsKeptApart) {
  files_.Write("/r/a/exp.log", Step(1, "a:1"));
  files_.Write("/r/b/exp.log", Step(2, "a:2"));
  files_.Write("/r/exp@" + PathHash("/r/a/exp.log") + ".log", Step(3, "a:3"));
  ReadAt(0);
  ASSERT_EQ(Runs().size(), 3u);
  EXPECT_NE(Runs()[0], Runs()[1]);
  EXPECT_NE(Runs()[1], Runs()[2]);
}

TEST_F(AppTest, CapsAreCounted) {
  config_.store.max_keys_per_run = 2;
  config_.store.max_series = 3;
  files_.Write("/r/a.log", Step(1, "a:1 - b:2 - c:3 - d:4"));
  files_.Write("/r/b.log", Step(1, "a:1 - b:2"));
  ReadAt(0);
  const auto dropped = [this](const std::string& reason) {
    return Value("rlrun_exporter_series_dropped_total{reason=\"" + reason +
                 "\"}");
  };
  EXPECT_EQ(dropped("max_keys_per_run"), "2");
  EXPECT_EQ(dropped("max_series"), "1");
  EXPECT_EQ(Value("rlrun_step_b{run=\"a\"}"), "2");
  EXPECT_EQ(Value("rlrun_step_b{run=\"b\"}"), std::nullopt);
  EXPECT_EQ(Value("rlrun_last_step{run=\"b\",line=\"train\"}"), "1");
}

// Without the families that speak of times, and the number of series.
std::string WithoutTimes(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.find("timestamp_seconds") == std::string::npos &&
        line.find("step_duration_seconds") == std::string::npos &&
        line.find("rlrun_exporter_series ") == std::string::npos) {
      out += line + "\n";
    }
  }
  return out;
}

TEST_F(AppTest, ReadingAgainFromNothingGivesTheSame) {
  files_.Write("/r/a/exp.log", "Total training steps: 9\n");
  ReadAt(0);
  for (int i = 1; i < 9; ++i) {
    const std::string n = std::to_string(i);
    files_.Append("/r/a/exp.log",
                  Step(i, "a:" + n + (i % 2 ? " - odd:1" : "") +
                              (i == 4 ? " - val-core/x/acc/mean@8:0.5" : "") +
                              (i == 5 ? " - bad:nan - worse:x1" : "")));
    files_.Append("/r/a/exp.log", "(TaskRunner pid=7) step:");
    if (i == 2) files_.Write("/r/b/exp.log", Step(3, "a:1 - A:2"));
    if (i == 6) files_.Append("/r/a/exp.log", "2 - a:9");
    ReadAt(i * 10);
    files_.Append("/r/a/exp.log", "\n");
    ReadAt(i * 10 + 5);
  }
  const std::string followed = Text();
  Start();
  ReadAt(200);
  EXPECT_EQ(WithoutTimes(followed), WithoutTimes(Text()));
  EXPECT_THAT(followed, HasSubstr("rlrun_rewinds_total"));
}

}  // namespace
}  // namespace rlrun
