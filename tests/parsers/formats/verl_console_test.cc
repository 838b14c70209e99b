#include "parsers/formats/verl_console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A source that is fed piece by piece into one set of facts.
class VerlConsoleTest : public testing::Test {
 protected:
  void Feed(std::string_view bytes) {
    std::uint64_t lines = 0;
    splitter_.Feed(bytes, [&](std::span<const Line> batch) {
      format_.ParseLines(batch, &facts_);
      lines += batch.size();
    });
    lines_ += lines;
    // Every line has exactly one outcome.
    EXPECT_EQ(std::accumulate(facts_.lines.begin(), facts_.lines.end(),
                              std::uint64_t{0}),
              lines_);
  }
  std::vector<std::int64_t> Steps() const {
    std::vector<std::int64_t> steps;
    for (const StepRecord& r : facts_.steps) steps.push_back(r.step);
    return steps;
  }
  std::uint64_t Count(LineOutcome o) const {
    return facts_.lines[static_cast<std::size_t>(o)];
  }
  std::uint64_t Skipped(SkipReason r) const {
    return facts_.values_skipped[static_cast<std::size_t>(r)];
  }
  LogFacts Take() {
    lines_ = 0;
    return std::exchange(facts_, {});
  }

  LineSplitter splitter_;
  VerlConsole format_;
  LogFacts facts_;
  std::uint64_t lines_ = 0;
};

TEST_F(VerlConsoleTest, PlainStepLine) {
  Feed("hello\nstep:3 - a/b:0.5 - c:2\n");
  ASSERT_THAT(Steps(), ElementsAre(3));
  const StepRecord& r = facts_.steps[0];
  EXPECT_EQ(r.begin_offset, 6u);
  EXPECT_EQ(r.end_offset, 29u);
  ASSERT_EQ(r.pairs.size(), 2u);
  EXPECT_EQ(r.Key(r.pairs[0]), "a/b");
  EXPECT_EQ(r.pairs[0].value, 0.5);
  EXPECT_EQ(Count(LineOutcome::kStep), 1u);
  EXPECT_EQ(Count(LineOutcome::kIgnored), 1u);
}

TEST_F(VerlConsoleTest, ColouredPrefixAndRepeatedSuffix) {
  Feed(
      "\x1b[36m(TaskRunner pid=7)\x1b[0m step:3 - a:0.5\x1b[32m [repeated 2x "
      "across cluster]\x1b[0m\r\n");
  ASSERT_THAT(Steps(), ElementsAre(3));
  EXPECT_EQ(facts_.steps[0].pairs[0].value, 0.5);
  EXPECT_FALSE(facts_.steps[0].cut);
  EXPECT_EQ(Skipped(SkipReason::kGlued), 0u);
}

TEST_F(VerlConsoleTest, NestedAndForeignPrefixes) {
  Feed(
      "(Server pid=1) \x1b[36m(T pid=2)\x1b[0m step:1 - a:1\n"
      "12:(T pid=2) step:2 - a:1\n"
      "2026-08-15T05:04:17.029Z \x1b[36m(T pid=2)\x1b[0m step:3 - a:1\n");
  EXPECT_THAT(Steps(), ElementsAre(1, 2, 3));
}

// T32.
TEST_F(VerlConsoleTest, ColoursInsideNumbers) {
  Feed("step:\x1b[1m12\x1b[0m - a:0.\x1b[31m5\x1b[0m - b:1\n");
  ASSERT_THAT(Steps(), ElementsAre(12));
  EXPECT_EQ(facts_.steps[0].pairs[0].value, 0.5);
}

// Trap 1.
TEST_F(VerlConsoleTest, BarGluedInFrontOfAStepLine) {
  Feed(
      "\rEpoch 1/20:  10%|\u2588 | 1/10 [00:11<01:39, 11.10s/it]step:2 - "
      "train/loss:2.5\n"
      "Training Progress:  10%|#| 2/20 [00:11<01:39,  1.10it/s] step:3 - "
      "train/loss:2.25\n");
  EXPECT_THAT(Steps(), ElementsAre(2, 3));
  EXPECT_EQ(facts_.total_steps, 20);
  EXPECT_EQ(facts_.mode, RunMode::kSft);
}

TEST_F(VerlConsoleTest, TextThatLooksLikeAStepLine) {
  Feed(
      "(W pid=1) [game] game/steps:0 - game/score:0 - error:NameError:x\n"
      "global_step:9 - a:0.5\n/tmp/checkpoints/step:9 - a:0.5\n"
      "{'training/global_step:1 - a:2'}\nI think step:4 - a:1 is next\n");
  EXPECT_THAT(Steps(), IsEmpty());
  EXPECT_EQ(Count(LineOutcome::kIgnored), 5u);
}

TEST_F(VerlConsoleTest, StepLineWithoutAValidPairIsMalformed) {
  Feed("step:4 - words\nstep:x - a:1\nstep: think first\n");
  EXPECT_THAT(Steps(), IsEmpty());
  EXPECT_EQ(Count(LineOutcome::kMalformed), 2u);
  EXPECT_EQ(Count(LineOutcome::kIgnored), 1u);
}

// Trap 2.
TEST_F(VerlConsoleTest, WriterGluedBehindTheLastValue) {
  Feed(
      "\x1b[36m(R pid=1)\x1b[0m step:6 - a:10.5\x1b[36m(R pid=1)\x1b[0m "
      "\x1b[36m(W pid=2)\x1b[0m INFO:2026\n");
  ASSERT_THAT(Steps(), ElementsAre(6));
  ASSERT_EQ(facts_.steps[0].pairs.size(), 1u);
  EXPECT_EQ(facts_.steps[0].pairs[0].value, 10.5);
  EXPECT_TRUE(facts_.steps[0].cut);
  EXPECT_EQ(Skipped(SkipReason::kGlued), 1u);
}

// Trap 3.
class CutCopyTest : public VerlConsoleTest {
 protected:
  static std::string LineOf(std::size_t characters,
                            const std::string& filler = "x") {
    std::string line = "step:5 - a:1 - ";
    const std::string last = " - b:0.25";
    std::string key;
    for (std::size_t n = line.size() + last.size() + 4; n < characters; ++n) {
      key += filler;
    }
    return line + key + "ky:3" + last;
  }
  std::size_t PairsOf(const std::string& line) {
    Feed(line + "\n");
    return Take().steps.at(0).pairs.size();
  }
};

TEST_F(CutCopyTest, LineOf4096CharactersLosesItsLastPair) {
  for (const std::size_t size : {4095u, 4096u}) {
    ASSERT_EQ(LineOf(size).size(), size);
    Feed(LineOf(size) + "\n");
    EXPECT_EQ(Skipped(SkipReason::kCut), 1u);
    const LogFacts facts = Take();
    ASSERT_EQ(facts.steps.size(), 1u);
    EXPECT_TRUE(facts.steps[0].cut);
    EXPECT_EQ(facts.steps[0].pairs.size(), 2u);
  }
}

TEST_F(CutCopyTest, OtherLengthsAreWhole) {
  EXPECT_EQ(PairsOf(LineOf(4094)), 3u);
  EXPECT_EQ(PairsOf(LineOf(4097)), 3u);
}

TEST_F(CutCopyTest, CharactersAreCountedNotBytes) {
  const std::string line = LineOf(4096, "\u00e9");
  ASSERT_GT(line.size(), 8000u);
  EXPECT_EQ(PairsOf(line), 2u);
}

TEST_F(CutCopyTest, SourceThatShowedALongerLineCutsNothing) {
  Feed(std::string(5000, 'x') + "\n");
  EXPECT_EQ(PairsOf(LineOf(4096)), 3u);
  format_.Reset();
  EXPECT_EQ(PairsOf(LineOf(4096)), 2u);
}

TEST_F(CutCopyTest, LongerLineWithAPrefixSaysNothing) {
  Feed("(T pid=1) " + std::string(5000, 'x') + "\n");
  EXPECT_EQ(PairsOf(LineOf(4096)), 2u);
}

TEST_F(CutCopyTest, LineWithAPrefixIsNeverCut) {
  const std::string prefix = "(T pid=1) ";
  EXPECT_EQ(PairsOf(prefix + LineOf(4096 - prefix.size())), 3u);
  EXPECT_EQ(PairsOf(prefix + LineOf(4096)), 3u);
}

TEST_F(VerlConsoleTest, BareStepWithAPrefixIsAHeartbeat) {
  Feed("(FullyAsyncTrainer pid=1) step:1\n");
  ASSERT_THAT(Steps(), ElementsAre(1));
  EXPECT_THAT(facts_.steps[0].pairs, IsEmpty());
  EXPECT_EQ(facts_.steps[0].line_class, LineClass::kTrain);
  EXPECT_EQ(facts_.mode, RunMode::kAsync);
}

TEST_F(VerlConsoleTest, BareStepWithoutAPrefixMustContinueTheSteps) {
  Feed("step:3\n");
  EXPECT_THAT(Steps(), IsEmpty());
  Feed("step:7 - a:1\nstep:6\nstep:9\nstep:7\nstep:8\n");
  EXPECT_THAT(Steps(), ElementsAre(7, 7, 8));
  EXPECT_EQ(Count(LineOutcome::kIgnored), 3u);
}

TEST_F(VerlConsoleTest, BareStepOfAnotherActorIsAModelTalking) {
  Feed(
      "(TaskRunner pid=1) step:7 - a:1\n(RewardWorker pid=2) step:8\nstep:8\n"
      "(TaskRunner pid=1) step:12\n");
  EXPECT_THAT(Steps(), ElementsAre(7, 12));
}

TEST_F(VerlConsoleTest, BareStepBeforeAnyStepLineNeedsATrainer) {
  Feed("(AgentLoopWorker pid=2) step:1\n(RewardWorker pid=2) step:3\n");
  EXPECT_THAT(Steps(), IsEmpty());
  Feed("(FullyAsyncTrainer pid=3) step:1\n");
  EXPECT_THAT(Steps(), ElementsAre(1));
}

TEST_F(VerlConsoleTest, PrefixInFrontOfACrBelongsToTheFragmentsBehindIt) {
  Feed(
      "(TaskRunner pid=1) \rTraining Progress: 1%| | 1/9 [0<1, 1s/it]\r"
      "step:5\n");
  EXPECT_THAT(Steps(), ElementsAre(5));
  EXPECT_EQ(facts_.total_steps, 9);
}

TEST_F(VerlConsoleTest, PrefixInFrontOfACrIsRememberedOverChunks) {
  Feed("(TaskRunner pid=1) \r");
  Feed("bar\r");
  Feed("step:5\n");
  EXPECT_THAT(Steps(), ElementsAre(5));
}

TEST_F(VerlConsoleTest, PrefixOfAnEndedLineBelongsToNobody) {
  Feed("(T pid=1) x\rbar\n");
  Feed("bar\r");
  Feed("step:5\n");
  EXPECT_THAT(Steps(), IsEmpty());
}

// T33.
TEST_F(VerlConsoleTest, StepLineBehindTenThousandCrUpdates) {
  std::string bytes = "(T pid=1) ";
  for (int i = 0; i < 10'000; ++i) {
    bytes += "\rTraining Progress:  1%| | 1/7 [00:01<1:00, 1.0s/it]";
  }
  Feed(bytes + "\rstep:1 - a:1\n");
  EXPECT_THAT(Steps(), ElementsAre(1));
  EXPECT_EQ(Count(LineOutcome::kEvent), 10'000u);
}

// T30.
TEST_F(VerlConsoleTest, InvalidUtf8BetweenStepLines) {
  Feed(
      "step:1 - a:1\n\xff\xfe\x80\xc3(\n(\xffpid=1) step:\xff\nstep:2 - "
      "k\xff:1\n");
  EXPECT_THAT(Steps(), ElementsAre(1, 2));
}

TEST_F(VerlConsoleTest, TotalsAndBarsAreEvents) {
  Feed("(T pid=1) Total training steps: 435\n");
  EXPECT_EQ(facts_.total_steps, 435);
  Feed(
      "(T pid=1) \rTraining Progress:   0%|  | 1/436 [00:21<2:35, 21.5s/it]\n");
  EXPECT_EQ(facts_.total_steps, 436);
  EXPECT_EQ(Count(LineOutcome::kEvent), 2u);
  EXPECT_EQ(Count(LineOutcome::kIgnored), 1u);
}

constexpr char kStamp1[] = "INFO:2026-07-16 18:00:01,000:x\n";
constexpr char kStamp2[] = "(W pid=1) (E pid=2) INFO 07-16 18:00:02 [x] y\n";
constexpr char kStamp3[] = "[2026-07-16 18:00:03] y\n";

TEST_F(VerlConsoleTest, StampsBeforeAndBehindAStepLine) {
  Feed(std::string(kStamp1) + kStamp2 + "step:1 - a:1\nstep:2 - a:1\n" +
       kStamp3 + kStamp1 + "step:3 - a:1\n");
  ASSERT_THAT(Steps(), ElementsAre(1, 2, 3));
  ASSERT_TRUE(facts_.steps[0].stamp_before);
  EXPECT_EQ(facts_.steps[0].stamp_before->second, 2);
  EXPECT_EQ(facts_.steps[0].stamp_before->offset, sizeof(kStamp1) - 1);
  EXPECT_FALSE(facts_.steps[0].stamp_behind);
  EXPECT_FALSE(facts_.steps[1].stamp_before);
  ASSERT_TRUE(facts_.steps[1].stamp_behind);
  EXPECT_EQ(facts_.steps[1].stamp_behind->second, 3);
  EXPECT_EQ(facts_.steps[2].stamp_before->second, 1);
  EXPECT_EQ(facts_.first_stamp->second, 1);
  EXPECT_EQ(facts_.last_stamp->second, 1);
  EXPECT_FALSE(facts_.stamp_behind_previous);
  EXPECT_EQ(Count(LineOutcome::kEvent), 4u);
}

TEST_F(VerlConsoleTest, LongestTimeBetweenTheStampsOfAStep) {
  Feed(
      "INFO:2026-07-16 18:00:00,000:x\nINFO:2026-07-16 18:10:00,000:x\n"
      "INFO:2026-07-16 18:11:00,000:x\nstep:1 - a:1\nstep:2 - a:1\n");
  ASSERT_THAT(Steps(), ElementsAre(1, 2));
  EXPECT_EQ(facts_.steps[0].longest_gap, 600);
  EXPECT_FALSE(facts_.steps[1].longest_gap) << "nothing stamped is in it";
  Take();
  Feed("INFO:2026-07-16 18:13:00,000:x\nstep:3 - a:1\n");
  EXPECT_EQ(facts_.steps[0].longest_gap, 120) << "across the step line";
}

TEST_F(VerlConsoleTest, StampsOfOtherShapesAreNotCompared) {
  Feed(
      "INFO:2026-07-16 18:00:00,000:x\nINFO 07-16 10:00:00 [x] y\n"
      "INFO:2026-07-16 18:10:00,000:x\nstep:1 - a:1\n");
  ASSERT_THAT(Steps(), ElementsAre(1));
  EXPECT_FALSE(facts_.steps[0].longest_gap);
}

TEST_F(VerlConsoleTest, StampBehindTheLastStepOfTakenFacts) {
  Feed("step:1 - a:1\n");
  Take();
  Feed("hello\n");
  Take();
  Feed(kStamp1);
  EXPECT_EQ(facts_.stamp_behind_previous->second, 1);
  Feed(kStamp3);
  EXPECT_EQ(facts_.stamp_behind_previous->second, 1);
  Take();
  Feed(kStamp3);
  EXPECT_FALSE(facts_.stamp_behind_previous);
  Feed("step:2 - a:1\n");
  EXPECT_EQ(facts_.steps[0].stamp_before->second, 3);
}

TEST_F(VerlConsoleTest, ResetForgetsStampsAndSteps) {
  Feed(std::string("step:7 - a:1\n") + kStamp1 + "(FullyAsyncX pid=1) \r");
  Take();
  format_.Reset();
  splitter_.Reset();
  Feed("step:8\nstep:1 - actor/lr:1\n");
  ASSERT_THAT(Steps(), ElementsAre(1));
  EXPECT_FALSE(facts_.steps[0].stamp_before);
  EXPECT_EQ(facts_.mode, RunMode::kSync);
}

TEST_F(VerlConsoleTest, AsyncStaysAsync) {
  Feed("(FullyAsyncRollouter pid=1) hello\n");
  EXPECT_EQ(facts_.mode, RunMode::kAsync);
  Take();
  Feed("x\n");
  EXPECT_EQ(facts_.mode, RunMode::kUnknown);
  Feed("step:2 - actor/lr:1\n");
  EXPECT_EQ(facts_.mode, RunMode::kAsync);
}

TEST_F(VerlConsoleTest, AsyncLinesOfOneStep) {
  const std::string p =
      "\x1b[36m(FullyAsyncTrainer pid=8, ip=10.0.0.7)\x1b[0m ";
  Feed(p +
       "[FullyAsyncTrainer] global_steps: 3 local_trigger_step: 1 "
       "trigger_parameter_sync_step: 4 23:59:07.042\n" +
       p + "step:3 - fully_async/rollouter/idle_ratio:0.25\n" + p +
       "step:3 - training/global_step:2.0 - actor/lr:1e-06\n" + p +
       "step:3 - rollouter/validate_time:6.5 - val-core/u/reward/mean@1:0.5\n");
  ASSERT_THAT(Steps(), ElementsAre(3, 3, 3));
  EXPECT_EQ(facts_.steps[0].line_class, LineClass::kRollouter);
  EXPECT_EQ(facts_.steps[1].line_class, LineClass::kTrain);
  EXPECT_EQ(facts_.steps[2].line_class, LineClass::kVal);
  EXPECT_EQ(facts_.steps[0].stamp_before->minute, 59);
  EXPECT_EQ(Count(LineOutcome::kEvent), 1u);
}

// Trap 7.
TEST_F(VerlConsoleTest, TerminalRecordingGivesNoSteps) {
  Feed(
      "{\"version\": 2, \"width\": 80}\n"
      "[59.53, \"o\", \"\\u001b[36m(TaskRunner pid=19)\\u001b[0m step:1 - "
      "a:2502\"]\n[59.54, \"o\", \"35 - b:5\\r\\n\"]\n");
  EXPECT_THAT(Steps(), IsEmpty());
}

TEST_F(VerlConsoleTest, FileThatStartsInMidLine) {
  Feed(
      "t_length/mean:144.0 - prompt_length/max:146.0\n"
      "(main_task pid=1) step:383 - a:1\n");
  EXPECT_THAT(Steps(), ElementsAre(383));
}

TEST_F(VerlConsoleTest, BarsAndBlanksBehindTheNewestStepAreQuiet) {
  Feed("step:3 - a:1\n");
  EXPECT_EQ(facts_.quiet_end, 13u);
  Feed("(T pid=1) \rTraining Progress:  10%|#| 3/30 [00:10<01:00, 2.1s/it]\n");
  EXPECT_EQ(facts_.quiet_end, splitter_.offset());
  Take();
  Feed("\n");
  EXPECT_EQ(facts_.quiet_end, splitter_.offset());
  Take();
  Feed("saving something\n\n");
  EXPECT_EQ(facts_.quiet_end, std::nullopt);
}

}  // namespace
}  // namespace rlrun
