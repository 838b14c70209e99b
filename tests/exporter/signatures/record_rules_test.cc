#include "exporter/signatures/record_rules.h"

#include <gtest/gtest.h>

#include "exporter/signatures/state.h"
#include "exporter/signatures/verdict.h"
#include "tests/exporter/signatures/state_fixture.h"

namespace rlrun {
namespace {

class RecordRulesTest : public StateFixture {
 protected:
  RecordRulesTest() {
    recorded_.emplace();
    recorded_->status = "running";
    recorded_->phase = "generate_rollouts";
    recorded_->record.app_id = "ap-1";
    recorded_->record.created_at = kStart - 7200;
    recorded_->updated_at = kStart;
    recorded_->has_updates = true;
    recorded_->past_startup = true;
  }
  RunState State() {
    StateFindings findings;
    findings.Judge(options_, Inputs());
    return DecideState(options_, Inputs(), findings.findings()).state;
  }
  void OnlyRecord() {
    has_log_ = has_console_ = false;
    NoTraining();
  }
};

TEST_F(RecordRulesTest, WithoutARecordNothingApplies) {
  recorded_.reset();
  for (const TimeRule& rule : RecordRules()) {
    EXPECT_EQ(rule.evaluate(options_, Inputs()).kind,
              RuleResult::Kind::kNotApplicable)
        << rule.name;
  }
}

TEST_F(RecordRulesTest, StuckAfterTenMinutesOfSilenceOfBoth) {
  Wait(600);
  EXPECT_FALSE(Fires("possibly_stuck"));
  Wait(601);
  const RuleResult result = Judge("possibly_stuck");
  EXPECT_EQ(result.level, Level::kWarning);
  EXPECT_NE(result.detail.find("generate_rollouts"), std::string::npos);
}

TEST_F(RecordRulesTest, GrowingLogIsNotStuck) {
  Wait(1200);
  times_.mtime = kStart + 1100;
  EXPECT_FALSE(Fires("possibly_stuck"));
}

TEST_F(RecordRulesTest, RecordAloneIsEnough) {
  OnlyRecord();
  Wait(601);
  EXPECT_TRUE(Fires("possibly_stuck"));
}

// Stuck on what: the one that spoke last says it.
TEST_F(RecordRulesTest, PhaseOfTheFresherOfLogAndRecord) {
  events_.phase = RunPhase::kTraining;
  recorded_->progress.updated_at = kStart + 10;
  Wait(700);
  EXPECT_EQ(Judge("possibly_stuck").detail, "phase generate_rollouts");
  recorded_->progress.updated_at = kStart - 100;
  EXPECT_EQ(Judge("possibly_stuck").detail, "phase training");
}

TEST_F(RecordRulesTest, ErrorOfAHelperIsNoDeathOfTheApp) {
  Burst(LogErrorKind::kTraceback).of_helpers = true;
  Wait(700);
  EXPECT_FALSE(Fires("app_died"));
  events_.severe_burst->of_helpers = false;
  EXPECT_TRUE(Fires("app_died"));
}

// The clock of its writer is 20 minutes slow.
TEST_F(RecordRulesTest, RecordThatIsSeenToChangeLives) {
  OnlyRecord();
  recorded_->updated_at = kStart - 1200;
  EXPECT_TRUE(Fires("possibly_stuck"));
  recorded_->changed_at = kStart;
  EXPECT_FALSE(Fires("possibly_stuck"));
  Wait(600);
  EXPECT_FALSE(Fires("possibly_stuck"));
  EXPECT_EQ(NextRecordDeadline(Inputs()), kStart + 601);
  Wait(601);
  EXPECT_TRUE(Fires("possibly_stuck"));
}

TEST_F(RecordRulesTest, WaitingForAGpuIsNoActivePhase) {
  recorded_->progress.is_active = false;
  Wait(3600);
  EXPECT_FALSE(Fires("possibly_stuck"));
}

TEST_F(RecordRulesTest, FirstGenerationHasNoUpdatesToMiss) {
  recorded_->has_updates = false;
  Wait(3600);
  EXPECT_EQ(Judge("possibly_stuck").kind, RuleResult::Kind::kNotApplicable);
}

TEST_F(RecordRulesTest, UnreadableRecordKeepsWhatWasFound) {
  record_readable_ = false;
  Wait(3600);
  EXPECT_EQ(Judge("possibly_stuck").kind, RuleResult::Kind::kNotEvaluated);
}

TEST_F(RecordRulesTest, DiedWithAnErrorThatIsNoTraceback) {
  Burst(LogErrorKind::kCudaOom);
  Wait(599);
  EXPECT_FALSE(Fires("app_died"));
  Wait(600);
  EXPECT_EQ(LevelOf("app_died"), Level::kCritical);
  EXPECT_EQ(State(), RunState::kFailed);
  recorded_->status = "completed";
  EXPECT_FALSE(Fires("app_died"));
}

TEST_F(RecordRulesTest, TracebackIsACrashFirst) {
  Burst(LogErrorKind::kTraceback);
  Wait(700);
  StateFindings findings;
  findings.Judge(options_, Inputs());
  for (const Finding& f : findings.findings()) {
    EXPECT_EQ(f.level != Level::kNone, f.name == "trainer_crash") << f.name;
  }
}

TEST_F(RecordRulesTest, QueuedRunIsSaidAtOnce) {
  OnlyRecord();
  recorded_->past_startup = false;
  recorded_->record.app_id.clear();
  EXPECT_EQ(LevelOf("not_started"), Level::kInfo);
  EXPECT_EQ(State(), RunState::kStarting);
}

TEST_F(RecordRulesTest, WhatTrainsHasStartedWithoutAnAppId) {
  recorded_->record.app_id.clear();
  EXPECT_FALSE(Fires("not_started"));
  recorded_->past_startup = false;
  EXPECT_FALSE(Fires("not_started")) << "its log shows steps";
}

TEST_F(RecordRulesTest, StartUpOfHalfAnHourIsSaid) {
  OnlyRecord();
  recorded_->past_startup = false;
  recorded_->record.created_at = kStart;
  Wait(1800);
  EXPECT_FALSE(Fires("not_started"));
  Wait(1801);
  EXPECT_TRUE(Fires("not_started"));
}

TEST_F(RecordRulesTest, RecordAloneNeitherStallsNorLacksProgress) {
  OnlyRecord();
  Wait(3 * 3600);
  EXPECT_EQ(Judge("stall").kind, RuleResult::Kind::kNotApplicable);
  EXPECT_EQ(Judge("no_progress").kind, RuleResult::Kind::kNotApplicable);
  EXPECT_EQ(State(), RunState::kRunning);
  Wait(6 * 3600);
  EXPECT_EQ(State(), RunState::kLost);
}

TEST_F(RecordRulesTest, WordsOfTheRecordDecideTheState) {
  const auto state_of = [this](const char* status) {
    recorded_->status = status;
    record_ = RecordedEndOf(*recorded_);
    return State();
  };
  EXPECT_EQ(state_of("failed"), RunState::kFailed);
  EXPECT_EQ(state_of("stopped"), RunState::kInterrupted);
  EXPECT_EQ(state_of("cancelled"), RunState::kInterrupted);
  EXPECT_EQ(state_of("completed"), RunState::kFinished);
  EXPECT_EQ(state_of("running"), RunState::kRunning);
  EXPECT_EQ(state_of("paused"), RunState::kRunning);
}

TEST_F(RecordRulesTest, FailedRecordSpeaksThroughItsMessage) {
  recorded_->status = "failed";
  recorded_->record.error = "the pod was evicted";
  record_ = RecordedEndOf(*recorded_);
  EXPECT_EQ(Judge("trainer_crash").detail, "the pod was evicted");
}

TEST_F(RecordRulesTest, LinesOfAClassBehindTheNewestStep) {
  counts_lines_ = true;
  events_.recent.push_back({LogErrorKind::kCudaOom, 1, 1});
  EXPECT_FALSE(Fires("cuda_oom")) << "a step line came behind it";
  events_.recent.push_back({LogErrorKind::kCudaOom, Mark().offset, 2});
  EXPECT_EQ(LevelOf("cuda_oom"), Level::kWarning);
  for (int i = 0; i < 4; ++i) {
    events_.recent.push_back({LogErrorKind::kRetry, Mark().offset, 3});
  }
  EXPECT_FALSE(Fires("retry_loop"));
  events_.recent.push_back({LogErrorKind::kRetry, Mark().offset, 4});
  EXPECT_TRUE(Fires("retry_loop"));
  EXPECT_FALSE(Fires("auth_failure"));
  EXPECT_FALSE(Fires("nccl_failure"));
  Train(41);
  EXPECT_FALSE(Fires("cuda_oom"));
}

TEST_F(RecordRulesTest, DeadlineIsWhenARuleBecomesTrue) {
  const auto next = NextDeadline(options_, Inputs());
  ASSERT_TRUE(next);
  EXPECT_LE(*next, kStart + 601);
  Wait(601);
  EXPECT_TRUE(NextRecordDeadline(Inputs()));  // the evidence goes on
  recorded_->status = "failed";
  EXPECT_FALSE(NextRecordDeadline(Inputs()));
}

}  // namespace
}  // namespace rlrun
