// Log, W&B, TensorBoard and trainer_state.json of one run of slime or TRL are
// one run; a run that was repeated with its seed is another one, however equal
// its values are.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/other_sources.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class OneRunOfOthers : public AppFixture {
 protected:
  static constexpr double kNow = static_cast<double>(kStart);

  // A run that has just logged its newest step at the start of the test.
  static MadeRun Live(int steps = 8) {
    MadeRun run;
    run.steps = steps;
    run.begin = kNow - run.seconds * steps;
    return run;
  }
  // The same seed, hours before.
  static MadeRun Earlier(int steps = 8) {
    MadeRun run = Live(steps);
    run.begin -= 4 * 3600;
    return run;
  }
  static std::string Wandb(const std::string& home, const std::string& id) {
    return home + "/wandb/run-20260102_030405-" + id + "/run-" + id + ".wandb";
  }
  static std::string Events(const std::string& home) {
    return home +
           "/runs/Jan02_03-04-05_host/events.out.tfevents.1767323045.h.1.0";
  }
  static std::string State(const std::string& home, int step) {
    return home + "/checkpoint-" + std::to_string(step) + "/trainer_state.json";
  }
  // Sources of each run, in the order of their names.
  std::vector<std::pair<std::string, std::string>> Sources() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const RunReport& r : app_->Reports(NowAt(time_))) {
      std::string sources;
      for (const auto& source : r.sources) {
        if (!sources.empty()) sources += ",";
        sources += source.name;
      }
      out.emplace_back(r.run, sources);
    }
    return out;
  }
  // Files of `run` whose last write was at its end.
  void WriteAtEnd(const MadeRun& run, const std::string& path,
                  const std::string& text) {
    Clock(run.TimeOf(run.steps) - kNow);
    files_.Write(path, text);
    Clock(0);
  }
};

TEST_F(OneRunOfOthers, ThreeSourcesOfSlime) {
  const MadeRun run = Live();
  files_.Write("/r/a/train-a.log", SlimeLog(run, 2));
  files_.Write(Wandb("/r/a", "abc"), SlimeWandb(run, 2, "a-RANK_0"));
  files_.Write(
      "/r/a/tensorboard_log/slimeproj/a/events.out.tfevents.1767323045.h.1.0",
      SlimeEvents(run, 2));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("train-a", "log,wandb,tensorboard")));
  EXPECT_EQ(Value("rlrun_data_source{run=\"train-a\",state=\"wandb_ok\"}"),
            "1");
}

// The directory of W&B is no name, though a console lies in it.
TEST_F(OneRunOfOthers, CopyOfTheConsoleIsCalledAsWandbCallsIt) {
  const MadeRun run = Live();
  files_.Write("/r/wandb/run-20260102_030405-abc/files/output.log",
               SlimeLog(run, 2));
  files_.Write(Wandb("/r", "abc"), SlimeWandb(run, 2, "a-RANK_0"));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("slimeproj/a-RANK_0"));
}

TEST_F(OneRunOfOthers, TwoTrackersOfSlimeWithoutALog) {
  const MadeRun run = Live();
  files_.Write(Wandb("/r/a", "abc"), SlimeWandb(run, 2, "a-RANK_0"));
  files_.Write(
      "/r/elsewhere/tensorboard_log/q/a/events.out.tfevents.1767323045.h.1.0",
      SlimeEvents(run, 2));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("a-RANK_0", "wandb,tensorboard")));
}

TEST_F(OneRunOfOthers, OtherTimesOfTheSameValuesOfSlimeAreAnotherRun) {
  files_.Write("/r/a/train-a.log", SlimeLog(Live(), 1));
  files_.Write(Wandb("/r/a", "abc"), SlimeWandb(Earlier(), 1, "a-RANK_0"));
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(2));
}

TEST_F(OneRunOfOthers, ThreeSourcesOfTrl) {
  const MadeRun run = Live();
  files_.Write("/r/exp/exp.log", TrlLog(run));
  files_.Write(Wandb("/r/exp", "abc"), TrlWandb(run, "zesty-sun-3"));
  files_.Write(Events("/r/exp"), TrlEvents(run));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb,tensorboard")));
  EXPECT_EQ(Value("rlrun_last_step{run=\"exp\",line=\"train\"}"), "8");
}

TEST_F(OneRunOfOthers, ConsoleOfFourDigits) {
  const MadeRun run = Live();
  files_.Write("/r/exp/exp.log", TrlLog(run, true));
  files_.Write(Wandb("/r", "abc"), TrlWandb(run, "zesty-sun-3"));
  files_.Write(Events("/r/exp/out"), TrlEvents(run));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb,tensorboard")));
}

TEST_F(OneRunOfOthers, CopiedTreeIsAsOldAsTheCopy) {
  const MadeRun run = Earlier();  // all files are written now
  files_.Write("/r/exp/exp.log", TrlLog(run));
  files_.Write(Wandb("/r/exp", "abc"), TrlWandb(run, "zesty-sun-3"));
  files_.Write(Events("/r/exp"), TrlEvents(run));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb,tensorboard")));
}

TEST_F(OneRunOfOthers, StateOfADirectoryBelowTheLog) {
  const MadeRun run = Live();
  files_.Write("/r/both/both.log", TrlLog(run));
  files_.Write(State("/r/both/out", 8), TrlState(run));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("both", "log,jsonl")));
}

// Every value of both is equal, and each has all of its sources.
TEST_F(OneRunOfOthers, RepeatedRunsStayApart) {
  for (const auto& [home, run] :
       {std::pair("/r/one", Earlier()), std::pair("/r/two", Live())}) {
    WriteAtEnd(run, std::string(home) + "/exp.log", TrlLog(run));
    WriteAtEnd(run, Wandb(home, "abc"), TrlWandb(run, "same-name"));
    WriteAtEnd(run, Events(home), TrlEvents(run));
  }
  ReadAt(0);
  const auto sources = Sources();
  ASSERT_THAT(sources, SizeIs(2));
  EXPECT_EQ(sources[0].second, "log,wandb,tensorboard");
  EXPECT_EQ(sources[1].second, "log,wandb,tensorboard");
}

TEST_F(OneRunOfOthers, TrackerOfARepeatedRunElsewhereIsAnotherRun) {
  files_.Write("/r/one/one.log", TrlLog(Live()));
  files_.Write(Wandb("/r/two", "abc"), TrlWandb(Live(), "two"));
  files_.Write(Events("/r/three"), TrlEvents(Live()));
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(3));
}

// The log was written over; what trackers keep is of the run before.
TEST_F(OneRunOfOthers, OldTrackersOfTheSameDirectoryAreAnotherRun) {
  const MadeRun old = Earlier(20);
  WriteAtEnd(old, Wandb("/r/exp", "abc"), TrlWandb(old, "old"));
  WriteAtEnd(old, Events("/r/exp"), TrlEvents(old));
  files_.Write("/r/exp/exp.log", TrlLog(Live()));
  ReadAt(0);
  EXPECT_THAT(Sources(),
              UnorderedElementsAre(Pair("exp", "log"),
                                   Pair("old", "wandb,tensorboard")));
}

TEST_F(OneRunOfOthers, TheNewerOfTwoTrackersIsTheLogs) {
  const MadeRun old = Earlier(20);
  WriteAtEnd(old, Wandb("/r/exp", "old"), TrlWandb(old, "old"));
  files_.Write("/r/exp/exp.log", TrlLog(Live()));
  files_.Write("/r/exp/wandb/run-20260102_070405-new/run-new.wandb",
               TrlWandb(Live(), "new"));
  ReadAt(0);
  EXPECT_THAT(Sources(), UnorderedElementsAre(Pair("exp", "log,wandb"),
                                              Pair("old", "wandb")));
}

// A copy that goes on, one that does not, one of its beginning elsewhere.
TEST_F(OneRunOfOthers, CopiesOfAConsoleAreOneRun) {
  const MadeRun run = Live(12);
  MadeRun front = run;
  front.steps = 5;
  files_.Write("/r/exp/exp.log", TrlLog(run, true));
  files_.Write("/r/exp/nohup.out", "starting\n" + TrlLog(run, true));
  files_.Write("/r/old/exp-saved.log", TrlLog(front, true));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"exp\",line=\"train\"}"), "12");
  EXPECT_EQ(Value("rlrun_rewinds_total{run=\"exp\"}"), "0");
}

TEST_F(OneRunOfOthers, RepeatedRunsWithoutATrackerStayApart) {
  files_.Write("/r/exp/a.log", TrlLog(Live(12), true));
  files_.Write("/r/exp/b.log", TrlLog(Earlier(12), true));
  ReadAt(0);
  EXPECT_THAT(Runs(), UnorderedElementsAre("a", "b"));
}

std::string ToldBy(const std::string& id) {
  return "wandb: Run data is saved locally in "
         "/w/wandb/run-20260102_030405-" +
         id + "\n";
}

// The values of neither prove anything: they have no step in common.
TEST_F(OneRunOfOthers, ConsoleThatTellsItsRunOfWandb) {
  MadeRun run = Live(12);
  files_.Write("/r/logs/exp.log", ToldBy("abc") + TrlLog(run, true, 9));
  run.steps = 6;
  files_.Write(Wandb("/r/elsewhere", "abc"), TrlWandb(run, "zesty-sun-3"));
  const std::string slime = SlimeLog(Live(3), 1);
  const std::size_t later = slime.find("perf 0: {'perf/step_time");
  ASSERT_NE(later, std::string::npos);
  files_.Write("/r/s/slime.log",
               ToldBy("xyz") + slime.substr(slime.find('\n', later) + 1));
  files_.Write(Wandb("/r/elsewhere", "xyz"),
               SlimeWandb(Live(1), 1, "a-RANK_0"));
  ReadAt(0);
  EXPECT_THAT(Sources(), UnorderedElementsAre(Pair("exp", "log,wandb"),
                                              Pair("slime", "log,wandb")));
}

TEST_F(OneRunOfOthers, ConsoleThatTellsSeveralRunsOfWandb) {
  MadeRun run = Live(12);
  const std::string log = TrlLog(run, true, 9);
  run.steps = 6;
  const std::string agent = "wandb: Agent Starting Run: abc with config:\n";
  for (const std::string& more : {ToldBy("def"), agent}) {
    app_.reset();
    files_.Write("/r/logs/exp.log", more + ToldBy("abc") + log);
    files_.Write(Wandb("/r/elsewhere", "abc"), TrlWandb(run, "zesty-sun-3"));
    files_.Write(Wandb("/r/elsewhere", "def"), TrlWandb(run, "calm-sea-4"));
    ReadAt(0);
    EXPECT_THAT(Runs(), SizeIs(3));
  }
}

TEST_F(OneRunOfOthers, IdOfAnotherRunsValuesProvesNothing) {
  MadeRun other = Live();
  other.seed = 2;
  files_.Write("/r/logs/exp.log", ToldBy("abc") + TrlLog(Live()));
  files_.Write(Wandb("/r/elsewhere", "abc"), TrlWandb(other, "zesty-sun-3"));
  ReadAt(0);
  EXPECT_THAT(Runs(), SizeIs(2));
}

// Trees that were copied: each console is of the file of its own tree.
TEST_F(OneRunOfOthers, SameIdInTwoTrees) {
  MadeRun run = Live(12);
  for (const std::string home : {"/r/a", "/r/b"}) {
    run.begin -= 5;
    run.steps = 12;
    files_.Write(home + "/exp.log", ToldBy("abc") + TrlLog(run, true, 9));
    run.steps = 6;
    files_.Write(Wandb(home, "abc"), TrlWandb(run, "name" + home.substr(3)));
  }
  ReadAt(0);
  const auto sources = Sources();
  ASSERT_THAT(sources, SizeIs(2));
  EXPECT_EQ(sources[0].second, "log,wandb");
  EXPECT_EQ(sources[1].second, "log,wandb");
}

// Two of one seed, side by side at one time: nothing says whose log is whose.
TEST_F(OneRunOfOthers, WhatFitsTwoRunsIsOfNone) {
  MadeRun other = Live();
  other.begin -= 1;
  files_.Write("/r/logs/a.log", TrlLog(Live()));
  files_.Write("/r/logs/b.log", TrlLog(other));
  files_.Write(Wandb("/r", "abc"), TrlWandb(Live(), "x"));
  ReadAt(0);
  EXPECT_THAT(Runs(), UnorderedElementsAre("a", "b", "huggingface/x"));
}

TEST_F(OneRunOfOthers, EqualBeginningsThatPartAreTwoRuns) {
  MadeRun other = Live();
  other.diverges = 8;
  other.begin -= 5;
  files_.Write("/r/exp/exp.log", TrlLog(Live()));
  files_.Write(Wandb("/r/exp", "abc"), TrlWandb(other, "other"));
  ReadAt(0);
  EXPECT_THAT(Runs(), UnorderedElementsAre("exp", "huggingface/other"));
}

// The log is written over by a repeated run that is not tracked.
TEST_F(OneRunOfOthers, WhatWasProvenOfALaunchIsNotOfTheNext) {
  MadeRun run = Live();
  files_.Write("/r/exp/exp.log", TrlLog(run));
  files_.Write(Wandb("/r/exp", "abc"), TrlWandb(run, "first"));
  ReadAt(0);
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb")));
  Clock(7200);
  files_.Truncate("/r/exp/exp.log", 0);
  ReadAt(7200);
  run.steps = 5;
  Clock(7300);
  files_.Append("/r/exp/exp.log", TrlLog(run));
  ReadThrough(7300, 7400);
  EXPECT_THAT(Runs(), SizeIs(2));
}

// Few steps prove nothing, and no run comes and goes meanwhile.
TEST_F(OneRunOfOthers, YoungRunHasOneNameFromItsFirstStepOn) {
  MadeRun run = Live(0);
  for (int step = 1; step <= 6; ++step) {
    const double t = run.seconds * step;
    run.steps = step;
    Clock(t);
    files_.Append("/r/exp/exp.log", TrlLog(run, false, step));
    files_.Write(Wandb("/r/exp", "abc"), TrlWandb(run, "zesty-sun-3"));
    files_.Write(Events("/r/exp"), TrlEvents(run));
    ReadThrough(t, t + 10);
    EXPECT_THAT(Runs(), ElementsAre("exp")) << step;
  }
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb,tensorboard")));
  // W&B and TensorBoard are not written any more, the log goes on for hours.
  for (int step = 7; step <= 400; ++step) {
    const double t = run.seconds * step;
    run.steps = step;
    Clock(t);
    files_.Append("/r/exp/exp.log", TrlLog(run, false, step));
    if (step % 40 == 0) ReadAt(t);
  }
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb,tensorboard")));
  app_.reset();  // what was proven is proven again
  ReadAt(run.seconds * 400 + 10);
  EXPECT_THAT(Sources(), ElementsAre(Pair("exp", "log,wandb,tensorboard")));
}

}  // namespace
}  // namespace rlrun
