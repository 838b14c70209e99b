#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kEntropy = "actor/entropy";

QualityRun Entropy(std::string_view rule, double early, double late,
                   std::string_view key = kEntropy) {
  QualityRun run(rule);
  run.Feed(1, 20, key, early);
  run.Feed(21, 40, key, late);
  return run;
}

TEST(EntropyCollapse, ATwentiethOfTheFirstPointsWarns) {
  QualityRun run = Entropy("entropy_collapse", 2, 0.099);
  // M_10 is all late from 26 on.
  EXPECT_EQ(run.first(Level::kWarning), 26);
  EXPECT_THAT(Texts(run.at(26)),
              ElementsAre("actor/entropy@26=0.099 bound 0.1"));
  EXPECT_EQ(run.at(26).detail, "M_10=0.099");
  EXPECT_TRUE(Entropy("entropy_collapse", 2, 0.1).silent());
}

TEST(EntropyCollapse, TheBoundIsNeverUnderAHundredth) {
  EXPECT_FALSE(Entropy("entropy_collapse", 0.1, 0.0099).silent());
  EXPECT_TRUE(Entropy("entropy_collapse", 0.1, 0.01).silent());
}

TEST(EntropyCollapse, IsCriticalOnlyWhileTheRewardDrops) {
  QualityRun run = Entropy("entropy_collapse", 2, 0.01);
  run.published["reward_drop"] = Level::kCritical;
  run.Step(41, {{kEntropy, 0.01}, {"critic/score/mean", 0.2}});
  EXPECT_EQ(run.level(41), Level::kCritical);
  EXPECT_THAT(Texts(run.at(41)), ElementsAre("actor/entropy@41=0.01 bound 0.1",
                                             "critic/score/mean@41=0.2"));
  run.published["reward_drop"] = Level::kNone;
  EXPECT_EQ(run.Step(42, {{kEntropy, 0.01}}).level, Level::kWarning);
}

TEST(EntropyCollapse, ADroppingRewardAloneIsSilent) {
  QualityRun run("entropy_collapse");
  run.published["reward_drop"] = Level::kCritical;
  run.Feed(1, 40, kEntropy, 1);
  EXPECT_TRUE(run.silent());
}

TEST(EntropyCollapse, IsJudgedFromThe15thPointOn) {
  QualityRun run("entropy_collapse");
  run.Feed(1, 5, kEntropy, 1);
  run.Feed(6, 20, kEntropy, 0.001);
  EXPECT_EQ(run.at(14).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.first(Level::kWarning), 15);
}

TEST(EntropyCollapse, HealthyRunSpendsMostOfItsEntropy) {
  QualityRun run("entropy_collapse");
  for (int s = 1; s <= 400; ++s) {
    run.Step(s, {{kEntropy, 0.1 + 0.9 / (1 + 0.05 * s)}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(EntropyExplosion, ThreeTimesTheFirstPointsWarns) {
  QualityRun run = Entropy("entropy_explosion", 0.5, 1.51);
  EXPECT_EQ(run.first(Level::kWarning), 26);
  EXPECT_THAT(Texts(run.at(26)),
              ElementsAre("actor/entropy@26=1.51 bound 1.5"));
  EXPECT_EQ(run.at(26).detail, "M_10=1.51");
  EXPECT_TRUE(Entropy("entropy_explosion", 0.5, 1.5).silent());
}

TEST(EntropyExplosion, UnderOneNatIsSilent) {
  EXPECT_TRUE(Entropy("entropy_explosion", 0.1, 1).silent());
  EXPECT_FALSE(Entropy("entropy_explosion", 0.1, 1.01).silent());
}

TEST(EntropyExplosion, IsJudgedFromThe15thPointOnAndNeverCritical) {
  QualityRun run("entropy_explosion");
  run.published["reward_drop"] = Level::kCritical;
  run.Feed(1, 5, kEntropy, 0.1);
  run.Feed(6, 20, kEntropy, 50);
  EXPECT_EQ(run.at(14).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.first(Level::kWarning), 15);
  EXPECT_FALSE(run.first(Level::kCritical));
}

TEST(Entropy, OldKeyIsReadAndNamed) {
  for (const auto rule : {"entropy_collapse", "entropy_explosion"}) {
    const double late = rule == std::string_view("entropy_collapse") ? 0 : 4;
    QualityRun run = Entropy(rule, 1, late, "actor/entropy_loss");
    ASSERT_EQ(run.first(Level::kWarning), 26);
    EXPECT_EQ(run.at(26).evidence[0].key, "actor/entropy_loss");
  }
}

TEST(Entropy, NanIsNoPointAndARewindTakesBack) {
  QualityRun run("entropy_collapse");
  run.Feed(1, 20, kEntropy, 2);
  run.Feed(21, 25, kEntropy, 0);
  EXPECT_EQ(run.Step(26, {{kEntropy, kNan}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(27, {{kEntropy, 0}}).level, Level::kWarning);
  run.Feed(22, 40, kEntropy, 2);
  EXPECT_TRUE(run.silent());
}

TEST(Entropy, AbsentByDesignDoesNotApply) {
  for (const auto rule : {"entropy_collapse", "entropy_explosion"}) {
    QualityRun run(rule);
    EXPECT_EQ(run.Feed(1, 40, "actor/pg_loss", 0).kind, Kind::kNotApplicable);
    run.Feed(41, 60, kEntropy, 1);
    EXPECT_EQ(run.Feed(61, 61, "actor/pg_loss", 0).kind, Kind::kNotEvaluated);
  }
}

}  // namespace
}  // namespace rlrun
