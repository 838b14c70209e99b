#include "exporter/report/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;

std::vector<Curve> CurvesOf(RunBuilder& run) {
  return MakeCurves(run.history(), run.judge().StepJudgement());
}
// The curve of a key; an empty one: there is none.
Curve CurveOf(RunBuilder& run, const std::string& key) {
  for (Curve& curve : CurvesOf(run)) {
    if (curve.key == key) return std::move(curve);
  }
  return {};
}

TEST(MakeCurves, ValuesThatAreNoNumberAreKept) {
  RunBuilder run;
  run.Key("critic/rewards/mean",
          [](int i) { return i < 5 ? 0.1 * i : RunBuilder::kNan; });
  run.Key("actor/lr", 1e-6).Play(1, 7);
  const Curve curve = CurveOf(run, "critic/rewards/mean");
  EXPECT_EQ(curve.points.size(), 4u);
  ASSERT_EQ(curve.unused.size(), 3u);
  EXPECT_EQ(curve.unused[0].step, 5);
  EXPECT_TRUE(std::isnan(curve.unused[0].value));
  EXPECT_EQ(curve.last_step, 7);
  ASSERT_FALSE(curve.active.empty());
  EXPECT_EQ(curve.active[0].name, "nan_inf");
  run.Line(5, {{"critic/rewards/mean", 0.5}, {"actor/lr", 1e-6}});
  EXPECT_TRUE(CurveOf(run, "critic/rewards/mean").unused.empty());
}

TEST(MakeCurves, LossThatWasNeverANumberHasACurve) {
  RunBuilder run;
  run.Key("actor/pg_loss", RunBuilder::kNan).Key("actor/lr", 1e-6).Play(1, 4);
  EXPECT_EQ(CurveOf(run, "actor/pg_loss").unused.size(), 4u);
}

TEST(MakeCurves, GradientNormsOfTiedStepsAreLeftOutAndShown) {
  RunBuilder run;
  run.Key("critic/score/mean", 0.5).Key("critic/score/max", 1);
  run.Key("critic/score/min", [](int i) { return i > 3 ? 1 : 0; });
  run.Key("actor/grad_norm", [](int i) { return i > 3 ? 9e-5 : 17; });
  run.Play(1, 5);
  const Curve curve = CurveOf(run, "actor/grad_norm");
  EXPECT_EQ(curve.points.size(), 3u);
  ASSERT_EQ(curve.unused.size(), 2u);
  EXPECT_EQ(curve.unused[1].value, 9e-5);
  EXPECT_NE(curve.unused_why, "");
}

TEST(MakeCurves, FailedCheckIsMarkedFromItsFirstStep) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6);
  run.Key("response/aborted_ratio", [](int i) { return i < 4 ? 0.0 : 0.5; });
  run.Play(1, 8);
  const std::vector<Curve> curves = CurvesOf(run);
  ASSERT_FALSE(curves.empty());
  EXPECT_EQ(curves[0].key, "response/aborted_ratio");  // what is sick is first
  ASSERT_EQ(curves[0].active.size(), 1u);
  EXPECT_EQ(curves[0].active[0].name, "aborted_ratio");
  EXPECT_EQ(curves[0].active[0].since, 4);
  ASSERT_EQ(curves[0].bounds.size(), 1u);
  EXPECT_EQ(curves[0].bounds[0].text, "healthy at most 0.05");
}

TEST(MakeCurves, ShareIsPlottedAgainstTheBoundOfShares) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6);
  run.Key("trajectory_filter/reason/agent_completed", 50);
  run.Key("trajectory_filter/reason/env_setup_failed", 50).Play(1, 4);
  const Curve curve = CurveOf(run, "trajectory_filter/reason/env_setup_failed");
  ASSERT_EQ(curve.points.size(), 4u);
  EXPECT_EQ(curve.points[0].value, 0.5);
  EXPECT_THAT(curve.note, HasSubstr("share"));
  ASSERT_FALSE(curve.bounds.empty());
  EXPECT_EQ(curve.bounds[0].value, 0.02);
}

TEST(MakeCurves, LearningRateMustBeMoreThanItsBound) {
  RunBuilder run;
  run.Key("actor/lr", 0).Play(1, 4);
  const Curve curve = CurveOf(run, "actor/lr");
  ASSERT_FALSE(curve.bounds.empty());
  EXPECT_EQ(curve.bounds[0].text, "healthy more than 0");
  ASSERT_FALSE(curve.active.empty());
  EXPECT_EQ(curve.active[0].name, "frozen_model");
}

TEST(MakeCurves, BoundThatFiredIsDrawn) {
  RunBuilder run;
  run.Key("actor/kl_loss", [](int i) { return i < 30 ? 0.01 : 0.3; });
  run.Play(1, 40);
  const Curve curve = CurveOf(run, "actor/kl_loss");
  ASSERT_EQ(curve.bounds.size(), 1u);
  EXPECT_EQ(curve.bounds[0].text, "kl_blowup above 0.2");
}

// All scores are equal: that is a matter of the reward.
TEST(MakeCurves, NoSignalIsMarkedOnTheReward) {
  RunBuilder run;
  run.Key("critic/score/mean", 1).Key("critic/score/max", 1);
  run.Key("critic/score/min", 1).Play(1, 12);
  const Curve curve = CurveOf(run, "critic/score/mean");
  ASSERT_FALSE(curve.active.empty());
  EXPECT_EQ(curve.active[0].name, "no_signal");
}

TEST(MakeCurves, HealthyRewardIsNotMarkedByAFakeZero) {
  RunBuilder run;
  run.Key("critic/score/mean", 0.5).Play(1, 10);
  run.Line(10, {{"val-core/a/acc/mean@8", 0}, {"val-core/b/acc/mean@8", 0}});
  EXPECT_TRUE(CurveOf(run, "critic/score/mean").active.empty());
  const Curve curve = CurvesOf(run)[0];
  EXPECT_EQ(curve.key, "");
  EXPECT_THAT(curve.note, HasSubstr("of 2 data sources"));
  ASSERT_FALSE(curve.active.empty());
  EXPECT_EQ(curve.active[0].name, "val_fake_zero");
}

TEST(MakeCurves, StepTimeSaysWhatIsNotInIt) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6).Key("timing_s/step", 120);
  run.Key("timing_s/testing", 30).Play(1, 3);
  const Curve curve = CurveOf(run, "timing_s/step");
  EXPECT_EQ(curve.points[0].value, 90);
  EXPECT_EQ(curve.note, "without validation and checkpoint");
}

// The newest value may be on the other side of a bound of medians.
TEST(EvidenceSide, IsTheOneOfWhatIsCompared) {
  EXPECT_EQ(SideOf({"k", 1, 0.1, 0.2, Side::kAbove}), Side::kAbove);
  EXPECT_EQ(SideOf({"k", 1, 0.1, 0.2}), Side::kBelow);
  EXPECT_EQ(SideOf({"k", 1, 0.2, 0.2}), Side::kNone);
  EXPECT_EQ(SideOf({"k", 1, 0.2, {}}), Side::kNone);
}

}  // namespace
}  // namespace rlrun
