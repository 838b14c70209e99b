#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kKlLoss = "actor/kl_loss";
constexpr auto kPpoKl = "actor/ppo_kl";
constexpr auto kK3 = "rollout_corr/k3_kl";

QualityRun KlLoss(double early, int early_steps, double late) {
  QualityRun run("kl_blowup");
  run.Feed(1, early_steps, kKlLoss, early);
  run.Feed(early_steps + 1, early_steps + 10, kKlLoss, late);
  return run;
}

TEST(KlBlowup, FloorOfTheKlLoss) {
  QualityRun run = KlLoss(0.001, 12, 0.201);
  EXPECT_EQ(run.first(Level::kWarning), 15);
  EXPECT_THAT(Texts(run.at(15)),
              ElementsAre("actor/kl_loss@15=0.201 bound 0.2"));
  EXPECT_EQ(run.at(15).detail, "M_5(kl_loss)=0.201");
  EXPECT_TRUE(KlLoss(0.001, 12, 0.2).silent());
}

TEST(KlBlowup, CriticalFloorOfTheKlLoss) {
  EXPECT_FALSE(KlLoss(0.001, 12, 1).first(Level::kCritical));
  QualityRun run = KlLoss(0.001, 12, 1.01);
  EXPECT_EQ(run.first(Level::kCritical), 15);
  EXPECT_THAT(Texts(run.at(15)), ElementsAre("actor/kl_loss@15=1.01 bound 1"));
}

TEST(KlBlowup, FourTimesTheFirstPointsWhileThereIsNoT) {
  EXPECT_TRUE(KlLoss(0.1, 12, 0.4).silent());
  EXPECT_EQ(KlLoss(0.1, 12, 0.41).first(Level::kWarning), 15);
}

TEST(KlBlowup, FourTimesTheTrailingPoints) {
  for (const auto& [late, fires] : {std::pair{2.0, false}, {2.01, true}}) {
    QualityRun run("kl_blowup");
    run.Feed(1, 10, kKlLoss, 0.3);
    run.Feed(11, 60, kKlLoss, 0.5);  // T is 0.5, F 0.3
    run.Feed(61, 65, kKlLoss, late);
    EXPECT_EQ(run.silent(), !fires) << late;
  }
}

TEST(KlBlowup, TenTimesTheFirstPointsIsCritical) {
  EXPECT_FALSE(KlLoss(0.2, 12, 2).first(Level::kCritical));
  EXPECT_EQ(KlLoss(0.2, 12, 2.01).first(Level::kCritical), 15);
}

TEST(KlBlowup, KlLossIsJudgedFromTheTenthPointOn) {
  QualityRun run("kl_blowup");
  run.Feed(1, 9, kKlLoss, 5);
  EXPECT_EQ(run.at(9).kind, Kind::kNotEvaluated);
  run = QualityRun("kl_blowup");
  run.Feed(1, 5, kKlLoss, 0.01);
  run.Feed(6, 12, kKlLoss, 0.5);
  EXPECT_EQ(run.first(Level::kWarning), 10);
}

TEST(KlBlowup, PpoKlOnThreePointsWarnsInEitherSign) {
  QualityRun run("kl_blowup");
  run.Step(1, {{kPpoKl, 0.05}});
  run.Step(2, {{kPpoKl, 0.06}});
  EXPECT_EQ(run.at(2).kind, Kind::kNotEvaluated);
  run.Step(3, {{kPpoKl, -0.07}});
  EXPECT_EQ(run.level(3), Level::kNone);
  EXPECT_EQ(run.at(3).kind, Kind::kEvaluated);
  run.Step(4, {{kPpoKl, 0.08}});
  EXPECT_EQ(run.level(4), Level::kWarning);
  EXPECT_THAT(Texts(run.at(4)), ElementsAre("actor/ppo_kl@4=0.08 bound 0.05"));
  EXPECT_EQ(run.at(4).detail, "least |ppo_kl|=0.06");
}

TEST(KlBlowup, MedianOfThreePpoKlIsCritical) {
  QualityRun run("kl_blowup");
  run.Step(1, {{kPpoKl, 0}});
  run.Step(2, {{kPpoKl, -0.5}});
  run.Step(3, {{kPpoKl, 7}});
  EXPECT_EQ(run.level(3), Level::kNone);
  run.Step(4, {{kPpoKl, -0.6}});
  EXPECT_EQ(run.level(4), Level::kCritical);
  EXPECT_THAT(Texts(run.at(4)), ElementsAre("actor/ppo_kl@4=-0.6 bound 0.5"));
  EXPECT_EQ(run.at(4).detail, "median |ppo_kl|=0.6");
}

TEST(KlBlowup, K3KlOnFivePointsWarns) {
  QualityRun run("kl_blowup");
  run.Step(1, {{kK3, 0.01}});
  run.Feed(2, 2, kK3, 0.02);
  EXPECT_EQ(run.at(2).kind, Kind::kNotEvaluated);
  run.Feed(3, 5, kK3, 0.02);
  EXPECT_EQ(run.level(5), Level::kNone);
  EXPECT_EQ(run.at(3).kind, Kind::kEvaluated);
  run.Step(6, {{kK3, 0.02}});
  EXPECT_EQ(run.level(6), Level::kWarning);
  EXPECT_THAT(Texts(run.at(6)),
              ElementsAre("rollout_corr/k3_kl@6=0.02 bound 0.01"));
}

TEST(KlBlowup, K3KlOnThreePointsIsCritical) {
  QualityRun run("kl_blowup");
  run.Step(1, {{kK3, 0.1}});
  run.Feed(2, 3, kK3, 0.2);
  EXPECT_EQ(run.level(3), Level::kNone);
  run.Step(4, {{kK3, 0.3}});
  EXPECT_EQ(run.level(4), Level::kCritical);
  EXPECT_THAT(Texts(run.at(4)),
              ElementsAre("rollout_corr/k3_kl@4=0.3 bound 0.1"));
  EXPECT_EQ(run.at(4).detail, "least k3_kl=0.2");
}

TEST(KlBlowup, WorstOfTheKeysIsTheLevel) {
  QualityRun run("kl_blowup");
  for (int s = 1; s <= 12; ++s) {
    run.Step(s, {{kKlLoss, 0.001}, {kPpoKl, 0.06}, {kK3, 0.2}});
  }
  EXPECT_EQ(run.level(12), Level::kCritical);
  EXPECT_THAT(Texts(run.at(12)),
              ElementsAre("actor/ppo_kl@12=0.06 bound 0.05",
                          "rollout_corr/k3_kl@12=0.2 bound 0.1"));
}

TEST(KlBlowup, BoundsOfAHundredthApplyToARoundingConsole) {
  QualityRun run("kl_blowup");
  run.decimals = 3;
  run.Feed(1, 5, kK3, 0.011);
  EXPECT_EQ(run.level(5), Level::kWarning);
}

TEST(KlBlowup, NanIsNoPointAndARewindTakesBack) {
  QualityRun run("kl_blowup");
  run.Feed(1, 2, kK3, 0.2);
  EXPECT_EQ(run.Step(3, {{kK3, kNan}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(4, {{kK3, 0.2}}).level, Level::kCritical);
  run.Feed(2, 4, kK3, 0.0001);
  EXPECT_TRUE(run.silent());
}

TEST(KlBlowup, SlowDriftThatTFollowsIsSilent) {
  QualityRun run("kl_blowup");
  for (int s = 1; s <= 600; ++s) run.Step(s, {{kKlLoss, 0.001 * s + 0.05}});
  EXPECT_TRUE(run.silent());
}

TEST(KlBlowup, FirstPrintedKeyDecidesWhetherAStepCounts) {
  QualityRun run("kl_blowup");
  for (int s = 1; s <= 12; ++s) run.Step(s, {{kKlLoss, 0.1}, {kPpoKl, 0.9}});
  EXPECT_EQ(run.Step(13, {{kPpoKl, 0.9}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(14, {{kKlLoss, 0.1}}).level, Level::kNone);
  QualityRun none("kl_blowup");
  EXPECT_EQ(none.Feed(1, 9, "actor/pg_loss", 0).kind, Kind::kNotApplicable);
}

}  // namespace
}  // namespace rlrun
