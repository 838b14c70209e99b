#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kNorm = "actor/grad_norm";

TEST(NanInf, EachNamedKeyIsCriticalAtOnce) {
  for (const auto key :
       {"actor/pg_loss", "actor/loss", "train/loss", "critic/vf_loss",
        "actor/kl_loss", "actor/ppo_kl", "actor/entropy", "actor/entropy_loss",
        "critic/rewards/mean", "critic/score/mean"}) {
    for (const double bad : {kNan, kInf, -kInf}) {
      QualityRun run("nan_inf");
      EXPECT_EQ(run.Feed(1, 3, key, 0.5).level, Level::kNone) << key;
      EXPECT_EQ(run.Step(4, {{key, bad}}).level, Level::kCritical) << key;
      ASSERT_EQ(run.at(4).evidence.size(), 1u) << key;
      EXPECT_EQ(run.at(4).evidence[0].key, key);
      EXPECT_EQ(run.at(4).evidence[0].step, 4);
      EXPECT_FALSE(std::isfinite(run.at(4).evidence[0].value));
      EXPECT_EQ(run.Step(5, {{key, 0.5}}).level, Level::kNone) << key;
    }
  }
}

TEST(NanInf, EntropyAndItsOldKeyAreBothLookedAt) {
  QualityRun run("nan_inf");
  run.Step(1, {{"actor/entropy", 1}, {"actor/entropy_loss", kNan}});
  EXPECT_THAT(Texts(run.at(1)), ElementsAre("actor/entropy_loss@1=nan"));
  run.Step(2, {{"actor/entropy", kNan}, {"actor/entropy_loss", 1}});
  EXPECT_THAT(Texts(run.at(2)), ElementsAre("actor/entropy@2=nan"));
}

TEST(NanInf, FirstFourKeysAreTheEvidence) {
  QualityRun run("nan_inf");
  run.Step(1, {{"actor/pg_loss", 1}, {"perf/mfu", 1}});
  for (int s = 2; s <= 4; ++s) {
    run.Step(s, {{"actor/pg_loss", kNan},
                 {"critic/vf_loss", kNan},
                 {"actor/kl_loss", kNan},
                 {"actor/entropy", kNan},
                 {"critic/score/mean", s == 3 ? kNan : 1},
                 {"perf/mfu", kNan}});
    EXPECT_EQ(run.at(s).evidence.size(), 4u);
  }
}

TEST(NanInf, OneGradientNormOnlyWarns) {
  for (const auto key : {kNorm, "critic/grad_norm", "train/grad_norm"}) {
    QualityRun run("nan_inf");
    run.Feed(1, 5, key, 1);
    EXPECT_EQ(run.Step(6, {{key, kInf}}).level, Level::kWarning) << key;
    EXPECT_EQ(run.at(6).evidence[0].key, key);
    EXPECT_EQ(run.Step(7, {{key, 1}}).level, Level::kNone) << key;
  }
}

TEST(NanInf, ThreeOfTheLastTenGradientNormsAreCritical) {
  QualityRun run("nan_inf");
  for (int s = 1; s <= 30; ++s) {
    run.Step(s, {{kNorm, s == 10 || s == 12 || s == 19 ? kNan : 1}});
  }
  EXPECT_EQ(run.level(12), Level::kWarning);
  EXPECT_EQ(run.level(13), Level::kNone);
  EXPECT_EQ(run.first(Level::kCritical), 19);
  EXPECT_EQ(run.at(19).detail, "3 of the last 10 are not finite");
  EXPECT_EQ(run.level(20), Level::kNone);
}

// A finite number is no evidence of values that are not.
TEST(NanInf, EvidenceIsTheNewestBadGradientNorm) {
  QualityRun run("nan_inf");
  for (int s = 1; s <= 20; ++s) {
    run.Step(s, {{kNorm, s >= 16 && s <= 18 ? kNan : 1}});
  }
  EXPECT_EQ(run.level(20), Level::kCritical);
  ASSERT_EQ(run.at(20).evidence.size(), 1u);
  EXPECT_EQ(run.at(20).evidence[0].step, 18);
  EXPECT_TRUE(std::isnan(run.at(20).evidence[0].value));
}

TEST(NanInf, ThreeOfElevenGradientNormsOnlyWarn) {
  QualityRun run("nan_inf");
  for (int s = 1; s <= 30; ++s) {
    run.Step(s, {{kNorm, s == 10 || s == 12 || s == 20 ? kNan : 1}});
  }
  EXPECT_FALSE(run.first(Level::kCritical));
  EXPECT_EQ(run.level(20), Level::kWarning);
}

TEST(NanInf, GradientNormsOfTiedStepsCountToo) {
  QualityRun run("nan_inf");
  for (int s = 1; s <= 3; ++s) {
    run.Step(s,
             {{kNorm, kNan}, {"critic/score/max", 0}, {"critic/score/min", 0}});
  }
  EXPECT_EQ(run.level(2), Level::kWarning);
  EXPECT_EQ(run.level(3), Level::kCritical);
}

TEST(NanInf, ZeroLossBesideANanGradientNormIsCritical) {
  QualityRun run("nan_inf");
  run.Step(1, {{"train/loss", 0}, {"train/grad_norm", kNan}});
  EXPECT_EQ(run.level(1), Level::kCritical);
  EXPECT_THAT(Texts(run.at(1)),
              ElementsAre("train/loss@1=0", "train/grad_norm@1=nan"));
  const std::vector<QualityRun::Values> harmless = {
      {{"train/loss", 0}, {"train/grad_norm", 0.5}},
      {{"train/loss", 0.1}, {"train/grad_norm", kNan}},
      {{"train/loss", 0}, {"train/grad_norm", kInf}}};
  for (const auto& values : harmless) {
    QualityRun other("nan_inf");
    EXPECT_NE(other.Step(1, values).level, Level::kCritical);
  }
}

TEST(NanInf, AnyOtherKeyWarnsOnItsThirdLineInARow) {
  QualityRun run("nan_inf");
  const auto step = [&](int s, double x) {
    return run.Step(s, {{"actor/pg_loss", 0}, {"perf/mfu", x}}).level;
  };
  step(1, 0.3);
  EXPECT_EQ(step(2, kNan), Level::kNone);
  EXPECT_EQ(step(3, kInf), Level::kNone);
  EXPECT_EQ(step(4, kNan), Level::kWarning);
  EXPECT_THAT(Texts(run.at(4)), ElementsAre("perf/mfu@4=nan"));
  EXPECT_EQ(step(5, 0.3), Level::kNone);
  step(6, kNan);
  EXPECT_EQ(step(7, kNan), Level::kNone);
}

TEST(NanInf, KeyThatNeverWasANumberIsSilent) {
  QualityRun run("nan_inf");
  for (int s = 1; s <= 20; ++s) {
    run.Step(s, {{"actor/pg_loss", 0}, {"perf/mfu", kNan}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(NanInf, RewindTakesBackWhatWasNotFinite) {
  QualityRun run("nan_inf");
  run.Feed(1, 10, kNorm, 1);
  run.Feed(11, 12, kNorm, kNan);
  run.Step(11, {{kNorm, 1}});
  run.Step(12, {{kNorm, kNan}});
  EXPECT_EQ(run.Step(13, {{kNorm, kNan}}).level, Level::kWarning);
  EXPECT_EQ(run.Step(14, {{kNorm, kNan}}).level, Level::kCritical);
}

TEST(NanInf, StepWithoutTheKeysIsNotEvaluated) {
  QualityRun run("nan_inf");
  EXPECT_EQ(run.Step(1, {{"actor/lr", kNan}}).kind, Kind::kNotApplicable);
  run.Step(2, {{kNorm, 1}});
  EXPECT_EQ(run.Step(3, {{"actor/lr", 1}}).kind, Kind::kNotEvaluated);
}

TEST(NanInf, GradientNormThatIsNotPrintedSaysNothing) {
  QualityRun run("nan_inf");
  run.Feed(1, 4, kNorm, kNan);
  EXPECT_EQ(run.Step(5, {{"actor/pg_loss", 0}}).level, Level::kNone);
}

}  // namespace
}  // namespace rlrun
