#include "exporter/signatures/failure_no_signal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

class NoSignalTest : public ::testing::Test {
 protected:
  NoSignalTest() {
    run_.base = {{"critic/score/max", 1}, {"critic/score/min", 0}};
  }
  // One step per letter: T is tied, any other is not. Level of the last one.
  Level Steps(std::string_view letters) {
    for (const char c : letters) {
      result_ =
          run_.Step(++step_, {{"critic/score/max", c == 'T' ? 0.0 : 1.0}});
    }
    return result_.level;
  }
  Level Steps(std::size_t count, char letter) {
    return Steps(std::string(count, letter));
  }

  FailureRun run_{kNoSignalRule};
  RuleResult result_;
  std::int64_t step_ = 0;
};

TEST_F(NoSignalTest, AllSoFarIsAWarningFromTheFifthStepOn) {
  EXPECT_EQ(Steps("TTTT"), Level::kNone);
  EXPECT_EQ(Steps("T"), Level::kWarning);
  EXPECT_THAT(result_.evidence,
              ElementsAre(Evidence{"critic/score/max", 5, 0, std::nullopt},
                          Evidence{"critic/score/min", 5, 0, std::nullopt}));
  EXPECT_EQ(result_.detail, "");
}

TEST_F(NoSignalTest, NineOfTenIsAWarning) {
  EXPECT_EQ(Steps(".TTTTTTTT"), Level::kNone);
  EXPECT_EQ(Steps("T"), Level::kWarning);
}

TEST_F(NoSignalTest, EightOfTenIsNone) {
  EXPECT_EQ(Steps("..TTTTTTTT"), Level::kNone);
}

TEST_F(NoSignalTest, HardDataThatTiesHalfOfTheStepsIsSilent) {
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Steps("T."), Level::kNone);
}

TEST_F(NoSignalTest, WarningStaysWhileFiveOfTenAreTied) {
  Steps(10, 'T');
  EXPECT_EQ(Steps("....."), Level::kWarning);
  EXPECT_EQ(Steps("."), Level::kNone);
  EXPECT_EQ(Steps("TTTTT"), Level::kNone);  // five again: it has gone
}

TEST_F(NoSignalTest, TwentySixOfThirtyIsCritical) {
  Steps("....");
  EXPECT_EQ(Steps(25, 'T'), Level::kWarning);
  EXPECT_EQ(Steps("T"), Level::kCritical);
}

TEST_F(NoSignalTest, TwentyFiveOfThirtyIsNotCritical) {
  Steps(".....");
  EXPECT_EQ(Steps(25, 'T'), Level::kWarning);
}

TEST_F(NoSignalTest, CriticalStaysWhileFifteenOfThirtyAreTied) {
  Steps(30, 'T');
  EXPECT_EQ(Steps(15, '.'), Level::kCritical);
  EXPECT_EQ(Steps("."), Level::kNone);
}

TEST_F(NoSignalTest, CriticalFallsToTheWarningThatHolds) {
  Steps(30, 'T');
  EXPECT_EQ(Steps("..........T.T.T.T.T"), Level::kCritical);
  EXPECT_EQ(Steps(".."), Level::kNone);
  step_ = 0;
  run_ = FailureRun(kNoSignalRule);
  run_.base = {{"critic/score/max", 1}, {"critic/score/min", 0}};
  Steps(30, 'T');
  EXPECT_EQ(Steps("...........T.T.T.T.T"), Level::kCritical);  // 15 of 30
  EXPECT_EQ(Steps("."), Level::kWarning);                      // 14, and 5
  EXPECT_EQ(Steps("."), Level::kNone);
}

TEST_F(NoSignalTest, WarningDoesNotHoldCritical) {
  Steps(".....");
  EXPECT_EQ(Steps(20, 'T'), Level::kWarning);
}

TEST_F(NoSignalTest, CutAnswersAndFailedEnvironmentsAreNamed) {
  for (step_ = 1; step_ <= 5; ++step_) {
    result_ =
        run_.Step(step_, {{"critic/score/max", 0},
                          {"response_length/clip_ratio", 0.16},
                          {"trajectory_filter/reason/valid", 97},
                          {"trajectory_filter/reason/env_setup_failed", 3}});
  }
  EXPECT_EQ(result_.detail, "answers are cut; environments fail to start");
  EXPECT_THAT(
      result_.evidence,
      ElementsAre(Evidence{"critic/score/max", 5, 0, std::nullopt},
                  Evidence{"critic/score/min", 5, 0, std::nullopt},
                  Evidence{"response_length/clip_ratio", 5, 0.16, 0.15},
                  Evidence{"share of env_setup_failed", 5, 0.03, 0.02}));
}

TEST_F(NoSignalTest, WhatDoesNotExplainItIsNotNamed) {
  for (step_ = 1; step_ <= 5; ++step_) {
    result_ =
        run_.Step(step_, {{"critic/score/max", 0},
                          {"response_length/clip_ratio", 0.15},
                          {"trajectory_filter/reason/valid", 98},
                          {"trajectory_filter/reason/env_setup_failed", 2}});
  }
  EXPECT_EQ(result_.level, Level::kWarning);
  EXPECT_EQ(result_.detail, "");
  EXPECT_EQ(result_.evidence.size(), 2u);
}

TEST_F(NoSignalTest, AnyOfItsInputsTies) {
  for (const auto& [key, value] :
       {std::pair{"frac_reward_zero_std", 0.9}, {"critic/rewards/min", 1.0}}) {
    FailureRun run(kNoSignalRule);
    run.base = {{"actor/pg_loss", 0}, {key, value}};
    if (value == 1.0) run.base["critic/rewards/max"] = 1;
    const RuleResult r = run.StepsTo(5);
    EXPECT_EQ(r.level, Level::kWarning);
    ASSERT_FALSE(r.evidence.empty());
    EXPECT_EQ(r.evidence.back().key, key);
  }
  FailureRun run(kNoSignalRule);
  run.base = {{"critic/advantages/max", 0}, {"critic/advantages/min", 0}};
  const RuleResult r = run.StepsTo(5);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.evidence.size(), 2u);
}

TEST_F(NoSignalTest, WithoutItsInputsThereIsNoSeries) {
  FailureRun run(kNoSignalRule);
  run.base = {{"actor/grad_norm", 0}, {"critic/score/mean", 0}};
  EXPECT_TRUE(IsAbsent(run.StepsTo(40)));
}

TEST_F(NoSignalTest, NanTiesNothing) {
  EXPECT_EQ(Steps("TTTT"), Level::kNone);
  EXPECT_EQ(run_.Step(5, {{"critic/score/max", kNan}}).level, Level::kNone);
}

TEST_F(NoSignalTest, RewindTakesItsStepsAlong) {
  EXPECT_EQ(Steps("TTTTT"), Level::kWarning);
  FailureRun run(kNoSignalRule);
  run.base = {{"critic/score/max", 0}, {"critic/score/min", 0}};
  run.StepsTo(4);
  EXPECT_EQ(run.Step(2).level, Level::kNone);
  EXPECT_EQ(run.StepsTo(4).level, Level::kNone);
  EXPECT_EQ(run.Step(5).level, Level::kWarning);
}

}  // namespace
}  // namespace rlrun
