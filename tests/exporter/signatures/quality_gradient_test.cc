#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kNorm = "actor/grad_norm";
constexpr auto kCritic = "critic/grad_norm";

TEST(GradExplosion, TenTimesTheUsualWarns) {
  QualityRun run("grad_explosion");
  run.Feed(1, 40, kNorm, 1);
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.Step(41, {{kNorm, 9.99}}).level, Level::kNone);
  EXPECT_EQ(run.Step(42, {{kNorm, 10}}).level, Level::kWarning);
  EXPECT_THAT(Texts(run.at(42)), ElementsAre("actor/grad_norm@42=10 bound 10"));
  EXPECT_EQ(run.at(42).detail, "U=1");
  EXPECT_EQ(run.Step(43, {{kNorm, 1}}).level, Level::kNone);
}

TEST(GradExplosion, IsJudgedFromTheTenthPointOn) {
  QualityRun run("grad_explosion");
  run.Feed(1, 8, kNorm, 1);
  EXPECT_EQ(run.Step(9, {{kNorm, 50}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(10, {{kNorm, 50}}).level, Level::kWarning);
  EXPECT_FALSE(run.history.series(Role::kActorGradNorm).spike(1));
  EXPECT_TRUE(run.history.series(Role::kActorGradNorm).spike(0));
}

TEST(GradExplosion, AHundredTimesTheUsualIsCritical) {
  QualityRun run("grad_explosion");
  run.Feed(1, 40, kNorm, 1);
  EXPECT_EQ(run.Step(41, {{kNorm, 99.9}}).level, Level::kWarning);
  EXPECT_EQ(run.Step(42, {{kNorm, 100}}).level, Level::kCritical);
  EXPECT_THAT(Texts(run.at(42)),
              ElementsAre("actor/grad_norm@42=100 bound 100"));
}

TEST(GradExplosion, ThreeHitsInTwentyStepsAreCritical) {
  for (const int third : {59, 60}) {
    QualityRun run("grad_explosion");
    for (int s = 1; s <= 70; ++s) {
      const bool hit = s == 40 || s == 45 || s == third;
      run.Step(3 * s, {{kNorm, hit ? 20 : 1}});
    }
    EXPECT_EQ(run.level(3 * third),
              third == 59 ? Level::kCritical : Level::kWarning);
    EXPECT_EQ(run.level(3 * third + 3), Level::kNone);
  }
}

TEST(GradExplosion, ThreeHitsStayCriticalWhileTheyAreInTheWindow) {
  QualityRun run("grad_explosion");
  for (int s = 1; s <= 70; ++s) {
    run.Step(s, {{kNorm, s >= 40 && s <= 42 ? 20 : 1}});
  }
  EXPECT_EQ(run.level(41), Level::kWarning);
  EXPECT_EQ(run.first(Level::kCritical), 42);
  EXPECT_EQ(run.level(59), Level::kCritical);
  EXPECT_EQ(run.level(60), Level::kNone);
  EXPECT_THAT(Texts(run.at(59)), ElementsAre("actor/grad_norm@42=20 bound 10"));
  EXPECT_EQ(run.at(59).detail, "hits=3");
}

TEST(GradExplosion, TiedStepsCountAsStepsButAreNoPoints) {
  QualityRun run("grad_explosion");
  run.Feed(1, 39, kNorm, 1);
  run.Feed(40, 41, kNorm, 20);
  for (int s = 42; s <= 58; ++s) {
    run.Step(s,
             {{kNorm, 500}, {"critic/score/max", 1}, {"critic/score/min", 1}});
    EXPECT_EQ(run.at(s).kind, Kind::kNotEvaluated);
  }
  run.Step(59, {{kNorm, 20}});
  EXPECT_EQ(run.level(59), Level::kCritical);
  run.Step(60, {{kNorm, 20}});
  EXPECT_EQ(run.level(60), Level::kCritical);
  run.Step(61, {{kNorm, 1}});
  EXPECT_EQ(run.level(61), Level::kNone);
}

TEST(GradExplosion, LevelOfTenTimesTheFirstNormsIsCritical) {
  for (const auto& [late, fires] : {std::pair{10.0, true}, {9.9, false}}) {
    QualityRun run("grad_explosion");
    run.Feed(1, 10, kNorm, 1);
    run.Feed(11, 90, kNorm, 5);  // T follows
    run.Feed(91, 99, kNorm, late);
    EXPECT_EQ(run.silent(), !fires) << late;
    if (!fires) continue;
    EXPECT_EQ(run.first(Level::kCritical), 96);
    EXPECT_THAT(Texts(run.at(96)),
                ElementsAre("actor/grad_norm@96=10 bound 10"));
    EXPECT_EQ(run.at(96).detail, "M_10=10");
  }
}

TEST(GradExplosion, SpikesAreLeftOutOfTheUsual) {
  // Of the 24 points behind the tenth, every second is a spike, in pairs.
  QualityRun run("grad_explosion");
  run.Feed(1, 10, kNorm, 1);
  for (int s = 11; s <= 70; ++s) run.Step(s, {{kNorm, s % 3 == 0 ? 1 : 30}});
  EXPECT_EQ(run.history.series(Role::kActorGradNorm).T(1), 1.0);
}

TEST(GradExplosion, NormsThatWereZeroHaveNoUsual) {
  QualityRun run("grad_explosion");
  run.Feed(1, 9, kNorm, 0);
  EXPECT_EQ(run.Feed(10, 20, kNorm, 0.5).kind, Kind::kEvaluated);
  EXPECT_TRUE(run.silent());
}

TEST(GradExplosion, CriticWarnsByTheMedianOfThree) {
  QualityRun run("grad_explosion");
  run.Feed(1, 40, kCritic, 2);
  run.Step(41, {{kCritic, 20}});
  EXPECT_EQ(run.level(41), Level::kNone);
  run.Step(42, {{kCritic, 20}});
  EXPECT_EQ(run.level(42), Level::kWarning);
  EXPECT_THAT(Texts(run.at(42)),
              ElementsAre("critic/grad_norm@42=20 bound 20"));
  EXPECT_EQ(run.at(42).detail, "M_3(critic)=20");
  QualityRun less("grad_explosion");
  less.Feed(1, 40, kCritic, 2);
  less.Feed(41, 43, kCritic, 19.9);
  EXPECT_TRUE(less.silent());
}

TEST(GradExplosion, CriticIsNeverCriticalAndNeedsAT) {
  QualityRun run("grad_explosion");
  run.Feed(1, 32, kCritic, 1);
  EXPECT_EQ(run.at(32).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Feed(33, 33, kCritic, 1).kind, Kind::kEvaluated);
  run.Feed(34, 45, kCritic, 1e6);
  EXPECT_FALSE(run.first(Level::kCritical));
  EXPECT_EQ(run.first(Level::kWarning), 35);
}

TEST(GradExplosion, CriticOfAllZerosIsSilent) {
  QualityRun run("grad_explosion");
  EXPECT_EQ(run.Feed(1, 60, kCritic, 0).kind, Kind::kEvaluated);
  EXPECT_TRUE(run.silent());
}

TEST(GradExplosion, SingleSpikesOfACriticAreHealthy) {
  QualityRun run("grad_explosion");
  for (int s = 1; s <= 200; ++s) run.Step(s, {{kCritic, s % 7 ? 10 : 250}});
  EXPECT_TRUE(run.silent());
}

TEST(GradExplosion, ActorWithoutAPointKeepsTheStepFromCounting) {
  QualityRun run("grad_explosion");
  for (int s = 1; s <= 40; ++s) run.Step(s, {{kNorm, 1}, {kCritic, 1}});
  EXPECT_EQ(run.Step(41, {{kNorm, kNan}, {kCritic, 1}}).kind,
            Kind::kNotEvaluated);
  // A warm-up of the critic has no actor yet.
  QualityRun warm_up("grad_explosion");
  warm_up.Feed(1, 40, kCritic, 1);
  EXPECT_EQ(warm_up.at(40).kind, Kind::kEvaluated);
  EXPECT_EQ(warm_up.Step(41, {{kNorm, 1}, {kCritic, 1}}).kind,
            Kind::kEvaluated);
}

TEST(GradExplosion, RewindDropsTheHits) {
  QualityRun run("grad_explosion");
  run.Feed(1, 39, kNorm, 1);
  run.Feed(40, 42, kNorm, 20);
  EXPECT_EQ(run.level(42), Level::kCritical);
  run.Feed(40, 41, kNorm, 20);
  EXPECT_EQ(run.level(41), Level::kWarning);
}

TEST(GradExplosion, DoesNotApplyWithoutGradientNorms) {
  QualityRun run("grad_explosion");
  EXPECT_EQ(run.Feed(1, 20, "actor/pg_loss", 1).kind, Kind::kNotApplicable);
}

TEST(GradVanishing, AHundredthOfTheFirstNormsWarns) {
  for (const auto& [late, fires] : {std::pair{0.0099, true}, {0.01, false}}) {
    QualityRun run("grad_vanishing");
    run.Feed(1, 20, kNorm, 1);
    run.Feed(21, 50, kNorm, late);
    // M_20 is all late from 31 on.
    EXPECT_EQ(run.silent(), !fires) << late;
    if (!fires) continue;
    EXPECT_EQ(run.first(Level::kWarning), 31);
    EXPECT_THAT(Texts(run.at(31)),
                ElementsAre("actor/grad_norm@31=0.0099 bound 0.01"));
    EXPECT_EQ(run.at(31).detail, "M_20=0.0099");
  }
}

TEST(GradVanishing, UnderOneHundredMillionthWarnsWhateverItWas) {
  for (const auto& [x, fires] : {std::pair{9.9e-9, true}, {1e-8, false}}) {
    QualityRun run("grad_vanishing");
    run.Feed(1, 20, kNorm, x);
    EXPECT_EQ(run.at(19).kind, Kind::kNotEvaluated);
    EXPECT_EQ(run.level(20) == Level::kWarning, fires) << x;
  }
}

TEST(GradVanishing, TenExactZerosOfTwentyAreCritical) {
  QualityRun run("grad_vanishing");
  for (int s = 1; s <= 40; ++s) {
    run.Step(s, {{kNorm, s > 20 && s % 2 == 0 ? 0 : 1}});
  }
  EXPECT_EQ(run.first(Level::kCritical), 40);
  EXPECT_EQ(run.at(40).detail, "zeros=10");
  EXPECT_THAT(Texts(run.at(40)), ElementsAre("actor/grad_norm@40=0 bound 0"));
  run.Feed(41, 42, kNorm, 1);
  EXPECT_EQ(run.level(42), Level::kNone);
}

TEST(GradVanishing, ZerosOfARoundingConsoleAreNoZeros) {
  QualityRun run("grad_vanishing");
  run.decimals = 3;
  for (int s = 1; s <= 60; ++s) {
    run.Step(s, {{kNorm, s > 20 && s % 2 == 0 ? 0 : 1}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(GradVanishing, TiedStepsAreNoEvidence) {
  QualityRun run("grad_vanishing");
  run.Feed(1, 30, kNorm, 1);
  for (int s = 31; s <= 80; ++s) {
    run.Step(
        s, {{kNorm, 0}, {"critic/rewards/max", 0}, {"critic/rewards/min", 0}});
  }
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.at(80).kind, Kind::kNotEvaluated);
}

TEST(GradVanishing, NanAndRewindInTheWindow) {
  QualityRun run("grad_vanishing");
  run.Feed(1, 20, kNorm, 1);
  run.Feed(21, 30, kNorm, 0.001);
  EXPECT_EQ(run.Step(31, {{kNorm, kNan}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(32, {{kNorm, 0.001}}).level, Level::kWarning);
  run.Feed(30, 31, kNorm, 1);
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.Feed(32, 60, "actor/lr", 1).kind, Kind::kNotEvaluated);
}

TEST(GradVanishing, DoesNotApplyWithoutAGradientNorm) {
  QualityRun run("grad_vanishing");
  EXPECT_EQ(run.Feed(1, 30, kCritic, 0).kind, Kind::kNotApplicable);
}

}  // namespace
}  // namespace rlrun
