#include "exporter/signatures/failure_critic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kVariance = "critic/vf_explained_var";
constexpr std::string_view kNorm = "critic/grad_norm";
constexpr std::string_view kReward = "critic/score/mean";

FailureRun Starving() {
  FailureRun run(kCriticStarvationRule);
  run.base = {{std::string(kVariance), 0.1},
              {std::string(kNorm), 3},
              {std::string(kReward), 0.5},
              {"critic/returns/max", 1},
              {"critic/returns/min", 0}};
  return run;
}

TEST(CriticStarvationTest, FiftiethPointWithoutAMoveIsAWarning) {
  FailureRun run = Starving();
  EXPECT_TRUE(IsAbsent(run.StepsTo(49)));
  const RuleResult r = run.Step(50);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(
      r.evidence,
      ElementsAre(Evidence{std::string(kVariance), 50, 0.1, 0.3},
                  Evidence{std::string(kNorm), 50, 3, 3.0},
                  Evidence{std::string(kReward), 50, 0.5, std::nullopt}));
}

TEST(CriticStarvationTest, OneGoodPointOfFiftyIsSilent) {
  FailureRun run = Starving();
  run.StepsTo(20);
  run.Step(21, {{kVariance, 0.31}});
  EXPECT_TRUE(IsSilent(run.StepsTo(70)));
  EXPECT_EQ(run.Step(71).level, Level::kWarning);
  EXPECT_EQ(run.Step(72, {{kVariance, 0.3}}).level, Level::kWarning);
}

TEST(CriticStarvationTest, GradientThatIsHardlyClippedIsSilent) {
  FailureRun run = Starving();
  EXPECT_EQ(run.FiresUpTo(90, {{kNorm, 2.99}}), std::nullopt);
}

TEST(CriticStarvationTest, ClipOfTheConfigIsTheMeasure) {
  FailureRun run = Starving();
  run.facts.critic_grad_clip = 10;
  EXPECT_EQ(run.FiresUpTo(60, {{kNorm, 29}}), std::nullopt);
  run = Starving();
  run.facts.critic_grad_clip = 10;
  EXPECT_EQ(run.FiresUpTo(60, {{kNorm, 30}}), 50);
}

TEST(CriticStarvationTest, VarianceThatMovesIsSilent) {
  for (const double gain : {0.0625, 0.05, 0.03125}) {
    FailureRun run = Starving();
    run.base[std::string(kVariance)] = 0;
    run.StepsTo(40);
    EXPECT_EQ(run.StepsTo(50, {{kVariance, gain}}).level,
              gain > 0.05 ? Level::kNone : Level::kWarning);
  }
}

TEST(CriticStarvationTest, RewardThatMovesIsSilent) {
  FailureRun run = Starving();
  run.StepsTo(40);
  EXPECT_TRUE(IsSilent(run.StepsTo(50, {{kReward, 0.51}})));
}

TEST(CriticStarvationTest, RewardThatMovesByItsNoiseIsNone) {
  // Differences of 1, so a noise of 1.0483, and a first median of 0.
  for (const double more : {0.0, 1e-6}) {
    FailureRun run = Starving();
    for (int step = 1; step <= 40; ++step) {
      run.Step(step, {{kReward, step % 2 == 0 ? 0.5 : -0.5}});
    }
    run.StepsTo(50, {{kReward, 1.0483 + more}});
    EXPECT_EQ(run.Now().level, more == 0 ? Level::kWarning : Level::kNone);
  }
}

TEST(CriticStarvationTest, PointsWithDeadReturnsAreNone) {
  FailureRun run = Starving();
  run.StepsTo(30);
  EXPECT_TRUE(IsAbsent(run.StepsTo(
      60, {{"critic/returns/min", 1}, {kVariance, -1e6}, {kNorm, 0}})));
  EXPECT_EQ(run.FiresUpTo(90, {}), 80);
}

TEST(CriticStarvationTest, NanIsNoPoint) {
  FailureRun run = Starving();
  run.StepsTo(30);
  EXPECT_TRUE(IsAbsent(run.Step(31, {{kVariance, kNan}})));
  EXPECT_TRUE(IsAbsent(run.StepsTo(50, {{kNorm, kNan}})));
  EXPECT_EQ(run.Step(51, {{kReward, kNan}}).level, Level::kWarning);
}

TEST(CriticStarvationTest, WithoutItsKeysThereIsNoSeries) {
  for (const auto key : {kVariance, kNorm, kReward}) {
    FailureRun run = Starving();
    run.base.erase(std::string(key));
    EXPECT_TRUE(IsAbsent(run.StepsTo(60)));
  }
}

TEST(CriticStarvationTest, RewindTakesItsPointsAlong) {
  FailureRun run = Starving();
  run.StepsTo(50);
  EXPECT_TRUE(IsAbsent(run.Step(40)));
  EXPECT_EQ(run.FiresUpTo(60, {}), 50);
}

}  // namespace
}  // namespace rlrun
