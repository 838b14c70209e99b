#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kLr = "actor/lr";

TEST(LrAnomaly, ZeroOnFiveStepsAfterHavingBeenPositiveWarns) {
  QualityRun run("lr_anomaly");
  run.Feed(1, 10, kLr, 1e-6);
  run.Feed(11, 14, kLr, 0);
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.Feed(15, 15, kLr, 0).level, Level::kWarning);
  EXPECT_THAT(Texts(run.at(15)), ElementsAre("actor/lr@15=0 bound 0"));
  EXPECT_EQ(run.at(15).detail, "peak=1e-06");
}

TEST(LrAnomaly, ZeroOnlyUpToTheLastPlannedStep) {
  QualityRun run("lr_anomaly");
  run.facts.total_steps = 15;
  run.Feed(1, 10, kLr, 1e-6);
  run.Feed(11, 17, kLr, 0);
  EXPECT_TRUE(run.silent());
  QualityRun longer("lr_anomaly");
  longer.facts.total_steps = 16;
  longer.Feed(1, 10, kLr, 1e-6);
  longer.Feed(11, 16, kLr, 0);
  EXPECT_EQ(longer.level(15), Level::kWarning);
  EXPECT_EQ(longer.level(16), Level::kNone);
}

TEST(LrAnomaly, ZeroFromTheFirstStepOnIsAnothersBusiness) {
  QualityRun run("lr_anomaly");
  run.Feed(1, 30, kLr, 0);
  EXPECT_TRUE(run.silent());
}

TEST(LrAnomaly, JumpAfterADecayWarns) {
  QualityRun run("lr_anomaly");
  run.Step(1, {{kLr, 1e-6}});
  run.Step(2, {{kLr, 4e-7}});
  EXPECT_EQ(run.Step(3, {{kLr, 7e-7}}).level, Level::kWarning);
  EXPECT_THAT(Texts(run.at(3)), ElementsAre("actor/lr@3=7e-07 bound 6e-07"));
  EXPECT_EQ(run.at(3).detail, "previous=4e-07");
}

TEST(LrAnomaly, OneAndAHalfTimesIsTheBound) {
  for (const auto& [x, fires] : {std::pair{0.75, false}, {0.751, true}}) {
    QualityRun run("lr_anomaly");
    run.Step(1, {{kLr, 1}});
    run.Step(2, {{kLr, 0.5}});
    EXPECT_EQ(run.Step(3, {{kLr, x}}).level == Level::kWarning, fires) << x;
  }
}

TEST(LrAnomaly, DecayMeansAHundredthUnderThePeak) {
  for (const auto& [previous, fires] :
       {std::pair{0.99, true}, {0.991, false}}) {
    QualityRun run("lr_anomaly");
    run.Step(1, {{kLr, 1}});
    run.Step(2, {{kLr, previous}});
    EXPECT_EQ(run.Step(3, {{kLr, 2}}).level == Level::kWarning, fires);
  }
}

TEST(LrAnomaly, WarmUpIsNoDecay) {
  QualityRun run("lr_anomaly");
  for (int s = 1; s <= 12; ++s) run.Step(s, {{kLr, 1e-7 * (s - 1) * s}});
  EXPECT_TRUE(run.silent());
}

TEST(LrAnomaly, RiseFromAFlatValueIsNoDecay) {
  QualityRun run("lr_anomaly");
  run.Step(1, {{kLr, 1}});
  run.Feed(2, 4, kLr, 0.1);
  EXPECT_EQ(run.Step(5, {{kLr, 1}}).level, Level::kNone);
  // Two points are too few to know.
  QualityRun two("lr_anomaly");
  two.Step(1, {{kLr, 0.1}});
  EXPECT_EQ(two.Step(2, {{kLr, 1}}).level, Level::kNone);
}

TEST(LrAnomaly, PeakOutlivesTheKeptPoints) {
  QualityRun run("lr_anomaly");
  run.Step(1, {{kLr, 1}});
  run.Feed(2, 900, kLr, 0.985);
  run.Step(901, {{kLr, 0.98}});
  EXPECT_EQ(run.Step(902, {{kLr, 2}}).level, Level::kWarning);
}

TEST(LrAnomaly, NegativeOrNotFiniteIsCritical) {
  for (const double x : {-1e-12, kNan, kInf, -kInf}) {
    QualityRun run("lr_anomaly");
    run.Step(1, {{kLr, 1e-6}});
    EXPECT_EQ(run.Step(2, {{kLr, x}}).level, Level::kCritical) << x;
    EXPECT_EQ(run.at(2).evidence[0].key, "actor/lr");
    EXPECT_EQ(run.at(2).evidence[0].step, 2);
  }
  QualityRun run("lr_anomaly");
  EXPECT_EQ(run.Step(1, {{kLr, 0}}).level, Level::kNone);
}

TEST(LrAnomaly, RoundingConsoleTellsOnlyWhatIsNoNumber) {
  QualityRun run("lr_anomaly");
  run.decimals = 3;
  run.Step(1, {{kLr, 0.002}});
  run.Step(2, {{kLr, 0.001}});
  run.Step(3, {{kLr, 0.002}});
  run.Feed(4, 20, kLr, 0);
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.Step(21, {{kLr, -0.001}}).level, Level::kCritical);
}

TEST(LrAnomaly, NanIsNoPointOfTheFiveZeros) {
  QualityRun run("lr_anomaly");
  run.Feed(1, 10, kLr, 1e-6);
  run.Feed(11, 14, kLr, 0);
  EXPECT_EQ(run.Step(15, {{kLr, kNan}}).level, Level::kCritical);
  EXPECT_EQ(run.Step(16, {{kLr, 0}}).level, Level::kWarning);
}

TEST(LrAnomaly, RewindTakesThePeakBack) {
  QualityRun run("lr_anomaly");
  run.Step(1, {{kLr, 1}});
  run.Step(2, {{kLr, 5}});
  run.Step(2, {{kLr, 1}});
  run.Step(3, {{kLr, 0.995}});
  EXPECT_EQ(run.Step(4, {{kLr, 2}}).level, Level::kNone);
  QualityRun again("lr_anomaly");
  again.Step(1, {{kLr, 1}});
  again.Step(2, {{kLr, 5}});
  again.Step(3, {{kLr, 5}});
  again.Step(2, {{kLr, 0.995}});
  EXPECT_EQ(again.Step(3, {{kLr, 2}}).level, Level::kNone);
}

TEST(LrAnomaly, CosineToTheEndIsSilent) {
  QualityRun run("lr_anomaly");
  run.facts.total_steps = 200;
  for (int s = 1; s <= 200; ++s) {
    const double warm = std::min(1.0, s / 10.0);
    run.Step(s, {{kLr, 5e-7 * warm * (1 + std::cos(M_PI * s / 200))}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(LrAnomaly, MissingKeyIsNotEvaluated) {
  QualityRun run("lr_anomaly");
  EXPECT_EQ(run.Feed(1, 3, "actor/pg_loss", 0).kind, Kind::kNotApplicable);
  run.Step(4, {{kLr, 1}});
  EXPECT_EQ(run.Feed(5, 5, "actor/pg_loss", 0).kind, Kind::kNotEvaluated);
}

}  // namespace
}  // namespace rlrun
