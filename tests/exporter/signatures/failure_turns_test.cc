#include "exporter/signatures/failure_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kTurns = "num_turns/mean";
constexpr std::string_view kReward = "critic/score/mean";
constexpr std::string_view kAdvantage = "critic/advantages/mean";

FailureRun Calling() {
  FailureRun run(kNoToolCallCollapseRule);
  run.base = {{std::string(kTurns), 10}, {std::string(kReward), 0.5}};
  return run;
}

TEST(NoToolCallCollapseTest, FewTurnsAndAFallenRewardAreCritical) {
  FailureRun run = Calling();
  EXPECT_TRUE(IsSilent(run.StepsTo(10)));
  EXPECT_TRUE(IsSilent(run.Step(11, {{kTurns, 3}, {kReward, 0.1}})));
  const RuleResult r = run.Step(12, {{kTurns, 2}, {kReward, 0.2}});
  EXPECT_EQ(r.level, Level::kCritical);
  ASSERT_EQ(r.evidence.size(), 2u);
  EXPECT_EQ(r.evidence[0],
            (Evidence{std::string(kTurns), 12, 2, 4.0, Side::kBelow}));
  EXPECT_EQ(r.evidence[1].key, kReward);
  EXPECT_EQ(r.evidence[1].value, 0.2);
  EXPECT_NEAR(*r.evidence[1].bound, 0.47, 1e-12);
}

TEST(NoToolCallCollapseTest, RewardThatHoldsIsAWarning) {
  FailureRun run = Calling();
  run.StepsTo(10);
  run.Step(11, {{kTurns, 2}});
  const RuleResult r = run.Step(12, {{kTurns, 2}});
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.detail, "tools are given up, the reward holds");
}

TEST(NoToolCallCollapseTest, RewardExactlyAtItsBoundHolds) {
  FailureRun run = Calling();
  run.StepsTo(10);
  const double bound =
      *run.StepsTo(12, {{kTurns, 2}, {kReward, 0}}).evidence[1].bound;
  for (const auto& [reward, level] :
       {std::pair{bound, Level::kWarning},
        {std::nextafter(bound, 0), Level::kCritical}}) {
    run = Calling();
    run.StepsTo(10);
    EXPECT_EQ(run.StepsTo(12, {{kTurns, 2}, {kReward, reward}}).level, level);
  }
}

TEST(NoToolCallCollapseTest, EightPointsAreNeeded) {
  FailureRun run = Calling();
  run.StepsTo(5);
  EXPECT_TRUE(IsAbsent(run.StepsTo(7, {{kTurns, 2}})));
  EXPECT_EQ(run.Step(8, {{kTurns, 2}}).level, Level::kWarning);
}

TEST(NoToolCallCollapseTest, TurnsAtTheirBoundHaveCollapsed) {
  FailureRun run = Calling();
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kTurns, 4.01}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(29, {{kTurns, 4}}), 21);
}

TEST(NoToolCallCollapseTest, TrainersThatCountUserTurnsNeverFallBelowTwo) {
  FailureRun run = Calling();
  run.base[std::string(kTurns)] = 4;
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kTurns, 2.11}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(29, {{kTurns, 2.1}}), 21);
}

TEST(NoToolCallCollapseTest, RunWithoutToolsIsSilent) {
  FailureRun run = Calling();
  run.base[std::string(kTurns)] = 3.99;
  run.StepsTo(10);
  EXPECT_TRUE(IsSilent(run.StepsTo(40, {{kTurns, 1}, {kReward, 0}})));
}

TEST(NoToolCallCollapseTest, ReasonsOfAnyOfThreeStepsExplainIt) {
  constexpr std::string_view env = "trajectory_filter/reason/env_setup_failed";
  constexpr std::string_view timeout = "trajectory_filter/reason/timeout";
  FailureRun run = Calling();
  run.base["trajectory_filter/reason/valid"] = 100;
  run.StepsTo(10);
  run.Step(11, {{kTurns, 2}, {"trajectory_filter/reason/valid", 97}, {env, 3}});
  EXPECT_TRUE(IsSilent(run.Step(12, {{kTurns, 2}})));
  EXPECT_TRUE(IsSilent(run.Step(13, {{kTurns, 2}})));
  EXPECT_EQ(run.Step(14, {{kTurns, 2}}).level, Level::kWarning);
  EXPECT_EQ(
      run.Step(15,
               {{kTurns, 2}, {"trajectory_filter/reason/valid", 98}, {env, 2}})
          .level,
      Level::kWarning);
  EXPECT_EQ(run.Step(16, {{kTurns, 2},
                          {"trajectory_filter/reason/valid", 80},
                          {timeout, 20}})
                .level,
            Level::kWarning);
  EXPECT_TRUE(IsSilent(run.Step(
      17,
      {{kTurns, 2}, {"trajectory_filter/reason/valid", 79}, {timeout, 21}})));
}

TEST(NoToolCallCollapseTest, ThreeRewardsBeforeTheFallAreNeeded) {
  for (const int printed : {2, 3}) {
    FailureRun run = Calling();
    run.StepsTo(10 - printed, {{kReward, kNan}});
    run.StepsTo(10);
    EXPECT_EQ(run.StepsTo(13, {{kTurns, 2}, {kReward, 0}}).level,
              printed == 3 ? Level::kCritical : Level::kWarning);
  }
}

TEST(NoToolCallCollapseTest, WithoutRewardItIsAWarning) {
  FailureRun run = Calling();
  run.base.erase(std::string(kReward));
  run.base["actor/pg_loss"] = 0;
  run.StepsTo(10);
  EXPECT_EQ(run.StepsTo(13, {{kTurns, 2}}).level, Level::kWarning);
}

TEST(NoToolCallCollapseTest, OnlyStepsWithMostOfTheTurnsAreComparedWith) {
  FailureRun run = Calling();
  run.StepsTo(10);
  run.StepsTo(40, {{kTurns, 8}, {kReward, 0.1}});  // 0.8 x F: not alive
  EXPECT_EQ(run.StepsTo(42, {{kTurns, 2}, {kReward, 0.1}}).level,
            Level::kCritical);
  run = Calling();
  run.StepsTo(10);
  run.StepsTo(40, {{kTurns, 8.01}, {kReward, 0.1}});
  EXPECT_EQ(run.StepsTo(42, {{kTurns, 2}, {kReward, 0.1}}).level,
            Level::kWarning);
}

TEST(NoToolCallCollapseTest, OnlyTheNewestTwentyOfThemAreComparedWith) {
  for (const int low : {10, 11}) {
    FailureRun run = Calling();
    run.StepsTo(30);
    run.StepsTo(30 + low, {{kReward, 0.1}});
    // Ten of twenty: their median is 0.3, and so is their spread.
    run.rules.options.failures.tools_reward_drop = 0.3;
    EXPECT_EQ(run.StepsTo(32 + low, {{kTurns, 2}, {kReward, 0.1}}).level,
              low == 10 ? Level::kCritical : Level::kWarning);
  }
}

TEST(NoToolCallCollapseTest, NoisyRewardMustFallFurther) {
  FailureRun run = Calling();
  for (int step = 1; step <= 10; ++step) {
    run.Step(step, {{kReward, step % 2 == 0 ? 0.4 : 0.6}});
  }
  // Three spreads below the median are 0.055, three noises -0.129.
  EXPECT_EQ(run.StepsTo(12, {{kTurns, 2}, {kReward, 0}}).level,
            Level::kWarning);
}

TEST(NoToolCallCollapseTest, NanIsNoPoint) {
  FailureRun run = Calling();
  run.StepsTo(10);
  run.Step(11, {{kTurns, 2}});
  EXPECT_TRUE(IsAbsent(run.Step(12, {{kTurns, kNan}})));
  EXPECT_EQ(run.Step(13, {{kTurns, 2}}).level, Level::kWarning);
}

TEST(NoToolCallCollapseTest, WithoutTurnsThereIsNoSeries) {
  FailureRun run = Calling();
  run.base.erase(std::string(kTurns));
  EXPECT_TRUE(IsAbsent(run.StepsTo(20)));
}

TEST(NoToolCallCollapseTest, RewindTakesItsPointsAlong) {
  FailureRun run = Calling();
  run.StepsTo(10);
  EXPECT_EQ(run.StepsTo(12, {{kTurns, 2}}).level, Level::kWarning);
  EXPECT_TRUE(IsSilent(run.Step(11, {{kTurns, 2}})));
}

class AllNegativeBatchCollapseTest : public ::testing::Test {
 protected:
  AllNegativeBatchCollapseTest() { run_ = Spamming(); }
  static FailureRun Spamming() {
    FailureRun run(kAllNegativeBatchCollapseRule);
    run.base = {{"critic/vf_explained_var", 0.3},
                {"actor/rollout_corr/rollout_is_mean", 1},
                {std::string(kAdvantage), 0.001},
                {std::string(kTurns), 20},
                {std::string(kReward), 10}};
    return run;
  }
  FailureRun run_{kAllNegativeBatchCollapseRule};
};

TEST_F(AllNegativeBatchCollapseTest, ThirdNegativeBatchIsCritical) {
  EXPECT_TRUE(IsSilent(run_.StepsTo(10)));
  EXPECT_TRUE(IsSilent(
      run_.StepsTo(12, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}})));
  const RuleResult r =
      run_.Step(13, {{kAdvantage, -0.03}, {kTurns, 23}, {kReward, 8}});
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_THAT(
      r.evidence,
      ElementsAre(
          Evidence{std::string(kAdvantage), 13, -0.03, -0.01, Side::kBelow},
          Evidence{std::string(kTurns), 13, 23, 22.0, Side::kAbove},
          Evidence{std::string(kReward), 13, 8, 9.0, Side::kBelow}));
}

TEST_F(AllNegativeBatchCollapseTest, EightStepsAreEnough) {
  run_.StepsTo(5);
  EXPECT_TRUE(IsAbsent(
      run_.StepsTo(7, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}})));
  EXPECT_EQ(
      run_.Step(8, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}}).level,
      Level::kCritical);
}

TEST_F(AllNegativeBatchCollapseTest, AdvantageAtItsBoundIsSilent) {
  run_.StepsTo(10);
  EXPECT_EQ(
      run_.FiresUpTo(20, {{kAdvantage, -0.01}, {kTurns, 22}, {kReward, 9}}),
      std::nullopt);
}

TEST_F(AllNegativeBatchCollapseTest, TurnsThatGrowLessAreSilent) {
  run_.StepsTo(10);
  EXPECT_EQ(
      run_.FiresUpTo(20, {{kAdvantage, -0.02}, {kTurns, 21.9}, {kReward, 9}}),
      std::nullopt);
}

TEST_F(AllNegativeBatchCollapseTest, RewardThatFallsLessIsSilent) {
  run_.StepsTo(10);
  EXPECT_EQ(
      run_.FiresUpTo(20, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9.01}}),
      std::nullopt);
}

TEST_F(AllNegativeBatchCollapseTest, NoisyRewardMustFallFurther) {
  for (int step = 1; step <= 20; ++step) {
    run_.Step(step, {{kReward, step % 2 == 0 ? 10.0 : 11.0}});
  }
  EXPECT_EQ(
      run_.FiresUpTo(30, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}}),
      std::nullopt);
}

TEST_F(AllNegativeBatchCollapseTest, NegativeRewardHasASize) {
  run_.base[std::string(kReward)] = -10;
  run_.StepsTo(10);
  EXPECT_EQ(
      run_.FiresUpTo(12, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, -10.9}}),
      std::nullopt);
  run_ = Spamming();
  run_.base[std::string(kReward)] = -10;
  run_.StepsTo(10);
  EXPECT_EQ(
      run_.FiresUpTo(19, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, -11}}),
      13);
}

TEST_F(AllNegativeBatchCollapseTest, TwoInARowAreNoRow) {
  run_.StepsTo(10);
  for (int step = 11; step <= 13; ++step) {
    EXPECT_TRUE(IsSilent(run_.Step(
        step,
        {{kAdvantage, step == 12 ? 0 : -0.02}, {kTurns, 22}, {kReward, 9}})));
  }
}

TEST_F(AllNegativeBatchCollapseTest, RowMayBeAmongTheLastTwenty) {
  // The row's first batch is the oldest of twenty, then one too old.
  for (const int healthy : {15, 16}) {
    run_ = Spamming();
    run_.StepsTo(10);
    run_.StepsTo(13, {{kAdvantage, -0.02}});
    run_.StepsTo(13 + healthy);
    const RuleResult r =
        run_.StepsTo(15 + healthy, {{kTurns, 22}, {kReward, 9}});
    EXPECT_EQ(r.level, healthy == 15 ? Level::kCritical : Level::kNone);
  }
}

TEST_F(AllNegativeBatchCollapseTest, FiveStepsAgoAreStepsNotPoints) {
  run_.StepsTo(10);
  run_.StepsTo(14, {{kTurns, kNan}, {kReward, kNan}});
  const RuleResult r =
      run_.StepsTo(17, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}});
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_EQ(
      run_.StepsTo(18, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}}).level,
      Level::kCritical);
  EXPECT_EQ(
      run_.StepsTo(20, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}}).level,
      Level::kCritical);
  EXPECT_EQ(
      run_.StepsTo(21, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}}).level,
      Level::kNone);
}

TEST_F(AllNegativeBatchCollapseTest, WithoutItsKeysThereIsNoSeries) {
  for (const auto key : {kAdvantage, kTurns, kReward}) {
    run_ = Spamming();
    run_.base.erase(std::string(key));
    EXPECT_TRUE(IsAbsent(run_.StepsTo(20)));
  }
}

TEST_F(AllNegativeBatchCollapseTest, OrdinaryRunWithACriticIsNoSao) {
  run_.base.erase("actor/rollout_corr/rollout_is_mean");
  run_.base["rollout_corr/rollout_is_mean"] = 1;
  run_.StepsTo(10);
  EXPECT_TRUE(IsAbsent(
      run_.StepsTo(20, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}})));
}

TEST_F(AllNegativeBatchCollapseTest, NanIsNoPoint) {
  run_.StepsTo(10);
  run_.StepsTo(12, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}});
  EXPECT_TRUE(IsAbsent(
      run_.Step(13, {{kAdvantage, kNan}, {kTurns, 22}, {kReward, 9}})));
  EXPECT_EQ(
      run_.Step(14, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}}).level,
      Level::kCritical);
}

TEST_F(AllNegativeBatchCollapseTest, RewindTakesItsPointsAlong) {
  run_.StepsTo(10);
  run_.StepsTo(13, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}});
  EXPECT_TRUE(IsSilent(
      run_.Step(12, {{kAdvantage, -0.02}, {kTurns, 22}, {kReward, 9}})));
}

}  // namespace
}  // namespace rlrun
