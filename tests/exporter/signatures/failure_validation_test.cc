#include "exporter/signatures/failure_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kReward = "critic/score/mean";
constexpr std::string_view kScore = "val-core/tasks/acc/mean@4";

FailureRun Solving() {
  FailureRun run(kValFakeZeroRule);
  run.base = {{std::string(kReward), 0.5}};
  return run;
}

TEST(ValFakeZeroTest, ZerosBesideSolvedTasksAreAWarning) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_TRUE(IsAbsent(run.Now()));
  const RuleResult r = run.Line(5, {{kScore, 0}, {"val-aux/num_turns/max", 0}});
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(
      r.evidence,
      ElementsAre(Evidence{std::string(kScore), 5, 0, std::nullopt},
                  Evidence{std::string(kReward), 5, 0.5, 0.05, Side::kAbove},
                  Evidence{"val-aux/num_turns/max", 5, 0, std::nullopt}));
}

TEST(ValFakeZeroTest, NextValidationThatScoresClearsIt) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_EQ(run.Line(5, {{kScore, 0}}).level, Level::kWarning);
  EXPECT_EQ(run.Step(6).level, Level::kWarning);
  run.StepsTo(10);
  EXPECT_TRUE(IsSilent(run.Line(10, {{kScore, 0.1}})));
}

TEST(ValFakeZeroTest, RewardAtItsBoundIsSilent) {
  FailureRun run = Solving();
  run.base[std::string(kReward)] = 0.05;
  run.StepsTo(5);
  EXPECT_TRUE(IsSilent(run.Line(5, {{kScore, 0}})));
  run.StepsTo(9, {{kReward, 0.051}});
  EXPECT_EQ(run.Line(9, {{kScore, 0}}).level, Level::kWarning);
}

TEST(ValFakeZeroTest, OneSourceThatScoresIsEnough) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_TRUE(IsSilent(
      run.Line(5, {{kScore, 0}, {"val-core/other/reward/mean@1", 0.01}})));
}

TEST(ValFakeZeroTest, ThreePointsOfRewardAreNeeded) {
  FailureRun run = Solving();
  run.StepsTo(2);
  EXPECT_TRUE(IsAbsent(run.Line(2, {{kScore, 0}})));
  run.StepsTo(3);
  EXPECT_EQ(run.Line(3, {{kScore, 0}}).level, Level::kWarning);
}

TEST(ValFakeZeroTest, RewardCountsUpToTheStepOfTheValidation) {
  FailureRun run = Solving();
  run.StepsTo(5, {{kReward, 0}});
  run.StepsTo(9);
  EXPECT_TRUE(IsSilent(run.Line(6, {{kScore, 0}})));  // 0, 0, 0.5
  EXPECT_EQ(run.Line(7, {{kScore, 0}}).level, Level::kWarning);
}

TEST(ValFakeZeroTest, OneRoundedValidationIsNoEvidenceTwoAre) {
  FailureRun run = Solving();
  run.decimals = 3;
  run.StepsTo(5);
  EXPECT_TRUE(IsSilent(run.Line(5, {{kScore, 0}})));
  run.StepsTo(7);
  run.Line(7, {{"val-aux/num_turns/max", 9}});  // no score
  run.StepsTo(10);
  EXPECT_EQ(run.Line(10, {{kScore, 0}}).level, Level::kWarning);
  run.StepsTo(15);
  run.Line(15, {{kScore, 0.001}});
  run.StepsTo(20);
  EXPECT_TRUE(IsSilent(run.Line(20, {{kScore, 0}})));
}

TEST(ValFakeZeroTest, NanScoreIsNoZero) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_TRUE(IsSilent(run.Line(5, {{kScore, kNan}})));
  run.StepsTo(6, {{kReward, kNan}});
  EXPECT_EQ(run.Line(6, {{kScore, 0}}).level, Level::kWarning);
}

TEST(ValFakeZeroTest, OldKeysAreScores) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_EQ(run.Line(5, {{"val/test_score/tasks", 0}}).level, Level::kWarning);
}

TEST(ValFakeZeroTest, WithoutScoresOrRewardThereIsNoSeries) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_TRUE(IsAbsent(run.Line(
      5, {{"val-aux/num_turns/max", 0}, {"val-core/t/acc/best@4/mean", 0}})));
  run = Solving();
  run.base = {{"actor/pg_loss", 0}};
  run.StepsTo(5);
  EXPECT_TRUE(IsAbsent(run.Line(5, {{kScore, 0}})));
}

TEST(ValFakeZeroTest, RewindTakesTheValidationAlong) {
  FailureRun run = Solving();
  run.StepsTo(5);
  EXPECT_EQ(run.Line(5, {{kScore, 0}}).level, Level::kWarning);
  run.StepsTo(6);
  EXPECT_TRUE(IsAbsent(run.Step(4)));
}

FailureRun Validated() {
  FailureRun run(kValidationMissingRule);
  run.base = {{"actor/pg_loss", 0}};
  run.facts.test_freq = 5;
  return run;
}

TEST(ValidationMissingTest, TwoPeriodsWithoutAnyAreAWarning) {
  FailureRun run = Validated();
  EXPECT_TRUE(IsSilent(run.StepsTo(9)));
  const RuleResult r = run.Step(10);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{"steps without val", 10, 10, 10.0}));
}

TEST(ValidationMissingTest, CountsFromTheNewestOne) {
  FailureRun run = Validated();
  run.StepsTo(5);
  run.Line(5, {{kScore, 0.1}});
  EXPECT_EQ(run.FiresUpTo(30, {}), 15);
  run.Line(30, {{kScore, 0.1}});
  EXPECT_TRUE(IsSilent(run.Now()));
}

TEST(ValidationMissingTest, LogThatBeginsLateCountsItsOwnSteps) {
  FailureRun run = Validated();
  run.Step(101);
  EXPECT_EQ(run.FiresUpTo(130, {}), 110);
}

TEST(ValidationMissingTest, HealthyRhythmIsSilent) {
  FailureRun run = Validated();
  for (int step = 1; step <= 40; ++step) {
    EXPECT_TRUE(IsSilent(run.Step(step)));
    if (step % 5 != 0) continue;
    EXPECT_TRUE(IsSilent(run.Line(step, {{kScore, 0.1}})));
  }
}

TEST(ValidationMissingTest, WithoutAPlanThereIsNoSeries) {
  for (const auto freq : {std::optional<std::int64_t>(), {0}, {-1}}) {
    FailureRun run = Validated();
    run.facts.test_freq = freq;
    EXPECT_TRUE(IsAbsent(run.StepsTo(40)));
    run.Line(40, {{kScore, 0.1}});
    EXPECT_TRUE(IsSilent(run.StepsTo(80)));
  }
}

TEST(ValidationMissingTest, TwoInARowWithoutANumberAreAWarning) {
  FailureRun run = Validated();
  run.facts.test_freq.reset();
  run.StepsTo(5);
  EXPECT_TRUE(IsSilent(run.Line(5, {{kScore, kNan}})));
  run.StepsTo(7);
  EXPECT_TRUE(IsSilent(run.Line(7, {{"val-aux/num_turns/max", 3}})));
  run.StepsTo(10);
  const RuleResult r = run.Line(10, {{kScore, kNan}});
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.detail, "validations in a row gave no number");
  run.StepsTo(15);
  EXPECT_TRUE(IsSilent(run.Line(15, {{kScore, 0.5}})));
  run.StepsTo(20);
  EXPECT_TRUE(IsSilent(run.Line(20, {{kScore, kNan}})));
}

TEST(ValidationMissingTest, RewindStartsTheCountAgain) {
  FailureRun run = Validated();
  EXPECT_EQ(run.StepsTo(10).level, Level::kWarning);
  EXPECT_TRUE(IsSilent(run.Step(5)));
  EXPECT_EQ(run.FiresUpTo(20, {}), 10);
}

TEST(ValidationOverdueTest, TwiceTheLongestIsAWarning) {
  const FailureOptions options;
  EXPECT_TRUE(IsSilent(ValidationOverdue({199, 100}, options)));
  const RuleResult r = ValidationOverdue({200, 100}, options);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{"validation seconds", 0, 200, 200.0}));
}

TEST(ValidationOverdueTest, NothingIsKnownWithoutBothTimes) {
  const FailureOptions options;
  EXPECT_TRUE(IsAbsent(ValidationOverdue({}, options)));
  EXPECT_TRUE(IsAbsent(ValidationOverdue({9e9, {}}, options)));
  EXPECT_TRUE(IsAbsent(ValidationOverdue({{}, 100}, options)));
}

}  // namespace
}  // namespace rlrun
