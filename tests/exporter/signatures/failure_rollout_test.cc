#include "exporter/signatures/failure_rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kPearson =
    "training/rollout_actor_probs_pearson_corr";
constexpr std::string_view kKl = "rollout_corr/kl";
constexpr std::string_view kClip = "actor/pg_clipfrac";
constexpr std::string_view kLow =
    "actor/rollout_corr/rollout_is_ratio_fraction_low";

FailureRun Aligned() {
  FailureRun run(kR3MisalignmentRule);
  run.base = {{"actor/pg_loss", 0.1},
              {std::string(kPearson), 0.999},
              {std::string(kKl), 3e-4}};
  return run;
}

TEST(R3MisalignmentTest, SecondPointFarBelowIsCritical) {
  FailureRun run = Aligned();
  EXPECT_TRUE(IsSilent(run.StepsTo(3)));
  EXPECT_TRUE(IsSilent(run.Step(4, {{kPearson, 0.94}})));
  const RuleResult r = run.Step(5, {{kPearson, 0.93}});
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{std::string(kPearson), 5, 0.93, 0.95}));
}

TEST(R3MisalignmentTest, FirstTwoStepsAreEnough) {
  FailureRun run = Aligned();
  EXPECT_TRUE(IsAbsent(run.Step(1, {{kPearson, 0.75}})));
  EXPECT_EQ(run.Step(2, {{kPearson, 0.75}}).level, Level::kCritical);
}

TEST(R3MisalignmentTest, KlOfBothStepsIsTheProof) {
  FailureRun run = Aligned();
  run.StepsTo(3);
  run.Step(4, {{kPearson, 0.98}, {kKl, 0.011}});
  const RuleResult r = run.Step(5, {{kPearson, 0.97}, {kKl, -0.012}});
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{std::string(kPearson), 5, 0.97, 0.99},
                          Evidence{std::string(kKl), 5, -0.012, 0.01}));
}

TEST(R3MisalignmentTest, LowEntropyWithoutKlIsSilent) {
  FailureRun run = Aligned();
  EXPECT_EQ(run.FiresUpTo(30, {{kPearson, 0.9836}, {kKl, 5e-4}}), std::nullopt);
}

TEST(R3MisalignmentTest, ExactlyAtItsBoundsIsSilent) {
  FailureRun run = Aligned();
  EXPECT_EQ(run.FiresUpTo(5, {{kPearson, 0.99}, {kKl, 0.5}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(10, {{kPearson, 0.95}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(15, {{kPearson, 0.96}, {kKl, 0.01}}), std::nullopt);
}

TEST(R3MisalignmentTest, OneOfTwoStepsIsSilent) {
  FailureRun run = Aligned();
  run.StepsTo(3);
  EXPECT_TRUE(IsSilent(run.Step(4, {{kPearson, 0.94}})));
  EXPECT_TRUE(IsSilent(run.Step(5, {{kPearson, 0.96}})));
  EXPECT_TRUE(IsSilent(run.Step(6, {{kPearson, 0.98}, {kKl, 0.2}})));
  EXPECT_TRUE(IsSilent(run.Step(7, {{kPearson, 0.995}, {kKl, 0.2}})));
  EXPECT_TRUE(IsSilent(run.Step(8, {{kPearson, 0.94}, {kKl, 0.2}})));
}

TEST(R3MisalignmentTest, WithoutPearsonThereIsNoSeries) {
  FailureRun run = Aligned();
  run.base.erase(std::string(kPearson));
  EXPECT_TRUE(IsAbsent(run.StepsTo(5, {{kKl, 0.2}})));
}

TEST(R3MisalignmentTest, WithoutKlOnlyPearsonProves) {
  FailureRun run = Aligned();
  run.base.erase(std::string(kKl));
  EXPECT_EQ(run.FiresUpTo(9, {{kPearson, 0.96}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(12, {{kPearson, 0.90}}), 11);
}

TEST(R3MisalignmentTest, NanIsNoPoint) {
  FailureRun run = Aligned();
  run.Step(1, {{kPearson, 0.94}});
  EXPECT_TRUE(IsAbsent(run.Step(2, {{kPearson, kNan}})));
  EXPECT_EQ(run.Step(3, {{kPearson, 0.94}}).level, Level::kCritical);
  run.Step(4, {{kPearson, 0.98}, {kKl, kNan}});
  EXPECT_TRUE(IsSilent(run.Step(5, {{kPearson, 0.98}, {kKl, 0.2}})));
}

TEST(R3MisalignmentTest, RewindTakesItsPointsAlong) {
  FailureRun run = Aligned();
  run.StepsTo(3);
  run.Step(4, {{kPearson, 0.94}});
  run.Step(5, {{kPearson, 0.94}});
  EXPECT_TRUE(IsSilent(run.Step(4)));
  EXPECT_TRUE(IsSilent(run.Step(5, {{kPearson, 0.94}})));
}

TEST(R3MisalignmentTest, TextDoesNotBlameReplayThatIsOff) {
  FailureRun run = Aligned();
  EXPECT_EQ(run.StepsTo(2, {{kPearson, 0.75}}).detail,
            "routing replay is misaligned");
  run.facts.routing_replay = true;
  EXPECT_EQ(run.Now().detail, "routing replay is misaligned");
  run.facts.routing_replay = false;
  EXPECT_EQ(run.Now().detail, "rollout and trainer disagree");
}

TEST(R3MisalignmentTest, RoundedConsoleIsJudged) {
  FailureRun run = Aligned();
  run.decimals = 3;
  EXPECT_EQ(run.FiresUpTo(5, {{kPearson, 0.98}, {kKl, 0.011}}), 2);
}

FailureRun Sao() {
  FailureRun run(kDisNotReachingActorRule);
  run.base = {{"critic/vf_explained_var", 0.3},
              {"actor/rollout_corr/rollout_is_eff_sample_size", 0.999}};
  return run;
}

TEST(DisNotReachingActorTest, ClipFractionIsAWarningAndCriticalInBypassMode) {
  FailureRun run = Sao();
  EXPECT_TRUE(IsSilent(run.StepsTo(3)));
  RuleResult r = run.Step(4, {{kClip, 0.0}});
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{std::string(kClip), 4, 0, std::nullopt}));
  run.facts.bypass_mode = false;
  EXPECT_EQ(run.Now().level, Level::kWarning);
  run.facts.bypass_mode = true;
  EXPECT_EQ(run.Now().level, Level::kCritical);
  EXPECT_TRUE(IsSilent(run.Step(5)));
}

TEST(DisNotReachingActorTest, ClipFractionThatIsNanIsThere) {
  FailureRun run = Sao();
  EXPECT_EQ(run.Step(1, {{kClip, kNan}}).level, Level::kWarning);
}

TEST(DisNotReachingActorTest, SharesOfWholeSequencesAreCriticalAtTheThird) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 4;
  run.facts.responses_per_prompt = 2;
  run.StepsTo(3, {{kLow, 0.0123}});
  EXPECT_TRUE(IsSilent(run.Step(4, {{kLow, 0.125}})));
  EXPECT_TRUE(IsSilent(run.Step(5, {{kLow, 0.25}})));
  const RuleResult r = run.Step(6, {{kLow, 0.5}});
  EXPECT_EQ(r.level, Level::kCritical);
  EXPECT_THAT(r.evidence,
              ElementsAre(Evidence{std::string(kLow), 6, 0.5, 0.125}));
}

TEST(DisNotReachingActorTest, ThreePointsAreEnough) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  EXPECT_EQ(run.FiresUpTo(5, {{kLow, 0.25}}), 3);
}

TEST(DisNotReachingActorTest, ShareOffAMultipleIsSilent) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  EXPECT_EQ(run.FiresUpTo(4, {{kLow, 0.25 + 1.1e-9}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(8, {{kLow, 0.25 - 1.1e-9}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(12, {{kLow, 0.25 + 0.9e-9}}), 11);
}

TEST(DisNotReachingActorTest, ToleranceIsIncluded) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  run.rules.options.failures.dis_tolerance = 1.0 / 1024;
  EXPECT_EQ(run.FiresUpTo(4, {{kLow, 0.25 + 1.0 / 1024}}), 3);
}

TEST(DisNotReachingActorTest, NoTokenBelowIsSilent) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  EXPECT_EQ(run.FiresUpTo(6, {{kLow, 0.0}}), std::nullopt);
}

TEST(DisNotReachingActorTest, BatchIsTheFilterReasonsOfTheStep) {
  FailureRun run = Sao();
  EXPECT_EQ(run.FiresUpTo(4, {{kLow, 0.25}}), std::nullopt);  // unknown
  EXPECT_EQ(run.FiresUpTo(9, {{kLow, 0.25},
                              {"trajectory_filter/reason/valid", 6},
                              {"trajectory_filter/reason/timeout", 2}}),
            7);
}

TEST(DisNotReachingActorTest, StepWithoutTrajectoriesHasNoBatch) {
  FailureRun run = Sao();
  EXPECT_EQ(
      run.FiresUpTo(5, {{kLow, 0.25}, {"trajectory_filter/reason/timeout", 0}}),
      std::nullopt);
  run.facts.prompts_per_step = 0;
  run.facts.responses_per_prompt = 8;
  EXPECT_EQ(run.FiresUpTo(9, {{kLow, 0.25}}), std::nullopt);
  EXPECT_EQ(run.FiresUpTo(
                14, {{kLow, 0.25}, {"trajectory_filter/reason/timeout", 8}}),
            12);
}

TEST(DisNotReachingActorTest, StepWithoutTheShareCountsNeitherWay) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  run.StepsTo(2, {{kLow, 0.25}});
  EXPECT_TRUE(IsSilent(run.Step(3)));
  EXPECT_TRUE(IsSilent(run.Step(4, {{kLow, kNan}})));
  EXPECT_EQ(run.Step(5, {{kLow, 0.25}}).level, Level::kCritical);
  EXPECT_TRUE(IsSilent(run.Step(6)));
}

TEST(DisNotReachingActorTest, RewindTakesItsPointsAlong) {
  FailureRun run = Sao();
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  EXPECT_EQ(run.StepsTo(3, {{kLow, 0.25}}).level, Level::kCritical);
  EXPECT_TRUE(IsSilent(run.Step(2, {{kLow, 0.25}})));
}

TEST(DisNotReachingActorTest, OrdinaryRunWithACriticIsNoSao) {
  FailureRun run(kDisNotReachingActorRule);
  run.base = {{"critic/vf_explained_var", 0.3},
              {"actor/entropy", 0.4},
              {std::string(kClip), 0.01},
              {"rollout_corr/rollout_is_ratio_fraction_low", 0.25}};
  run.facts.prompts_per_step = 8;
  run.facts.responses_per_prompt = 1;
  EXPECT_TRUE(IsAbsent(run.StepsTo(9)));
  run.facts.estimator = "gae";  // and bypass mode is not on
  EXPECT_TRUE(IsAbsent(run.Now()));
  run.facts.bypass_mode = true;
  EXPECT_EQ(run.Now().level, Level::kCritical);
  run.facts.estimator = "grpo";
  EXPECT_TRUE(IsAbsent(run.Now()));
}

TEST(DisNotReachingActorTest, RunWithoutACriticIsNoSao) {
  FailureRun run(kDisNotReachingActorRule);
  run.base = {{"actor/rollout_corr/rollout_is_mean", 1.0},
              {std::string(kClip), 0.0}};
  EXPECT_TRUE(IsAbsent(run.StepsTo(9)));
}

}  // namespace
}  // namespace rlrun
