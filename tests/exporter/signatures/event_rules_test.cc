#include "exporter/signatures/event_rules.h"

#include <gmock/gmock.h>

#include "tests/exporter/signatures/state_fixture.h"

namespace rlrun {
namespace {

using Kind = RuleResult::Kind;

class CrashTest : public StateFixture {};

// A traceback of whoever generates, and a rollout that takes its time.
TEST_F(CrashTest, ErrorOfAHelperIsNoCrashBeforeRaySaysSo) {
  ErrorBurst& burst = Burst(LogErrorKind::kTraceback);
  burst.of_helpers = true;
  Wait(3600);
  EXPECT_FALSE(Fires("trainer_crash"));
  burst.kinds |= 1u << static_cast<unsigned>(LogErrorKind::kActorDied);
  EXPECT_TRUE(Fires("trainer_crash"));
}

TEST_F(CrashTest, ErrorOfAHelperWhoseProcessIsGoneIsACrash) {
  Burst(LogErrorKind::kTraceback).of_helpers = true;
  Gone();
  Wait(3600);
  EXPECT_TRUE(Fires("trainer_crash"));
}

TEST_F(CrashTest, ErrorExecutingJobIsAnEndAtOnce) {
  Burst(LogErrorKind::kTrainerCrash, "Error executing job");
  const RuleResult result = Judge("trainer_crash");
  EXPECT_EQ(result.level, Level::kCritical);
  ASSERT_EQ(result.evidence.size(), 1u);
  EXPECT_EQ(result.evidence[0].key, "trainer_crash");
  EXPECT_EQ(result.evidence[0].value, 1);
  EXPECT_EQ(result.evidence[0].step, 40);
  EXPECT_EQ(result.detail, "Error executing job");
}

TEST_F(CrashTest, EvidenceIsTheFirstErrorNotTheEchoOfTheWatchdog) {
  ErrorBurst& burst = Burst(LogErrorKind::kTraceback);
  burst.kinds |= 1u << static_cast<unsigned>(LogErrorKind::kTrainerCrash);
  burst.cause = LogError{LogErrorKind::kActorDied, Mark(), "a worker died"};
  burst.newest = Mark();
  burst.errors = 7;  // of all its kinds
  events_.errors[static_cast<std::size_t>(LogErrorKind::kActorDied)] = 2;
  const RuleResult result = Judge("trainer_crash");
  EXPECT_EQ(result.evidence.at(0).key, "actor_died");
  EXPECT_EQ(result.evidence.at(0).value, 2);
  EXPECT_EQ(result.detail, "a worker died");
}

TEST_F(CrashTest, TracebackOrDeadActorNeedFiveSilentMinutes) {
  for (const LogErrorKind kind :
       {LogErrorKind::kTraceback, LogErrorKind::kActorDied}) {
    Burst(kind);
    Wait(299);
    EXPECT_EQ(Judge("trainer_crash").kind, Kind::kNotEvaluated);
    Wait(300);
    EXPECT_TRUE(Fires("trainer_crash"));
  }
}

TEST_F(CrashTest, OrItsProcessIsGone) {
  Burst(LogErrorKind::kTraceback);
  Alive();
  EXPECT_FALSE(Fires("trainer_crash"));
  Gone();
  EXPECT_TRUE(Fires("trainer_crash"));
  processes_.trainer.incomplete = true;
  EXPECT_FALSE(Fires("trainer_crash"));
}

TEST_F(CrashTest, ErrorsThatARunLivesWithAreNone) {
  Wait(3600);
  for (const LogErrorKind kind :
       {LogErrorKind::kNccl, LogErrorKind::kCudaOom, LogErrorKind::kEngine,
        LogErrorKind::kHttpAuth}) {
    Burst(kind);
    EXPECT_EQ(Judge("trainer_crash").kind, Kind::kEvaluated);
    EXPECT_FALSE(Fires("trainer_crash"));
  }
  events_.severe_burst.reset();
  events_.newest_burst->kinds = ~0u;
  EXPECT_FALSE(Fires("trainer_crash")) << "retries, tool calls";
}

TEST_F(CrashTest, RetriesBehindTheCrashDoNotHideIt) {
  Burst(LogErrorKind::kTrainerCrash);
  ErrorBurst retries;
  retries.first = {LogErrorKind::kRetry, Mark(), "again"};
  retries.newest = retries.first.at;
  events_.newest_burst = retries;
  EXPECT_TRUE(Fires("trainer_crash"));
}

TEST_F(CrashTest, TrainingLineBehindItClears) {
  Burst(LogErrorKind::kTrainerCrash);
  Train(41);
  EXPECT_FALSE(Fires("trainer_crash"));
}

TEST_F(CrashTest, ErrorsBehindTheFinalValidationAreNone) {
  Burst(LogErrorKind::kActorDied).after_end = true;
  Wait(3600);
  EXPECT_FALSE(Fires("trainer_crash"));
}

TEST_F(CrashTest, InterruptIsNoCrash) {
  Burst(LogErrorKind::kTraceback).interrupted = true;
  Wait(3600);
  EXPECT_FALSE(Fires("trainer_crash"));
}

TEST_F(CrashTest, ActorsThatDieBehindAnInterruptDieOfIt) {
  Interrupt();
  Burst(LogErrorKind::kTrainerCrash);
  EXPECT_FALSE(Fires("trainer_crash"));
  Interrupt();
  EXPECT_TRUE(Fires("trainer_crash")) << "it was stopped behind its crash";
}

TEST_F(CrashTest, InterruptBeforeTheNewestStepExplainsNothing) {
  Interrupt();
  Train(41);
  Burst(LogErrorKind::kTrainerCrash);
  EXPECT_TRUE(Fires("trainer_crash"));
}

TEST_F(CrashTest, TracebackOfATrainerThatWentOnToItsEnd) {
  Train(94);
  Burst(LogErrorKind::kTraceback);
  Wait(3600);
  EXPECT_TRUE(Fires("trainer_crash"));
  End(EndKind::kAmbiguous);
  EXPECT_TRUE(Fires("trainer_crash"));
  End(EndKind::kWrapper);
  EXPECT_TRUE(Fires("trainer_crash"));
  End(EndKind::kTrainer);
  EXPECT_FALSE(Fires("trainer_crash"));
  step_ = 92;
  EXPECT_TRUE(Fires("trainer_crash")) << "a dead engine reported as success";
}

TEST_F(CrashTest, TracebackBehindTheEndMarkOfAnEarlierPart) {
  Train(94);
  End(EndKind::kTrainer);
  Burst(LogErrorKind::kTraceback);
  Wait(3600);
  EXPECT_TRUE(Fires("trainer_crash"));
}

TEST_F(CrashTest, InterruptOrEndInTheVeryLineOfTheErrorExplainsNothing) {
  Train(94);
  Burst(LogErrorKind::kTraceback);
  Wait(3600);
  events_.interrupt = {events_.severe_burst->first.at, "x"};
  EXPECT_TRUE(Fires("trainer_crash"));
  events_.end = {events_.severe_burst->newest, EndKind::kTrainer};
  EXPECT_TRUE(Fires("trainer_crash"));
}

TEST_F(CrashTest, UnreadableSourceIsNoSilence) {
  Burst(LogErrorKind::kTraceback);
  Wait(3600);
  times_.readable = false;
  EXPECT_EQ(Judge("trainer_crash").kind, Kind::kNotEvaluated);
  times_.readable = true;
  times_.mtime.reset();
  EXPECT_EQ(Judge("trainer_crash").kind, Kind::kNotEvaluated);
}

TEST_F(CrashTest, FailedRecord) {
  record_ = RecordedEnd::kFailed;
  EXPECT_EQ(Judge("trainer_crash").evidence.at(0).key, "record_status_failed");
  EXPECT_EQ(LevelOf("trainer_crash"), Level::kCritical);
  Burst(LogErrorKind::kTrainerCrash, "first");
  EXPECT_EQ(Judge("trainer_crash").detail, "first");
  record_ = RecordedEnd::kCompleted;
  events_ = {};
  EXPECT_FALSE(Fires("trainer_crash"));
}

TEST_F(CrashTest, FileOfRecordsAloneTellsOfNoErrors) {
  has_console_ = false;
  EXPECT_EQ(Judge("trainer_crash").kind, Kind::kNotApplicable);
  EXPECT_EQ(Judge("ended_early").kind, Kind::kNotApplicable);
}

class DeathTest : public StateFixture {};

TEST_F(DeathTest, ProcessThatIsGoneAndALogThatSaysNothing) {
  Gone();
  Wait(44);
  EXPECT_EQ(Judge("died_silently").kind, Kind::kNotEvaluated);
  Wait(45);
  const RuleResult result = Judge("died_silently");
  EXPECT_EQ(result.level, Level::kWarning);
  EXPECT_EQ(result.evidence.at(0).key, "process_gone_since");
  EXPECT_EQ(result.evidence.at(0).value, kStart);
}

TEST_F(DeathTest, NeverSeenHereIsNoDeath) {
  Wait(100000);
  EXPECT_EQ(Judge("died_silently").kind, Kind::kNotApplicable);
}

TEST_F(DeathTest, WhatCouldNotBeLookedAtIsNoDeath) {
  Gone();
  processes_.trainer.incomplete = true;
  Wait(100000);
  EXPECT_EQ(Judge("died_silently").kind, Kind::kNotEvaluated);
}

TEST_F(DeathTest, RunnerThatLivesMayStartItAgain) {
  Gone();
  Set(&processes_.runner, ProcessPresence::kAlive);
  Wait(100000);
  EXPECT_EQ(Judge("died_silently").kind, Kind::kEvaluated);
  EXPECT_FALSE(Fires("died_silently"));
}

TEST_F(DeathTest, RunnerCountsWhereNoTrainerWasSeen) {
  Set(&processes_.runner, ProcessPresence::kGone, kStart + 10);
  Wait(70);
  EXPECT_TRUE(Fires("died_silently"));
  processes_.trainer.incomplete = true;
  EXPECT_FALSE(Fires("died_silently")) << "the trainer may be hidden";
  processes_.trainer.incomplete = false;
  processes_.runner.incomplete = true;
  EXPECT_FALSE(Fires("died_silently"));
}

TEST_F(DeathTest, TrainersUncertainEndIsNotReplacedByTheRunners) {
  Gone();
  processes_.trainer.incomplete = true;
  Set(&processes_.runner, ProcessPresence::kGone);
  Wait(100000);
  EXPECT_FALSE(Fires("died_silently"));
}

TEST_F(DeathTest, EndCrashAndInterruptAreNoSilence) {
  Gone();
  Wait(3600);
  EXPECT_TRUE(Fires("died_silently"));
  Burst(LogErrorKind::kTraceback);
  EXPECT_FALSE(Fires("died_silently"));
  Train(41);
  EXPECT_TRUE(Fires("died_silently"));
  Interrupt();
  EXPECT_FALSE(Fires("died_silently"));
  Train(42);
  End(EndKind::kWrapper);
  EXPECT_FALSE(Fires("died_silently"));
  Resume();
  EXPECT_TRUE(Fires("died_silently")) << "the end was of an earlier launch";
}

TEST_F(DeathTest, ErrorThatStopsNothingIsNoCrashMarker) {
  Gone();
  Wait(3600);
  Burst(LogErrorKind::kNccl);
  EXPECT_TRUE(Fires("died_silently"));
}

TEST_F(DeathTest, AllStepsDoneWithoutAnEndMark) {
  Gone();
  Wait(3600);
  Train(94);
  EXPECT_FALSE(Fires("died_silently"));
  Begin(RunPhase::kEvaluateRollouts);
  EXPECT_TRUE(Fires("died_silently")) << "in its last validation";
  Finish(RunPhase::kEvaluateRollouts);
  Begin(RunPhase::kCheckpointSave);
  EXPECT_TRUE(Fires("died_silently")) << "while it saved";
  Finish(RunPhase::kCheckpointSave);
  step_ = 93;
  EXPECT_TRUE(Fires("died_silently"));
}

TEST_F(DeathTest, UnreadableSourceMayHideTheEnd) {
  Gone();
  Wait(3600);
  times_.readable = false;
  EXPECT_EQ(Judge("died_silently").kind, Kind::kNotEvaluated);
}

class EarlyEndTest : public StateFixture {};

TEST_F(EarlyEndTest, WrapperSaysFinishedBelowTheTotal) {
  EXPECT_FALSE(Fires("ended_early"));
  End(EndKind::kWrapper);
  const RuleResult result = Judge("ended_early");
  EXPECT_EQ(result.level, Level::kWarning);
  EXPECT_EQ(result.evidence.at(0).key, "newest_step");
  EXPECT_EQ(result.evidence.at(0).value, 40);
  EXPECT_EQ(result.evidence.at(0).bound, 93);
  EXPECT_THAT(result.detail, testing::HasSubstr("script"));
  End(EndKind::kTrainer);
  EXPECT_TRUE(Fires("ended_early"));
  EXPECT_THAT(Judge("ended_early").detail,
              testing::HasSubstr("says itself that training"));
  End(EndKind::kAmbiguous);
  EXPECT_TRUE(Fires("ended_early"));
}

TEST_F(EarlyEndTest, OneStepBelowTheTotalIsANormalEnd) {
  Train(92);
  End(EndKind::kTrainer);
  EXPECT_TRUE(Fires("ended_early"));
  step_ = 93;
  EXPECT_FALSE(Fires("ended_early"));
}

TEST_F(EarlyEndTest, UnknownTotalIsNotJudged) {
  total_.reset();
  End(EndKind::kWrapper);
  EXPECT_EQ(Judge("ended_early").kind, Kind::kNotApplicable);
}

TEST_F(EarlyEndTest, TrainingWentOnBehindTheEndMark) {
  End(EndKind::kWrapper);
  Train(41);
  EXPECT_FALSE(Fires("ended_early"));
}

TEST_F(EarlyEndTest, InterruptExplainsTheEnd) {
  Interrupt();
  End(EndKind::kAmbiguous);
  EXPECT_FALSE(Fires("ended_early"));
}

TEST_F(EarlyEndTest, RunThatOnlyValidates) {
  NoTraining();
  End(EndKind::kTrainer);
  EXPECT_FALSE(Fires("ended_early"));
  End(EndKind::kWrapper);
  EXPECT_TRUE(Fires("ended_early")) << "killed before its first step";
}

}  // namespace
}  // namespace rlrun
