#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kMath = "val-core/math/acc/mean@8";
constexpr auto kCode = "val-core/code/acc/mean@8";

// Validations at steps 10, 20, ... of one data source.
QualityRun Validated(const std::vector<double>& scores,
                     std::string_view key = kMath) {
  QualityRun run("eval_regression");
  std::int64_t step = 0;
  for (const double x : scores) {
    step += 10;
    run.Validation(step, {{key, x}});
  }
  return run;
}

TEST(EvalRegression, MeanOfTwoUnderTheBestMeanOfTwoWarns) {
  // Best 0.6, 20 % of it 0.12; noise: median of .4 .0 .0 .125 .0 is 0.
  QualityRun run = Validated({0.2, 0.6, 0.6, 0.6, 0.475, 0.475});
  EXPECT_EQ(run.first(Level::kWarning), 60);
  EXPECT_THAT(Texts(run.at(60)),
              ElementsAre("val-core/math/acc/mean@8@60=0.475 bound 0.48"));
  EXPECT_EQ(run.at(60).detail, "mean of two=0.475, best=0.6");
  EXPECT_TRUE(Validated({0.2, 0.6, 0.6, 0.6, 0.49, 0.49}).silent());
}

TEST(EvalRegression, ExactlyTheBoundIsSilent) {
  // 20 % of 1.25 is 0.25.
  EXPECT_TRUE(Validated({0.5, 1.25, 1.25, 1.25, 1, 1, 1}).silent());
}

TEST(EvalRegression, FiveHundredthsIsTheLeastLoss) {
  EXPECT_TRUE(Validated({0.01, 0.1, 0.1, 0.1, 0.055, 0.055}).silent());
  EXPECT_FALSE(Validated({0.01, 0.1, 0.1, 0.1, 0.045, 0.045}).silent());
}

TEST(EvalRegression, OneBadValidationIsNotEnough) {
  EXPECT_TRUE(Validated({0.5, 0.6, 0.6, 0.6, 0.45}).silent());
}

TEST(EvalRegression, JumpyValidationsNeedFourTimesTheirNoise) {
  // noise = 1.0483 x 0.1, four of them are 0.419.
  const std::vector<double> start = {0, 0.75, 0.85, 0.75, 0.85, 0.75, 0.85};
  for (const auto& [low, fires] : {std::pair{0.4, false}, {0.3, true}}) {
    std::vector<double> scores = start;
    for (const double swing : {0.05, -0.05, 0.05}) {
      scores.push_back(low + swing);
    }
    EXPECT_EQ(Validated(scores).first(Level::kWarning).has_value(), fires)
        << low;
  }
}

TEST(EvalRegression, UnderTheFirstValidationIsCritical) {
  QualityRun run = Validated({0.6, 0.6, 0.6, 0.475, 0.475});
  EXPECT_EQ(run.first(Level::kCritical), 50);
  EXPECT_THAT(Texts(run.at(50)),
              ElementsAre("val-core/math/acc/mean@8@50=0.475 bound 0.48"));
  EXPECT_EQ(run.at(50).detail, "mean of two=0.475, best=0.6, start=0.6");
}

TEST(EvalRegression, ExactlyTheBoundOfTheFirstIsSilent) {
  EXPECT_TRUE(
      Validated({1.25, 0, 0, 0, 1, 1}).first(Level::kCritical).has_value());
  QualityRun run = Validated({1.25, 1, 1, 1, 1});
  EXPECT_TRUE(run.silent());
}

TEST(EvalRegression, NeedsThreeValidations) {
  QualityRun run = Validated({0.9, 0.1, 0.1});
  EXPECT_EQ(run.at(20).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.at(30).kind, Kind::kEvaluated);
}

TEST(EvalRegression, TwoValidationsHaveANoiseWhereTwoAreEnough) {
  QualityRun run("eval_regression");
  run.rules.options.quality.eval_regression.validations = 2;
  run.Validation(10, {{kMath, 0.9}});
  EXPECT_EQ(run.Validation(20, {{kMath, 0.5}}).kind, Kind::kEvaluated);
  EXPECT_TRUE(run.silent());
}

TEST(EvalRegression, OnlySourcesOfEveryValidationCount) {
  QualityRun run("eval_regression");
  run.Validation(10, {{kMath, 0.5}, {kCode, 0.9}});
  run.Validation(20, {{kMath, 0.5}, {kCode, 0.9}});
  run.Validation(30, {{kMath, 0.5}});  // its line was cut
  run.Validation(40, {{kMath, 0.5}});
  run.Validation(50, {{kMath, 0.5}, {kCode, 0.0}});
  run.Validation(60, {{kMath, 0.5}, {kCode, 0.0}});
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.at(60).kind, Kind::kEvaluated);
}

TEST(EvalRegression, NoCommonSourceIsNotEvaluated) {
  QualityRun run("eval_regression");
  run.Validation(10, {{kMath, 0.5}});
  run.Validation(20, {{kCode, 0.5}});
  EXPECT_EQ(run.Validation(30, {{kMath, 0.1}}).kind, Kind::kNotEvaluated);
}

TEST(EvalRegression, MeanOverTheSourcesIsJudgedAndEachIsNamed) {
  QualityRun run("eval_regression");
  for (int v = 1; v <= 3; ++v) {
    run.Validation(10 * v, {{kMath, 0.8}, {kCode, 0.4}});
  }
  run.Validation(40, {{kMath, 0.3}, {kCode, 0.6}});
  run.Validation(50, {{kMath, 0.3}, {kCode, 0.6}});
  EXPECT_EQ(run.level(50), Level::kCritical);
  EXPECT_THAT(Texts(run.at(50)),
              ElementsAre("val-core/code/acc/mean@8@50=0.6",
                          "val-core/math/acc/mean@8@50=0.3"));
}

TEST(EvalRegression, FourSourcesAreNamedAtMost) {
  QualityRun run("eval_regression");
  for (int v = 1; v <= 6; ++v) {
    QualityRun::Values values;
    static const std::vector<std::string> keys = {
        "val/test_score/a", "val/test_score/b", "val/test_score/c",
        "val/test_score/d", "val/test_score/e"};
    for (const std::string& key : keys) {
      values.emplace_back(key, v > 4 ? 0.1 : 0.9);
    }
    run.Validation(v, values);
  }
  EXPECT_EQ(run.at(6).evidence.size(), 4u);
}

TEST(EvalRegression, ConfiguredBaselineStandsForTheFirstValidation) {
  QualityRun run("eval_regression");
  run.rules.baseline[kMath] = 0.9;
  for (int v = 1; v <= 4; ++v) {
    run.Validation(v, {{kMath, 0.5}, {kCode, 0.2}});
  }
  EXPECT_EQ(run.level(4), Level::kCritical);
  EXPECT_THAT(Texts(run.at(4)),
              ElementsAre("val-core/math/acc/mean@8@4=0.5 bound 0.72"));
  QualityRun low("eval_regression");
  low.rules.baseline[kMath] = 0.5;
  for (const double x : {0.9, 0.4, 0.45, 0.45}) {
    low.Validation(static_cast<int>(low.history.validations().size()) + 1,
                   {{kMath, x}});
  }
  EXPECT_FALSE(low.first(Level::kCritical));
}

TEST(EvalRegression, FirstValidationOutlivesTheKeptOnes) {
  std::vector<double> scores = {0.9};
  for (int v = 0; v < 80; ++v) scores.push_back(0.5);
  QualityRun run = Validated(scores);
  EXPECT_EQ(run.level(810), Level::kCritical);
  // The carried one pairs with none: 0.5 is the best mean of two.
  EXPECT_EQ(run.at(810).detail, "start=0.9");
  // While it is kept it does.
  EXPECT_EQ(Validated({0.9, 0.9, 0.5, 0.5, 0.5}).at(50).detail,
            "mean of two=0.5, best=0.9, start=0.9");
}

TEST(EvalRegression, BestPairMayFollowAValidationWithoutScores) {
  QualityRun run = Validated({kNan, 0.9, 0.9, 0.5, 0.5, 0.5});
  EXPECT_EQ(run.at(60).detail, "mean of two=0.5, best=0.9, start=0.9");
}

TEST(EvalRegression, NanScoresAreNoValidation) {
  QualityRun run("eval_regression");
  run.Validation(10, {{kMath, 0.6}});
  run.Validation(20, {{kMath, 0.6}});
  run.Validation(30, {{kMath, 0.6}});
  EXPECT_EQ(run.Validation(40, {{kMath, kNan}}).kind, Kind::kNotEvaluated);
  run.Validation(50, {{kMath, 0.4}});
  EXPECT_EQ(run.level(50), Level::kNone);
  EXPECT_EQ(run.Validation(60, {{kMath, 0.4}}).level, Level::kCritical);
}

TEST(EvalRegression, RewindForgetsLaterValidations) {
  QualityRun run("eval_regression");
  run.Step(1, {{"actor/pg_loss", 0}});
  for (int v = 1; v <= 4; ++v) {
    run.Step(10 * v, {{"actor/pg_loss", 0}, {kMath, v < 3 ? 0.5 : 0.9}});
  }
  run.Step(30, {{"actor/pg_loss", 0}, {kMath, 0.5}});
  run.Step(40, {{"actor/pg_loss", 0}, {kMath, 0.5}});
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.at(40).kind, Kind::kEvaluated);
}

TEST(EvalRegression, DoesNotApplyWithoutMainScores) {
  QualityRun run("eval_regression");
  for (int v = 1; v <= 5; ++v) {
    run.Validation(
        v, {{"val-core/math/acc/best@8/mean", 1.0 / v}, {"val/loss", 0.1 * v}});
  }
  EXPECT_EQ(run.at(5).kind, Kind::kNotApplicable);
}

TEST(EvalRegression, RisingScoresAreSilent) {
  std::vector<double> scores;
  for (int v = 0; v < 40; ++v) scores.push_back(0.2 + 0.01 * v);
  EXPECT_TRUE(Validated(scores).silent());
}

}  // namespace
}  // namespace rlrun
