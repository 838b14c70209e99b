// What must never alarm, and what looks fine and is not, of the traps that
// concern the training-quality signals: each on a whole run, judged with every
// rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Pair;

// Quality signals that are active now, with their level.
std::vector<std::pair<std::string, Level>> Active(const RunBuilder& run) {
  std::vector<std::pair<std::string, Level>> active;
  for (const StepRule& rule : QualityRules()) {
    const auto level = run.level(rule.name);
    if (level && *level != Level::kNone) {
      active.emplace_back(std::string(rule.name), *level);
    }
  }
  return active;
}

// Plays step by step; every quality signal that was active on any of them.
std::vector<std::pair<std::string, Level>> ActiveEver(RunBuilder* run,
                                                      int first, int last) {
  std::vector<std::pair<std::string, Level>> all;
  for (int s = first; s <= last; ++s) {
    run->Play(s, s);
    for (const auto& one : Active(*run)) all.push_back(one);
  }
  return all;
}

double Jitter(int step, double size) { return size * std::sin(12.9898 * step); }

// A run that learns, with the keys of an ordinary GRPO console.
RunBuilder Healthy() {
  RunBuilder run;
  run.Key("critic/score/mean",
          [](int s) { return 0.7 - 0.5 / (1 + 0.02 * s) + Jitter(s, 0.03); });
  run.Key("critic/score/max", 1).Key("critic/score/min", 0);
  run.Key("critic/rewards/mean",
          [](int s) { return 0.7 - 0.5 / (1 + 0.02 * s) + Jitter(s, 0.03); });
  run.Key("actor/pg_loss", [](int s) { return Jitter(s, 0.01); });
  run.Key("actor/kl_loss",
          [](int s) { return 0.0002 * s + Jitter(s, 0.0001); });
  run.Key("actor/ppo_kl", [](int s) { return Jitter(s, 0.001); });
  run.Key("actor/entropy", [](int s) { return 0.2 + 0.6 / (1 + 0.05 * s); });
  run.Key("actor/grad_norm", [](int s) { return 0.4 + Jitter(s, 0.1); });
  run.Key("actor/lr", 1e-6);
  run.Key("response_length/mean",
          [](int s) { return 900 + s + Jitter(s, 40); });
  run.Key("response_length/clip_ratio", 0.04);
  return run;
}

TEST(MustNotAlarm, HealthyRun) {
  RunBuilder run = Healthy();
  EXPECT_THAT(ActiveEver(&run, 1, 250), IsEmpty());
}

TEST(MustNotAlarm, PolicyLossNearZeroInGrpo) {
  RunBuilder run = Healthy();
  run.Key("actor/pg_loss", [](int s) {
    return s == 70 ? 4.0 : s % 3 == 0 ? -0.0 : Jitter(s, 1e-9);
  });
  EXPECT_THAT(ActiveEver(&run, 1, 150), IsEmpty());
}

TEST(MustNotAlarm, PpoKlAndClipFractionExactlyZero) {
  RunBuilder run = Healthy();
  run.Key("actor/ppo_kl", 0).Key("actor/pg_clipfrac", 0);
  EXPECT_THAT(ActiveEver(&run, 1, 100), IsEmpty());
}

TEST(MustNotAlarm, HugeNegativeExplainedVarianceOfTheFirstSteps) {
  RunBuilder run = Healthy();
  run.Key("critic/vf_explained_var", [](int s) {
    return s == 1 ? -1.6e6 : s < 20 ? -65.0 : 0.3;
  });
  run.Key("critic/vf_loss",
          [](int s) { return (s < 10 ? 80.0 / s : 1.0) + Jitter(s, 0.2); });
  run.Key("critic/grad_norm", [](int s) { return s % 40 == 7 ? 220.0 : 10.0; });
  EXPECT_THAT(ActiveEver(&run, 1, 150), IsEmpty());
}

TEST(MustNotAlarm, LearningRateZeroOnTheFirstStep) {
  RunBuilder run = Healthy();
  run.Key("actor/lr", [](int s) { return 1e-7 * std::min(s - 1, 10); });
  EXPECT_THAT(ActiveEver(&run, 1, 60), IsEmpty());
}

TEST(MustNotAlarm, MfuOfZeroForEver) {
  RunBuilder run = Healthy();
  run.Key("perf/mfu/actor", 0);
  EXPECT_THAT(ActiveEver(&run, 1, 60), IsEmpty());
}

TEST(MustNotAlarm, ValidationBeforeTraining) {
  RunBuilder run = Healthy();
  run.Line(0, {{"val-core/math/acc/mean@1", 0.2}});
  EXPECT_THAT(Active(run), IsEmpty());
  for (const StepRule& rule : QualityRules()) {
    EXPECT_EQ(run.level(rule.name), std::nullopt) << rule.name;
  }
  run.Play(1, 9);
  run.Line(9, {{"val-core/math/acc/mean@1", 0.3}});
  EXPECT_THAT(ActiveEver(&run, 10, 40), IsEmpty());
}

TEST(MustNotAlarm, StepsWithAValidationOrCheckpointInThem) {
  RunBuilder run = Healthy();
  run.MaybeKey("val-core/math/acc/mean@1", [](int s) {
    return s % 10 == 0 ? std::optional(0.3 + 0.001 * s) : std::nullopt;
  });
  run.Key("timing_s/step", [](int s) { return s % 10 == 0 ? 2000. : 100.; });
  EXPECT_THAT(ActiveEver(&run, 1, 120), IsEmpty());
}

TEST(MustNotAlarm, ThreeDecimalsAreRoundings) {
  RunBuilder run = Healthy();
  run.Decimals(3);
  run.Key("actor/lr", [](int s) { return s % 5 == 0 ? 0.001 : 0.0; });
  run.Key("actor/kl_loss", [](int s) { return s % 2 == 0 ? 0.0 : -0.0; });
  run.Key("actor/ppo_kl", [](int s) { return s % 2 == 0 ? 0.0 : -0.0; });
  run.Key("critic/vf_loss", [](int s) { return s % 3 == 0 ? 0.001 : 0.0; });
  EXPECT_THAT(ActiveEver(&run, 1, 150), IsEmpty());
}

TEST(MustNotAlarm, KeysBehindACutAreUnknown) {
  RunBuilder run = Healthy();
  run.Key("val-core/math/acc/mean@1", 0.6);
  run.MaybeKey("val-core/code/acc/mean@1", [](int s) {
    return s % 20 < 10 ? std::optional(0.9) : std::nullopt;
  });
  EXPECT_THAT(ActiveEver(&run, 1, 60), IsEmpty());
}

TEST(MustNotAlarm, SameStepTwiceAndAResume) {
  RunBuilder run = Healthy();
  run.Play(1, 80);
  run.Line(80, {{"val-core/math/acc/mean@1", 0.5}});
  run.Line(80, run.Values(80));
  EXPECT_THAT(Active(run), IsEmpty());
  EXPECT_THAT(ActiveEver(&run, 61, 140), IsEmpty());
}

TEST(MustNotAlarm, KeysThatAreNanByDesign) {
  RunBuilder run = Healthy();
  run.Key("actor/pg_clipfrac_lower", RunBuilder::kNan);
  run.Key("timing_s/save_checkpoint",
          [](int s) { return s % 10 == 0 ? RunBuilder::kNan : 1.0; });
  EXPECT_THAT(ActiveEver(&run, 1, 80), IsEmpty());
}

TEST(LooksFineIsNot, AnswersFallToOneTokenWhileTheRewardRises) {
  RunBuilder run = Healthy();
  run.Key("response_length/mean", [](int s) {
    const double fall[] = {400, 60, 9};
    return s < 30 ? 1759 + Jitter(s, 60) : s < 33 ? fall[s - 30] : 1.0;
  });
  run.Key("critic/rewards/mean",
          [](int s) { return (s < 30 ? -0.4 : 0.9) + Jitter(s, 0.05); });
  run.Key("critic/score/mean",
          [](int s) { return (s < 30 ? -0.4 : 0.9) + Jitter(s, 0.05); });
  run.Key("perf/throughput", [](int s) { return s < 30 ? 1000. : 2000.; });
  EXPECT_THAT(ActiveEver(&run, 1, 29), IsEmpty());
  run.Play(30, 40);
  EXPECT_EQ(run.level("length_collapse"), Level::kCritical);
  EXPECT_EQ(run.level("reward_hacking_suspect"), Level::kWarning);
}

TEST(LooksFineIsNot, EveryAnswerCutAndEveryNumberFinite) {
  RunBuilder run = Healthy();
  run.Key("response_length/clip_ratio", 1).Key("actor/grad_norm", 0);
  run.Key("critic/score/mean", -1).Key("critic/score/max", -1);
  run.Key("critic/score/min", -1).Key("critic/rewards/mean", -1);
  const auto all = ActiveEver(&run, 1, 262);
  EXPECT_THAT(all, Contains(Pair("length_explosion", Level::kCritical)));
  EXPECT_EQ(run.level("length_explosion"), Level::kCritical);
  // All steps are tied: their gradients are no evidence of anything.
  EXPECT_EQ(run.level("grad_vanishing"), std::nullopt);
  EXPECT_EQ(run.level("grad_explosion"), std::nullopt);
}

TEST(LooksFineIsNot, TrainerHidesANanLoss) {
  RunBuilder run;
  run.Key("train/loss", [](int s) { return s < 20 ? 0.5 : 0.0; });
  run.Key("train/grad_norm",
          [](int s) { return s < 20 ? 1.0 : RunBuilder::kNan; });
  EXPECT_THAT(ActiveEver(&run, 1, 19), IsEmpty());
  run.Play(20, 20);
  EXPECT_EQ(run.level("nan_inf"), Level::kCritical);
}

// What a signal reads must be gone for three evaluated steps.
struct Sick {
  const char* rule;
  const char* key;
  double bad;
};

TEST(QualitySignals, ClearOnTheThirdHealthyStep) {
  const Sick cases[] = {{"nan_inf", "actor/pg_loss", RunBuilder::kNan},
                        {"grad_explosion", "actor/grad_norm", 9},
                        {"lr_anomaly", "actor/lr", RunBuilder::kNan}};
  for (const Sick& sick : cases) {
    RunBuilder run = Healthy();
    run.Play(1, 40);
    EXPECT_EQ(run.level(sick.rule), Level::kNone) << sick.rule;
    RunBuilder ill = Healthy();
    ill.Play(1, 39);
    ill.Key(sick.key, sick.bad).Play(40, 40);
    const Level level = *ill.level(sick.rule);
    EXPECT_NE(level, Level::kNone) << sick.rule;
    EXPECT_EQ(ill.finding(sick.rule)->since_step, 40) << sick.rule;
    const RunBuilder well = Healthy();
    for (int s = 41; s <= 42; ++s) {
      ill.Line(s, well.Values(s));
      EXPECT_EQ(ill.level(sick.rule), level) << sick.rule << s;
    }
    ill.Line(43, well.Values(43));
    EXPECT_EQ(ill.level(sick.rule), Level::kNone) << sick.rule;
    EXPECT_EQ(ill.recovered(sick.rule), 43) << sick.rule;
    EXPECT_EQ(ill.finding(sick.rule)->activations, 1u) << sick.rule;
  }
}

TEST(QualitySignals, StepsThatAreNotEvaluatedDoNotClear) {
  RunBuilder run = Healthy();
  run.Play(1, 39);
  run.Key("actor/grad_norm", 9).Play(40, 40);
  run.Without("actor/grad_norm").Play(41, 55);
  EXPECT_EQ(run.level("grad_explosion"), Level::kWarning);
  run.Play(56, 60);  // not evaluated for twenty steps: withdrawn
  EXPECT_EQ(run.level("grad_explosion"), std::nullopt);
}

TEST(QualitySignals, CollapseOfEntropyIsCriticalWithTheDropOfTheReward) {
  RunBuilder run = Healthy();
  run.Play(1, 60);
  run.Key("critic/score/mean", [](int s) { return 0.05 + Jitter(s, 0.01); });
  run.Key("actor/entropy", 0.001);
  run.Play(61, 80);
  EXPECT_EQ(run.level("reward_drop"), Level::kCritical);
  EXPECT_EQ(run.level("entropy_collapse"), Level::kCritical);
}

TEST(QualitySignals, EachHasANameASentenceAndAnEnd) {
  EXPECT_EQ(QualityRules().size(), 16u);
  EXPECT_EQ(QualityRules()[0].name, "reward_drop");
  for (const StepRule& rule : QualityRules()) {
    EXPECT_TRUE(rule.means.ends_with('.')) << rule.name;
    EXPECT_TRUE(rule.next.ends_with('.')) << rule.name;
    EXPECT_NE(rule.severities, 0) << rule.name;
  }
}

}  // namespace
}  // namespace rlrun
