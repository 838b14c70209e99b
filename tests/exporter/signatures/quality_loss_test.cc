#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kLoss = "train/loss";
constexpr auto kVfLoss = "critic/vf_loss";

TEST(LossSpike, ATenthAboveAQuietLossWarns) {
  QualityRun run("loss_spike");
  run.Feed(1, 39, kLoss, 1);
  run.Feed(40, 40, kLoss, 1.1);
  run.Feed(41, 60, kLoss, 1);
  EXPECT_EQ(run.first(Level::kWarning), 40);
  EXPECT_THAT(Texts(run.at(40)), ElementsAre("train/loss@40=1.1 bound 1.1"));
  EXPECT_EQ(run.at(40).detail, "median before=1");
  EXPECT_EQ(run.level(41), Level::kNone);
}

TEST(LossSpike, LessThanATenthIsSilent) {
  QualityRun run("loss_spike");
  run.Feed(1, 39, kLoss, 1);
  run.Feed(40, 41, kLoss, 1.099);
  EXPECT_TRUE(run.silent());
}

TEST(LossSpike, IsJudgedFromThe30thPointOn) {
  QualityRun run("loss_spike");
  run.Feed(1, 28, kLoss, 1);
  EXPECT_EQ(run.Step(29, {{kLoss, 5}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(30, {{kLoss, 5}}).level, Level::kWarning);
  // The point before the 30th is no hit for the count of hits either.
  run.Feed(31, 31, kLoss, 5);
  EXPECT_EQ(run.level(31), Level::kWarning);
  EXPECT_EQ(run.Step(32, {{kLoss, 5}}).level, Level::kCritical);
}

TEST(LossSpike, EightTimesTheNoiseIsTheBoundOfAJumpyLoss) {
  // noise = 1.0483 x 0.1, eight of them are 0.8386.
  for (const auto& [x, fires] : {std::pair{1.83, false}, {1.85, true}}) {
    QualityRun run("loss_spike");
    run.Swing(1, 39, kLoss, 1, 0.05);
    EXPECT_EQ(run.Step(40, {{kLoss, x}}).level == Level::kWarning, fires) << x;
  }
}

TEST(LossSpike, ExactlyEightTimesTheNoiseIsAHit) {
  for (const auto& [x, fires] : {std::pair{0.004, true}, {0.0039, false}}) {
    QualityRun run("loss_spike");
    run.decimals = 3;  // the noise is never under 0.0005
    run.Feed(1, 39, kVfLoss, 0);
    EXPECT_EQ(run.Step(40, {{kVfLoss, x}}).level != Level::kNone, fires) << x;
  }
}

TEST(LossSpike, ConstantZeroIsNoSpike) {
  QualityRun run("loss_spike");
  EXPECT_EQ(run.Feed(1, 60, kVfLoss, 0).kind, Kind::kEvaluated);
  EXPECT_TRUE(run.silent());
}

TEST(LossSpike, ThreeHitsInTwentyStepsAreCritical) {
  for (const int third : {59, 60}) {
    QualityRun run("loss_spike");
    for (int s = 1; s <= 70; ++s) {
      const bool hit = s == 40 || s == 45 || s == third;
      // Every second step number only: the window counts steps, not numbers.
      run.Step(2 * s, {{kLoss, hit ? 1.5 : 1}});
    }
    EXPECT_EQ(run.first(Level::kWarning), 80);
    EXPECT_EQ(run.level(2 * third),
              third == 59 ? Level::kCritical : Level::kWarning);
    EXPECT_EQ(run.level(2 * third + 2), Level::kNone);
  }
}

TEST(LossSpike, ThreeHitsStayCriticalWhileTheyAreInTheWindow) {
  QualityRun run("loss_spike");
  for (int s = 1; s <= 70; ++s) {
    const bool hit = s == 40 || s == 42 || s == 44;
    run.Step(s, {{kLoss, hit ? 1.5 : 1}});
  }
  EXPECT_EQ(run.first(Level::kCritical), 44);
  EXPECT_EQ(run.level(59), Level::kCritical);
  EXPECT_EQ(run.level(60), Level::kNone);
  EXPECT_THAT(Texts(run.at(59)), ElementsAre("train/loss@44=1.5 bound 1.1"));
  EXPECT_EQ(run.at(59).detail, "hits=3");
}

TEST(LossSpike, TenTimesTheLargestLossIsCritical) {
  for (const auto& [x, level] :
       {std::pair{20.0, Level::kWarning}, {20.1, Level::kCritical}}) {
    QualityRun run("loss_spike");
    run.Feed(1, 10, kLoss, 50);  // a start is no measure
    run.Feed(11, 11, kLoss, 2);
    run.Feed(12, 39, kLoss, 1);
    EXPECT_EQ(run.Step(40, {{kLoss, x}}).level, level) << x;
    // The largest counts before the hit itself, and afterwards with it.
    EXPECT_EQ(run.Step(41, {{kLoss, x}}).level, Level::kWarning);
  }
  QualityRun run("loss_spike");
  run.Feed(1, 39, kLoss, 1);
  EXPECT_THAT(Texts(run.Step(40, {{kLoss, 10.5}})),
              ElementsAre("train/loss@40=10.5 bound 10"));
  EXPECT_EQ(run.at(40).detail, "largest before=1");
}

TEST(LossSpike, LargestLossOutlivesTheKeptPoints) {
  QualityRun run("loss_spike");
  run.Feed(1, 20, kLoss, 4);
  run.Feed(21, 900, kLoss, 1);
  EXPECT_EQ(run.Step(901, {{kLoss, 39}}).level, Level::kWarning);
  EXPECT_EQ(run.Step(901, {{kLoss, 41}}).level, Level::kCritical);
}

TEST(LossSpike, ValueLossIsJudgedToo) {
  QualityRun run("loss_spike");
  run.Feed(1, 39, kVfLoss, 1);
  EXPECT_THAT(Texts(run.Step(40, {{kVfLoss, 3}})),
              ElementsAre("critic/vf_loss@40=3 bound 1.1"));
}

TEST(LossSpike, PolicyAndKlLossNeverSpike) {
  for (const auto key : {"actor/pg_loss", "actor/kl_loss"}) {
    QualityRun run("loss_spike");
    run.Feed(1, 39, key, 1e-4);
    EXPECT_EQ(run.Feed(40, 60, key, 1000).kind, Kind::kNotApplicable);
  }
}

TEST(LossSpike, NanInTheWindowIsNoPoint) {
  QualityRun run("loss_spike");
  run.Feed(1, 38, kLoss, 1);
  EXPECT_EQ(run.Step(39, {{kLoss, kNan}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(40, {{kLoss, 1.2}}).level, Level::kWarning);
}

TEST(LossSpike, RewindDropsTheHits) {
  QualityRun run("loss_spike");
  run.Feed(1, 39, kLoss, 1);
  run.Feed(40, 40, kLoss, 30);
  run.Feed(41, 41, kLoss, 30);
  run.Feed(40, 41, kLoss, 1);
  EXPECT_EQ(run.Step(42, {{kLoss, 10.5}}).level, Level::kCritical);
  EXPECT_EQ(run.at(42).detail, "largest before=1");
}

// 1 for 30 points, then `late`.
QualityRun Rising(double late, std::string_view key = kLoss) {
  QualityRun run("loss_divergence");
  run.Feed(1, 30, key, 1);
  run.Feed(31, 60, key, late);
  return run;
}

TEST(LossDivergence, TenPointsInARowAreCritical) {
  // M_10 is 1.5 at 35 and 2 from 36 on; at 46 it rises no more.
  QualityRun run = Rising(2);
  EXPECT_EQ(run.first(Level::kCritical), 44);
  EXPECT_EQ(run.level(45), Level::kCritical);
  EXPECT_EQ(run.level(46), Level::kNone);
  EXPECT_THAT(Texts(run.at(44)), ElementsAre("train/loss@44=2 bound 1.2"));
  EXPECT_EQ(run.at(44).detail, "M_10=2");
}

TEST(LossDivergence, AFifthAboveTheBestIsTheBound) {
  EXPECT_TRUE(Rising(1.2).silent());
  EXPECT_EQ(Rising(1.25).first(Level::kCritical), 45);
}

TEST(LossDivergence, NinePointsAreNotTen) {
  // Six points of 1.25 hold M_10 up on 36..44 only.
  QualityRun run("loss_divergence");
  run.Feed(1, 30, kLoss, 1);
  run.Feed(31, 39, kLoss, 1.25);
  run.Feed(40, 60, kLoss, 1);
  EXPECT_TRUE(run.silent());
}

TEST(LossDivergence, ThreeTimesTheNoiseIsTheBoundOfAJumpyLoss) {
  // noise = 1.0483 x 0.4, three of them are 1.258.
  for (const auto& [rise, fires] : {std::pair{1.2, false}, {1.35, true}}) {
    QualityRun run("loss_divergence");
    run.Swing(1, 60, kLoss, 1, 0.2);
    // M_10 must rise on, or 10 points in a row cannot be had.
    for (int s = 61; s <= 90; ++s) {
      const double swing = s % 2 == 0 ? 0.2 : -0.2;
      run.Step(s, {{kLoss, 1 + rise + 0.002 * (s - 61) + swing}});
    }
    EXPECT_EQ(!run.silent(), fires) << rise;
  }
}

TEST(LossDivergence, BestIsForgottenAfterTwoHundredPoints) {
  for (const auto& [rise, fires] : {std::pair{211, true}, {212, false}}) {
    QualityRun run("loss_divergence");
    run.Feed(1, 20, kLoss, 0.1);  // M_10 is 0.55 at 25 and 1 from 26 on
    run.Feed(21, rise - 1, kLoss, 1);
    // M_10 turns to 1 at 25 to 35: that is a divergence of its own.
    const std::size_t before = run.evaluated();
    EXPECT_GT(before, 0u);
    run.Feed(rise, rise + 30, kLoss, 1.15);
    EXPECT_EQ(run.level(rise + 13) == Level::kCritical, fires) << rise;
    EXPECT_EQ(run.level(rise + 14), Level::kNone) << rise;
    if (!fires) continue;
    // The best of the newest point, not that of ten points ago.
    EXPECT_THAT(Texts(run.at(rise + 13)),
                ElementsAre("train/loss@224=1.15 bound 0.66"));
  }
}

TEST(LossDivergence, NeedsTwentyNinePoints) {
  QualityRun run("loss_divergence");
  EXPECT_EQ(run.Feed(1, 28, kLoss, 1).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Feed(29, 29, kLoss, 1).kind, Kind::kEvaluated);
}

TEST(LossDivergence, FallingLossIsSilent) {
  QualityRun run("loss_divergence");
  for (int s = 1; s <= 600; ++s) run.Step(s, {{kLoss, 3.0 / (1 + 0.01 * s)}});
  EXPECT_TRUE(run.silent());
}

TEST(LossDivergence, ValueAndValidationLossAreJudgedPolicyLossIsNot) {
  EXPECT_EQ(Rising(2, kVfLoss).first(Level::kCritical), 44);
  EXPECT_EQ(Rising(2, "actor/pg_loss").at(60).kind, Kind::kNotApplicable);
  QualityRun run("loss_divergence");
  for (int s = 1; s <= 45; ++s) {
    run.Step(s, {{kLoss, 1}});
    run.Validation(s, {{"val/loss", s <= 30 ? 1 : 2}});
  }
  EXPECT_EQ(run.first(Level::kCritical), 44);
  EXPECT_THAT(Texts(run.at(44)), ElementsAre("val/loss@44=2 bound 1.2"));
}

TEST(LossDivergence, NanIsNoPointAndARewindTakesBack) {
  QualityRun run("loss_divergence");
  run.Feed(1, 30, kLoss, 1);
  run.Feed(31, 40, kLoss, 2);
  EXPECT_EQ(run.Step(41, {{kLoss, kNan}}).kind, Kind::kNotEvaluated);
  run.Feed(42, 44, kLoss, 2);
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.Feed(45, 45, kLoss, 2).level, Level::kCritical);
  run.Feed(36, 60, kLoss, 1);
  EXPECT_TRUE(run.silent());
}

TEST(Plateau, NothingBetterForAHundredPointsIsInfo) {
  QualityRun run("plateau");
  run.Feed(1, 50, kLoss, 2);  // M_50 is 1.5 at 75 and 1 from 76 on
  run.Feed(51, 200, kLoss, 1);
  EXPECT_EQ(run.at(149).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.at(150).kind, Kind::kEvaluated);
  EXPECT_EQ(run.first(Level::kInfo), 176);
  EXPECT_THAT(Texts(run.at(176)), ElementsAre("train/loss@176=1 bound 0.999"));
  EXPECT_EQ(run.at(176).detail, "best M_50=1");
}

TEST(Plateau, AThousandthBetterIsSilent) {
  for (const auto& [late, fires] : {std::pair{999.0, false}, {999.5, true}}) {
    QualityRun run("plateau");
    run.Feed(1, 110, kLoss, 1000);
    run.Feed(111, 230, kLoss, late);
    EXPECT_EQ(run.level(230) == Level::kInfo, fires) << late;
  }
}

TEST(Plateau, BestOfTheNewestHundredIsTheSmallest) {
  // M_50 dips to 0.5 within the newest hundred points and comes back.
  QualityRun run("plateau");
  run.Feed(1, 110, kLoss, 1);
  run.Feed(111, 140, kLoss, 0.5);
  run.Feed(141, 230, kLoss, 1);
  // The dip of M_50 lasts from 136 to 164.
  EXPECT_EQ(run.level(230), Level::kNone);
}

TEST(Plateau, FallingLossIsSilent) {
  QualityRun run("plateau");
  for (int s = 1; s <= 500; ++s) run.Step(s, {{kLoss, 3 - 0.005 * s}});
  EXPECT_TRUE(run.silent());
}

TEST(Plateau, ValueLossIsNotJudged) {
  QualityRun run("plateau");
  EXPECT_EQ(run.Feed(1, 200, kVfLoss, 1).kind, Kind::kNotApplicable);
  QualityRun nan("plateau");
  nan.Feed(1, 160, kLoss, 1);
  EXPECT_EQ(nan.Step(161, {{kLoss, kNan}}).kind, Kind::kNotEvaluated);
}

TEST(Plateau, BestBeforeSurvivesARewind) {
  QualityRun run("plateau");
  run.Feed(1, 50, kLoss, 2);
  run.Feed(51, 120, kLoss, 1);
  run.Feed(121, 200, kLoss, 0.001);
  run.Feed(121, 176, kLoss, 1);
  EXPECT_EQ(run.first(Level::kInfo), 176);
}

}  // namespace
}  // namespace rlrun
