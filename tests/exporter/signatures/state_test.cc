#include "exporter/signatures/state.h"

#include "tests/exporter/signatures/state_fixture.h"

namespace rlrun {
namespace {

Finding Active(std::string_view name, Level level = Level::kWarning) {
  Finding finding;
  finding.name = name;
  finding.level = level;
  finding.since_step = 3;
  finding.detail = "x";
  finding.evidence.push_back({"k", 3, 1, {}});
  return finding;
}

class StateTest : public StateFixture {
 protected:
  RunState State(const std::vector<Finding>& findings = {},
                 bool was_lost = false) const {
    return DecideState(options_, Inputs(), findings, was_lost).state;
  }
};

TEST_F(StateTest, RunningElse) {
  EXPECT_EQ(State(), RunState::kRunning);
  EXPECT_EQ(State({Active("no_progress"), Active("nan_inf")}),
            RunState::kRunning);
}

TEST_F(StateTest, StartingBeforeTheFirstTrainingLine) {
  NoTraining();
  EXPECT_EQ(State(), RunState::kStarting);
  EXPECT_EQ(State({Active("stall")}), RunState::kStalled);
}

TEST_F(StateTest, StalledWhileTheSignatureIsActive) {
  EXPECT_EQ(State({Active("stall")}), RunState::kStalled);
  EXPECT_EQ(State({Active("stall", Level::kNone)}), RunState::kRunning);
}

TEST_F(StateTest, FailedByEachOfFourSignaturesOrItsRecord) {
  for (const std::string_view name :
       {"trainer_crash", "died_silently", "ended_early", "app_died"}) {
    EXPECT_EQ(State({Active(name)}), RunState::kFailed) << name;
    EXPECT_EQ(State({Active(name, Level::kNone)}), RunState::kRunning) << name;
  }
  record_ = RecordedEnd::kFailed;
  EXPECT_EQ(State(), RunState::kFailed);
}

TEST_F(StateTest, FailedBeforeInterrupted) {
  Interrupt();
  EXPECT_EQ(State({Active("trainer_crash")}), RunState::kFailed);
  EXPECT_EQ(State(), RunState::kInterrupted);
}

TEST_F(StateTest, InterruptedUntilTrainingGoesOn) {
  Interrupt();
  EXPECT_EQ(State(), RunState::kInterrupted);
  Train(41);
  EXPECT_EQ(State(), RunState::kRunning);
  record_ = RecordedEnd::kStopped;
  EXPECT_EQ(State(), RunState::kInterrupted);
}

TEST_F(StateTest, NewLaunchBehindAnInterruptOrAnEnd) {
  Train(94);
  Interrupt();
  Resume();
  EXPECT_EQ(State(), RunState::kRunning);
  End(EndKind::kTrainer);
  EXPECT_EQ(State(), RunState::kFinished);
  Resume();
  EXPECT_EQ(State(), RunState::kRunning);
}

TEST_F(StateTest, LaunchThatBeginsInTheVeryLineOfAnEndIsANewOne) {
  Train(94);
  End(EndKind::kTrainer);
  events_.resume = {events_.end->at, false, 40};
  EXPECT_EQ(State(), RunState::kRunning);
}

TEST_F(StateTest, InterruptedBeforeFinished) {
  Train(94);
  End(EndKind::kTrainer);
  Interrupt();
  EXPECT_EQ(State(), RunState::kInterrupted);
}

TEST_F(StateTest, FinishedAtOneBelowTheTotal) {
  Train(92);
  End(EndKind::kTrainer);
  EXPECT_EQ(State(), RunState::kRunning) << "that is for ended_early to say";
  step_ = 93;
  EXPECT_EQ(State(), RunState::kFinished);
  total_.reset();
  step_ = 3;
  EXPECT_EQ(State(), RunState::kFinished);
}

TEST_F(StateTest, WrapperOfARunOfUnknownLength) {
  total_.reset();
  End(EndKind::kWrapper);
  EXPECT_EQ(State(), RunState::kFinished);
}

TEST_F(StateTest, RunThatOnlyValidatesFinishes) {
  NoTraining();
  End(EndKind::kWrapper);
  EXPECT_EQ(State(), RunState::kStarting);
  End(EndKind::kTrainer);
  EXPECT_EQ(State(), RunState::kFinished);
}

TEST_F(StateTest, RecordSaysCompleted) {
  record_ = RecordedEnd::kCompleted;
  EXPECT_EQ(State(), RunState::kFinished);
}

TEST_F(StateTest, LastStepIsTheEndOfATrainerThatSaysNothing) {
  Train(94);
  Wait(1799);
  EXPECT_EQ(State(), RunState::kRunning);
  Wait(1800);
  EXPECT_EQ(State(), RunState::kFinished);
  times_.readable = false;
  EXPECT_EQ(State(), RunState::kRunning);
  times_.readable = true;
  Alive();
  EXPECT_EQ(State(), RunState::kRunning) << "it hangs at its exit";
  Gone();
  Wait(1);
  EXPECT_EQ(State(), RunState::kFinished);
}

TEST_F(StateTest, LostAfterSixHoursWithoutAProcessHere) {
  Wait(21599);
  EXPECT_EQ(State({Active("stall")}), RunState::kStalled);
  Wait(21600);
  EXPECT_EQ(State({Active("stall")}), RunState::kLost);
  Alive();
  EXPECT_EQ(State({Active("stall")}), RunState::kStalled);
}

TEST_F(StateTest, FileThatWasCopiedLongAgoIsLostAndNotDead) {
  Wait(90 * 86400.0);
  EXPECT_EQ(State(), RunState::kLost);
  EXPECT_FALSE(Fires("died_silently"));
}

TEST_F(StateTest, LostIsKeptWhileTheSourceCannotBeRead) {
  Wait(21600);
  times_.readable = false;
  EXPECT_EQ(State({}, false), RunState::kRunning);
  EXPECT_EQ(State({}, true), RunState::kLost);
  times_.readable = true;
  Wait(10);
  EXPECT_EQ(State({}, true), RunState::kRunning);
}

TEST_F(StateTest, FileWithoutATimeIsNotLost) {
  times_.mtime.reset();
  Wait(1e9);
  EXPECT_EQ(State(), RunState::kRunning);
}

TEST(SuppressTest, OnlyTheHighestOfTheOrderStays) {
  const std::vector<std::string_view> order = {
      "trainer_crash", "died_silently", "ended_early",    "app_died",
      "stall",         "no_progress",   "possibly_stuck", "step_slowdown"};
  for (std::size_t first = 0; first < order.size(); ++first) {
    // In the opposite order, and beside one that is not of it.
    std::vector<Finding> findings = {Active("reward_drop", Level::kCritical)};
    for (std::size_t i = order.size(); i-- > first;) {
      findings.push_back(Active(order[i]));
    }
    SuppressFindings(&findings);
    for (const Finding& finding : findings) {
      const bool stays =
          finding.name == order[first] || finding.name == "reward_drop";
      EXPECT_EQ(finding.level != Level::kNone, stays) << finding.name;
      EXPECT_EQ(finding.evidence.empty(), !stays) << finding.name;
      EXPECT_EQ(finding.since_step.has_value(), stays) << finding.name;
      EXPECT_EQ(finding.detail.empty(), !stays) << finding.name;
    }
  }
}

TEST(ClearWaitingTest, WhatAnEndedRunDoesNot) {
  std::vector<Finding> findings = {Active("stall"), Active("no_progress"),
                                   Active("possibly_stuck"),
                                   Active("step_slowdown")};
  ClearWaiting(&findings);
  EXPECT_EQ(findings[0].level, Level::kNone);
  EXPECT_EQ(findings[1].level, Level::kNone);
  EXPECT_EQ(findings[2].level, Level::kNone);
  EXPECT_EQ(findings[3].level, Level::kWarning);
}

}  // namespace
}  // namespace rlrun
