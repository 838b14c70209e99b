#include "exporter/signatures/failure_actor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kLr = "actor/lr";
constexpr std::string_view kNorm = "actor/grad_norm";
constexpr std::string_view kLength = "response_length/mean";

FailureRun Learning() {
  FailureRun run(kFrozenModelRule);
  run.base = {{"actor/lr", 1e-6}};
  return run;
}

TEST(FrozenModelTest, SecondStepWithoutARateIsCritical) {
  FailureRun run = Learning();
  EXPECT_TRUE(IsSilent(run.StepsTo(3)));
  EXPECT_TRUE(IsSilent(run.Step(4, {{kLr, 0}})));
  const RuleResult r = run.Step(5, {{kLr, 0}});
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_THAT(r.evidence, ElementsAre(Evidence{std::string(kLr), 5, 0, 0.0}));
  EXPECT_TRUE(IsSilent(run.Step(6)));
}

TEST(FrozenModelTest, FirstTwoStepsAreEnough) {
  FailureRun run = Learning();
  EXPECT_TRUE(IsAbsent(run.Step(1, {{kLr, 0}})));
  EXPECT_EQ(run.Step(2, {{kLr, -0.0}}).level, Level::kCritical);
}

TEST(FrozenModelTest, ATinyRateIsOne) {
  FailureRun run = Learning();
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 1e-300}}), std::nullopt);
}

TEST(FrozenModelTest, BothStepsMustBeBehindTheWarmup) {
  FailureRun run = Learning();
  run.facts.lr_warmup_steps = 4;
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 0}}), 6);
}

TEST(FrozenModelTest, WarmupMayBeAShareOfThePlan) {
  FailureRun run = Learning();
  run.facts.lr_warmup_ratio = 0.25;
  run.facts.total_steps = 16;
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 0}}), 6);
}

TEST(FrozenModelTest, WarmupIsAShareOfTheSchedulesOwnLength) {
  FailureRun run = Learning();
  run.facts.lr_warmup_ratio = 0.25;
  run.facts.total_steps = 100;
  run.facts.lr_total_steps = 16;
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 0}}), 6);
  run = Learning();
  run.facts.lr_warmup_ratio = 0.25;
  run.facts.total_steps = 16;
  run.facts.lr_total_steps = -1;
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 0}}), 6);
  run = Learning();
  run.facts.lr_warmup_ratio = 0.25;
  run.facts.total_steps = 16;
  run.facts.lr_total_steps = 0;
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 0}}), 6);
  run = Learning();
  run.facts.lr_warmup_ratio = 0.25;  // of an unknown length
  EXPECT_EQ(run.FiresUpTo(9, {{kLr, 0}}), 2);
}

TEST(FrozenModelTest, LastTwoPercentOfThePlanMayBeZero) {
  FailureRun run = Learning();
  run.facts.total_steps = 100;
  run.StepsTo(97);
  EXPECT_EQ(run.FiresUpTo(100, {{kLr, 0}}), std::nullopt);
  run = Learning();
  run.facts.total_steps = 100;
  run.StepsTo(96);
  EXPECT_EQ(run.FiresUpTo(100, {{kLr, 0}}), 98);
  EXPECT_TRUE(IsSilent(run.Step(99, {{kLr, 0}})));
}

TEST(FrozenModelTest, RoundedConsoleCannotTell) {
  FailureRun run = Learning();
  run.decimals = 3;
  EXPECT_TRUE(IsAbsent(run.StepsTo(9, {{kLr, 0}})));
}

TEST(FrozenModelTest, StepThatPrintsNoRateIsNotOneOfZero) {
  FailureRun run = Learning();
  run.base = {{"actor/pg_loss", 0.1}};
  run.Step(1, {{kLr, 0}});
  EXPECT_TRUE(IsAbsent(run.Step(2)));
  EXPECT_TRUE(IsSilent(run.Step(3, {{kLr, 0}})));
  EXPECT_TRUE(IsAbsent(run.Step(4, {{kLr, kNan}})));
  EXPECT_TRUE(IsSilent(run.Step(5, {{kLr, 0}})));
  EXPECT_EQ(run.Step(6, {{kLr, 0}}).level, Level::kCritical);
}

TEST(FrozenModelTest, WithoutARateThereIsNoSeries) {
  FailureRun run(kFrozenModelRule);
  run.base = {{"actor/pg_loss", 0.1}};
  EXPECT_TRUE(IsAbsent(run.StepsTo(9)));
}

TEST(FrozenModelTest, RewindTakesItsPointsAlong) {
  FailureRun run = Learning();
  run.StepsTo(3);
  run.Step(4, {{kLr, 0}});
  EXPECT_EQ(run.Step(5, {{kLr, 0}}).level, Level::kCritical);
  EXPECT_TRUE(IsSilent(run.Step(4)));
  EXPECT_TRUE(IsSilent(run.Step(5, {{kLr, 0}})));
}

FailureRun Diluted() {
  FailureRun run(kGradStarvationRule);
  run.base = {{"actor/grad_norm", 1}, {"response_length/mean", 1000}};
  return run;
}

TEST(GradStarvationTest, SmallGradientBesideLongAnswersIsAWarning) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_TRUE(IsSilent(run.Step(11, {{kNorm, 0.1}, {kLength, 1500}})));
  const RuleResult r = run.Step(12, {{kNorm, 0.09}, {kLength, 1600}});
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(
      r.evidence,
      ElementsAre(
          Evidence{"actor/grad_norm", 12, 0.09, 0.15, Side::kBelow},
          Evidence{"response_length/mean", 12, 1600, 1500.0, Side::kAbove}));
}

TEST(GradStarvationTest, EightPointsOfBothAreNeeded) {
  FailureRun run = Diluted();
  run.StepsTo(5);
  EXPECT_TRUE(IsAbsent(run.StepsTo(7, {{kNorm, 0.1}, {kLength, 1500}})));
  EXPECT_EQ(run.Step(8, {{kNorm, 0.1}, {kLength, 1500}}).level,
            Level::kWarning);
  run = Diluted();
  run.base.erase(std::string(kLength));
  run.StepsTo(9);
  run.base["response_length/mean"] = 1000;
  run.StepsTo(14);
  EXPECT_TRUE(IsAbsent(run.StepsTo(16, {{kNorm, 0.1}, {kLength, 1500}})));
  EXPECT_EQ(run.Step(17, {{kNorm, 0.1}, {kLength, 1500}}).level,
            Level::kWarning);
}

TEST(GradStarvationTest, GradientAtItsBoundIsStarved) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kNorm, 0.151}, {kLength, 1500}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(29, {{kNorm, 0.15}, {kLength, 1500}}), 21);
}

TEST(GradStarvationTest, NoGradientAtAllIsAnotherFinding) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kNorm, 0}, {kLength, 1500}}), std::nullopt);
}

TEST(GradStarvationTest, ShortAnswersAreSilent) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kNorm, 0.1}, {kLength, 1499}}), std::nullopt);
}

TEST(GradStarvationTest, LongAnswersWithANormalGradientAreSilent) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(40, {{kLength, 9000}}), std::nullopt);
}

TEST(GradStarvationTest, AnswersAreLongAgainstTheConfiguredCap) {
  FailureRun run = Diluted();
  run.facts.max_response_tokens = 2000;
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kNorm, 0.1}, {kLength, 1199}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(29, {{kNorm, 0.1}, {kLength, 1200}}), 21);
  EXPECT_EQ(run.Now().evidence[1].bound, 1200.0);
}

TEST(GradStarvationTest, CapIsTheLargestAnswerOfAStepThatCutSome) {
  FailureRun run = Diluted();
  run.base["response_length/max"] = 9000;
  run.base["response_length/clip_ratio"] = 0;
  run.StepsTo(9);
  run.Step(10, {{"response_length/max", 2000},
                {"response_length/clip_ratio", 0.01}});
  EXPECT_EQ(run.FiresUpTo(19, {{kNorm, 0.1}, {kLength, 1199}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(29, {{kNorm, 0.1}, {kLength, 1200}}), 21);
  run = Diluted();
  run.base["response_length/max"] = 2000;
  run.base["response_length/clip_ratio"] = 0;  // nothing was cut
  run.StepsTo(10);
  EXPECT_EQ(run.FiresUpTo(19, {{kNorm, 0.1}, {kLength, 1200}}), std::nullopt);
}

TEST(GradStarvationTest, AnswersAreLongAgainstWhatTheyWereLately) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  run.StepsTo(50, {{kLength, 400}});
  EXPECT_EQ(run.FiresUpTo(59, {{kNorm, 0.1}, {kLength, 599}}), std::nullopt);
  run = Diluted();
  run.StepsTo(10);
  run.StepsTo(50, {{kLength, 400}});
  EXPECT_EQ(run.FiresUpTo(59, {{kNorm, 0.1}, {kLength, 600}}), 52);
}

TEST(GradStarvationTest, TiedStepHasNoGradient) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_TRUE(IsAbsent(run.StepsTo(20, {{kNorm, 0.1},
                                        {kLength, 1500},
                                        {"critic/score/max", 0},
                                        {"critic/score/min", 0}})));
}

TEST(GradStarvationTest, NanIsNoPoint) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  run.Step(11, {{kNorm, 0.1}, {kLength, 1500}});
  EXPECT_TRUE(IsAbsent(run.Step(12, {{kNorm, kNan}, {kLength, 1500}})));
  EXPECT_EQ(run.Step(13, {{kNorm, 0.1}, {kLength, kNan}}).level,
            Level::kWarning);
}

TEST(GradStarvationTest, WithoutItsKeysThereIsNoSeries) {
  FailureRun run = Diluted();
  run.base.erase(std::string(kLength));
  EXPECT_TRUE(IsAbsent(run.StepsTo(20, {{kNorm, 0.1}})));
  run.base = {{"response_length/mean", 9000}, {"actor/pg_loss", 0}};
  EXPECT_TRUE(IsAbsent(run.StepsTo(40)));
}

TEST(GradStarvationTest, RewindTakesItsPointsAlong) {
  FailureRun run = Diluted();
  run.StepsTo(10);
  EXPECT_EQ(run.StepsTo(12, {{kNorm, 0.1}, {kLength, 1500}}).level,
            Level::kWarning);
  EXPECT_TRUE(IsSilent(run.Step(11, {{kNorm, 0.1}, {kLength, 1500}})));
}

}  // namespace
}  // namespace rlrun
