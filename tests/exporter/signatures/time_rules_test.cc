#include "exporter/signatures/time_rules.h"

#include <gmock/gmock.h>

#include "tests/exporter/signatures/state_fixture.h"

namespace rlrun {
namespace {

using Kind = RuleResult::Kind;
using testing::HasSubstr;

class StallTest : public StateFixture {};

TEST_F(StallTest, SilentForHalfAnHourNotASecondEarlier) {
  Wait(1799.5);
  EXPECT_EQ(Judge("stall").kind, Kind::kNotEvaluated);
  Wait(1800);
  const RuleResult result = Judge("stall");
  EXPECT_EQ(result.level, Level::kWarning);
  ASSERT_EQ(result.evidence.size(), 1u);
  EXPECT_EQ(result.evidence[0].key, "silence_seconds");
  EXPECT_EQ(result.evidence[0].value, 1800);
  EXPECT_EQ(result.evidence[0].bound, 1800);
  EXPECT_EQ(result.evidence[0].step, 40);
}

TEST_F(StallTest, RunWhoseStepsAreSilentForHoursHasItsOwnLimit) {
  times_.longest_silence = 4000;
  Wait(5999);
  EXPECT_FALSE(Fires("stall"));
  Wait(6000);
  EXPECT_TRUE(Fires("stall"));
}

TEST_F(StallTest, ShortSilencesDoNotShortenTheLimit) {
  times_.longest_silence = 1000;
  Wait(1799);
  EXPECT_FALSE(Fires("stall"));
}

TEST_F(StallTest, GrowthSeenLiveCountsWhereTheClockOfTheFileIsBehind) {
  times_.growth = kStart + 600;
  Wait(2399);
  EXPECT_FALSE(Fires("stall"));
  Wait(2400);
  EXPECT_TRUE(Fires("stall"));
  times_.mtime.reset();
  EXPECT_TRUE(Fires("stall"));
  Wait(2399);
  EXPECT_FALSE(Fires("stall"));
}

TEST_F(StallTest, MtimeInTheFutureCountsAsNow) {
  times_.mtime = kStart + 7200;
  Wait(7200);
  EXPECT_EQ(times_.silence(), 0);
  EXPECT_FALSE(Fires("stall"));
  Wait(8999);
  EXPECT_FALSE(Fires("stall"));
  Wait(9000);
  EXPECT_TRUE(Fires("stall"));
}

TEST_F(StallTest, NewerTrialDirectoryIsASignOfLife) {
  times_.trial_time = kStart + 1000;
  Wait(2799);
  EXPECT_FALSE(Fires("stall"));
  Wait(2800);
  EXPECT_TRUE(Fires("stall"));
}

TEST_F(StallTest, OlderTrialDirectoryIsNone) {
  times_.trial_time = kStart - 1000;
  Wait(1800);
  EXPECT_TRUE(Fires("stall"));
}

TEST_F(StallTest, BarAtZeroDuringALongFirstStep) {
  NoTraining();
  Wait(7199);
  EXPECT_FALSE(Fires("stall"));
  Wait(7200);
  EXPECT_TRUE(Fires("stall"));
}

TEST_F(StallTest, UnreadableSourceIsNotJudged) {
  times_.readable = false;
  Wait(100000);
  EXPECT_EQ(Judge("stall").kind, Kind::kNotEvaluated);
}

TEST_F(StallTest, FileWithoutAnyTimeHasNoSuchRule) {
  times_.mtime.reset();
  EXPECT_EQ(Judge("stall").kind, Kind::kNotApplicable);
  EXPECT_EQ(Judge("no_progress").kind, Kind::kNotApplicable);
}

TEST_F(StallTest, EvidenceSaysWhereTheTailSits) {
  Wait(1800);
  EXPECT_THAT(Judge("stall").detail, HasSubstr("not in a phase"));
  EXPECT_THAT(Judge("stall").detail, HasSubstr("no process of it is seen"));
  Begin(RunPhase::kGenerateRollouts);
  Alive();
  EXPECT_THAT(Judge("stall").detail, HasSubstr("waiting for rollouts"));
  EXPECT_THAT(Judge("stall").detail, HasSubstr("alive here"));
  Begin(RunPhase::kCheckpointSave);
  EXPECT_THAT(Judge("stall").detail, HasSubstr("checkpoint"));
  Begin(RunPhase::kEvaluateRollouts);
  Gone();
  EXPECT_THAT(Judge("stall").detail, HasSubstr("in a validation"));
  EXPECT_THAT(Judge("stall").detail, HasSubstr("is gone"));
}

TEST_F(StallTest, SamplesOfTheCurrentStepAreARolloutWait) {
  Wait(1800);
  events_.samples = {Mark(), 64, 128};
  EXPECT_THAT(Judge("stall").detail, HasSubstr("waiting for rollouts"));
  Train(41);
  EXPECT_THAT(Judge("stall").detail, HasSubstr("not in a phase"));
}

TEST_F(StallTest, PhaseThatEndedOrLiesBeforeTheStepIsNotUnderWay) {
  EXPECT_FALSE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
  Begin(RunPhase::kEvaluateRollouts);
  EXPECT_TRUE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
  Finish(RunPhase::kEvaluateRollouts);
  EXPECT_FALSE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
  Begin(RunPhase::kEvaluateRollouts);
  EXPECT_TRUE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
  Train(41);
  EXPECT_FALSE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
  NoTraining();
  EXPECT_TRUE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
}

TEST_F(StallTest, PhaseMarksOfOneLine) {
  Begin(RunPhase::kEvaluateRollouts);
  PhaseMarks& marks =
      events_.phases[static_cast<std::size_t>(RunPhase::kEvaluateRollouts)];
  marks.end = marks.begin;
  EXPECT_TRUE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
  events_.newest_training_line = marks.begin->offset;
  EXPECT_FALSE(Inputs().in_phase(RunPhase::kEvaluateRollouts));
}

class NoProgressTest : public StateFixture {
 protected:
  // The log grows with each second.
  void Chatter(double seconds) {
    Wait(seconds);
    times_.mtime = times_.now;
  }
};

TEST_F(NoProgressTest, HealthLinesForAnHourAreNoProgress) {
  Chatter(3599);
  EXPECT_EQ(Judge("no_progress").kind, Kind::kNotEvaluated);
  Chatter(3600);
  const RuleResult result = Judge("no_progress");
  EXPECT_EQ(result.level, Level::kWarning);
  EXPECT_EQ(result.evidence.at(0).key, "no_step_seconds");
  EXPECT_EQ(result.evidence.at(0).value, 3600);
  EXPECT_EQ(result.evidence.at(0).bound, 3600);
  EXPECT_FALSE(Fires("stall")) << "it grows";
}

TEST_F(NoProgressTest, FiveOfItsOwnSlowSteps) {
  times_.step_seconds = 1000;
  Chatter(4999);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(5000);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, LogThatEndsInItsStepDoesNotGrow) {
  Wait(10000);
  EXPECT_FALSE(Fires("no_progress"));
  times_.mtime = kStart + 1;
  EXPECT_TRUE(Fires("no_progress"));
}

// The copy of a log has the mtime of the copying.
TEST_F(NoProgressTest, CopyThatNobodySawGrowGoesOnAsLongAsItsStamps) {
  times_.last_stamp = kStart + 3599;
  Chatter(1e7);
  EXPECT_FALSE(Fires("no_progress"));
  times_.last_stamp = kStart + 3600;
  EXPECT_TRUE(Fires("no_progress"));
  times_.last_stamp = kStart + 10;
  times_.growth = times_.now;
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, FirstStepHasTwoHoursFromTheStart) {
  NoTraining();
  times_.step_time.reset();
  times_.start_time = kStart - 100;
  Chatter(7099);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(7100);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, ValidationBeforeTrainingIsNoFirstStep) {
  NoTraining();
  times_.start_time = kStart - 7000;
  times_.step_time = kStart;  // the line of the validation
  Chatter(7199);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(7200);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, FirstStepOfANewLaunchHasTwoHours) {
  Resume();
  Chatter(7199);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(7200);
  EXPECT_TRUE(Fires("no_progress"));
  Train(41);
  Chatter(3600);
  EXPECT_TRUE(Fires("no_progress")) << "a step of that launch has come";
  events_.resume->at.offset = *events_.newest_training_line;
  EXPECT_TRUE(Fires("no_progress")) << "the mark is no later than the step";
}

TEST_F(NoProgressTest, LogThatGrowsAgainAfterDaysBeginsAnew) {
  times_.step_time = kStart - 200000;
  times_.grown_since = kStart;
  Chatter(3599);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(3600);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, StepOfUnknownTimeIsWaitedForSinceItWasRead) {
  times_.step_time.reset();
  times_.start_time = kStart - 90000;
  Chatter(90000);
  EXPECT_FALSE(Fires("no_progress"));
  times_.watched_since = kStart + 86400;
  EXPECT_TRUE(Fires("no_progress"));
  times_.watched_since = kStart + 86401;
  EXPECT_FALSE(Fires("no_progress"));
}

TEST_F(NoProgressTest, ValidationHasTwoHours) {
  Begin(RunPhase::kEvaluateRollouts);
  Chatter(7199);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(7200);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, LongValidationHasTwiceTheLongestKnown) {
  Begin(RunPhase::kEvaluateRollouts);
  times_.longest_validation = 5000;
  times_.longest_checkpoint = 90000;
  Chatter(9999);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(10000);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, CheckpointHasTwiceTheLongestKnown) {
  Begin(RunPhase::kCheckpointSave);
  times_.longest_validation = 90000;
  Chatter(7199);
  EXPECT_FALSE(Fires("no_progress"));
  times_.longest_checkpoint = 5000;
  Chatter(9999);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(10000);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, ValidationDoesNotShortenThePatienceWithSlowSteps) {
  Begin(RunPhase::kEvaluateRollouts);
  times_.step_seconds = 3000;
  Chatter(14999);
  EXPECT_FALSE(Fires("no_progress"));
  Chatter(15000);
  EXPECT_TRUE(Fires("no_progress"));
}

TEST_F(NoProgressTest, UnreadableSourceIsNotJudged) {
  Chatter(4000);
  times_.readable = false;
  EXPECT_EQ(Judge("no_progress").kind, Kind::kNotEvaluated);
}

class DeadlineTest : public StateFixture {
 protected:
  std::optional<double> Next() const {
    const auto next = NextDeadline(options_, Inputs());
    if (!next) return std::nullopt;
    return *next - kStart;
  }
};

TEST_F(DeadlineTest, EachTimeAtWhichSomethingMayChange) {
  EXPECT_EQ(Next(), 300);
  Wait(300);
  EXPECT_EQ(Next(), 1800);
  Wait(1799);
  EXPECT_EQ(Next(), 1800);
  // The silence goes on: evidence is renewed each minute.
  Wait(1800);
  EXPECT_EQ(Next(), 1860);
  Wait(21590);
  EXPECT_EQ(Next(), 21600);
  Wait(21600);
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(DeadlineTest, OfProgressWhileTheLogGrows) {
  times_.step_time = kStart - 3500;
  EXPECT_EQ(Next(), 100);
  Wait(100);
  times_.mtime = times_.now;
  EXPECT_EQ(Next(), 160);
}

TEST_F(DeadlineTest, OfTrialsThatLiveOn) {
  times_.trial_time = kStart + 1500;
  Wait(3250);
  EXPECT_EQ(Next(), 3300);
}

TEST_F(DeadlineTest, OfADeathHere) {
  Gone();
  EXPECT_EQ(Next(), 45);
}

TEST_F(DeadlineTest, RuleFiresAtItsDeadline) {
  // Times whose sums are rounded.
  for (int i = 0; i < 1000; ++i) {
    times_.mtime = kStart + i * 0.1234567;
    times_.longest_silence = 1200 + i * 0.7654321;
    times_.now = *times_.mtime + 300;
    times_.now = NextDeadline(options_, Inputs()).value();
    EXPECT_TRUE(Fires("stall")) << i;
  }
}

}  // namespace
}  // namespace rlrun
