#include "exporter/signatures/record_liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

const FailureOptions kOptions;

RecordView Training() {
  RecordView record;
  record.status = RecordStatus::kRunning;
  record.has_app_id = true;
  record.phase = "rollout";
  record.age = 7200;
  record.since_update = 601;
  record.log_silence = 601;
  record.log_ends_in_error = false;
  record.step = 7;
  return record;
}

TEST(PossiblyStuckTest, SilentRecordAndSilentLogAreAWarning) {
  const RuleResult r = PossiblyStuck(Training(), kOptions);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.detail, "phase rollout");
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{"record_silence_seconds", 7, 601, 600.0},
                          Evidence{"log_silence_seconds", 7, 601, 600.0}));
}

TEST(PossiblyStuckTest, TenMinutesAreNotOlderThanTenMinutes) {
  RecordView record = Training();
  record.since_update = 600;
  EXPECT_TRUE(IsSilent(PossiblyStuck(record, kOptions)));
  record = Training();
  record.log_silence = 600;
  EXPECT_TRUE(IsSilent(PossiblyStuck(record, kOptions)));
}

TEST(PossiblyStuckTest, UnknownLogIsNoObjection) {
  RecordView record = Training();
  record.log_silence.reset();
  const RuleResult r = PossiblyStuck(record, kOptions);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.evidence.size(), 1u);
}

TEST(PossiblyStuckTest, OnlyARunningRecordWithAPhaseCanBe) {
  RecordView record = Training();
  record.phase.clear();
  EXPECT_TRUE(IsSilent(PossiblyStuck(record, kOptions)));
  for (const auto status : {RecordStatus::kQueued, RecordStatus::kEnded}) {
    record = Training();
    record.status = status;
    EXPECT_TRUE(IsSilent(PossiblyStuck(record, kOptions)));
  }
}

TEST(PossiblyStuckTest, WhatWaitsForAnAppIsNotStuck) {
  RecordView record = Training();
  record.has_app_id = false;
  EXPECT_TRUE(IsSilent(PossiblyStuck(record, kOptions)));
}

TEST(PossiblyStuckTest, WithoutUpdateTimeThereIsNoSeries) {
  RecordView record = Training();
  record.since_update.reset();
  EXPECT_TRUE(IsAbsent(PossiblyStuck(record, kOptions)));
}

TEST(AppDiedTest, RunningRecordBesideALogThatEndedInAnErrorIsCritical) {
  RecordView record = Training();
  record.log_ends_in_error = true;
  record.log_silence = 600;
  const RuleResult r = AppDied(record, kOptions);
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{"log_silence_seconds", 7, 600, 600.0}));
  record.log_silence = 599;
  EXPECT_TRUE(IsSilent(AppDied(record, kOptions)));
}

TEST(AppDiedTest, QuietLogWithoutAnErrorIsSilent) {
  RecordView record = Training();
  record.log_silence = 1e6;
  EXPECT_TRUE(IsSilent(AppDied(record, kOptions)));
}

TEST(AppDiedTest, RecordThatSaysSoItselfIsSilent) {
  RecordView record = Training();
  record.log_ends_in_error = true;
  record.status = RecordStatus::kEnded;
  EXPECT_TRUE(IsSilent(AppDied(record, kOptions)));
}

TEST(AppDiedTest, WithoutALogThereIsNoSeries) {
  RecordView record = Training();
  record.log_ends_in_error.reset();
  EXPECT_TRUE(IsAbsent(AppDied(record, kOptions)));
  record = Training();
  record.log_silence.reset();
  EXPECT_TRUE(IsAbsent(AppDied(record, kOptions)));
}

TEST(NotStartedTest, NoAppIdIsSaidAtOnce) {
  RecordView record;
  EXPECT_EQ(NotStarted(record, kOptions).level, Level::kInfo);
  record.age = 1;
  const RuleResult r = NotStarted(record, kOptions);
  EXPECT_EQ(r.level, Level::kInfo);
  EXPECT_EQ(r.detail, "no app id: queued or in early set-up");
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{"record_age_seconds", 0, 1, std::nullopt}));
}

TEST(NotStartedTest, StartUpMayTakeHalfAnHour) {
  RecordView record = Training();
  record.only_startup = true;
  record.age = 1800;
  EXPECT_TRUE(IsSilent(NotStarted(record, kOptions)));
  record.age = 1801;
  const RuleResult r = NotStarted(record, kOptions);
  EXPECT_EQ(r.level, Level::kInfo);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{"record_age_seconds", 7, 1801, 1800.0}));
  record.age.reset();
  EXPECT_TRUE(IsAbsent(NotStarted(record, kOptions)));
}

TEST(NotStartedTest, RunThatTrainsOrHasEndedIsSilent) {
  RecordView record = Training();
  record.age = 1e6;
  EXPECT_TRUE(IsSilent(NotStarted(record, kOptions)));
  record.has_app_id = false;
  record.status = RecordStatus::kEnded;
  EXPECT_TRUE(IsSilent(NotStarted(record, kOptions)));
}

}  // namespace
}  // namespace rlrun
