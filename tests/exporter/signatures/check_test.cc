#include "exporter/signatures/check.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

constexpr double kNan = RunBuilder::kNan;

// A bound on one key: sick from `from` on.
struct BoundCase {
  const char* check;
  const char* key;
  double healthy, at_bound, sick;
  std::size_t alert_after;
  bool sao = false;
};

void PrintTo(const BoundCase& c, std::ostream* os) { *os << c.check; }

const std::vector<BoundCase>& BoundCases() {
  static const std::vector<BoundCase> cases = {
      BoundCase{"routing_replay_pearson",
                "training/rollout_actor_probs_pearson_corr", 0.999, 0.99,
                0.9899, 2},
      BoundCase{"invalid_ratio", "trajectory_filter/invalid_ratio", 0, 0.10,
                0.11, 2},
      BoundCase{"response_clip_ratio", "response_length/clip_ratio", 0.1, 0.15,
                0.16, 5},
      BoundCase{"aborted_ratio", "response/aborted_ratio", 0, 0.05, 0.06, 2},
      BoundCase{"rollout_kl", "rollout_corr/kl", 3e-4, 0.01, 0.011, 3},
      BoundCase{"vf_explained_var", "critic/vf_explained_var", 0.3, 0, -0.01,
                3},
      BoundCase{"critic_grad_norm", "critic/grad_norm", 10, 30, 31, 3, true},
      BoundCase{"critic_advantages_mean", "critic/advantages/mean", 0, -0.01,
                -0.011, 3, true},
      BoundCase{"eff_sample_size",
                "actor/rollout_corr/rollout_is_eff_sample_size", 1, 0.99, 0.9,
                3, true}};
  return cases;
}

// Those of SAO runs whose key alone does not make a run one.
std::vector<BoundCase> SaoBoundCases() {
  std::vector<BoundCase> cases;
  for (const BoundCase& c : BoundCases()) {
    if (c.sao && !std::string_view(c.key).starts_with("actor/rollout_corr/")) {
      cases.push_back(c);
    }
  }
  return cases;
}

class BoundTest : public testing::TestWithParam<BoundCase> {
 protected:
  BoundTest() {
    run_.Key("actor/lr", 1e-6);
    if (GetParam().sao) {
      run_.Key("critic/vf_explained_var", 0.4);
      run_.Key("actor/rollout_corr/any", 1);
    }
  }
  RunBuilder run_;
};

TEST_P(BoundTest, FailsAfterItsStepsAndIsCountedFromZeroAgain) {
  const BoundCase c = GetParam();
  run_.Key(c.key, [c](int i) { return i < 40 ? c.healthy : c.sick; });
  run_.Play(1, 39);
  EXPECT_EQ(run_.failing(c.check), 0u);
  run_.Play(40, 40);
  EXPECT_EQ(run_.failing(c.check), 1u);
  EXPECT_EQ(run_.check(c.check)->failed(), c.alert_after == 1);
  const int last = 39 + static_cast<int>(c.alert_after);
  if (last > 40) run_.Play(41, last);
  EXPECT_TRUE(run_.check(c.check)->failed());
  EXPECT_EQ(run_.check(c.check)->alert_after, c.alert_after);
  EXPECT_EQ(run_.check(c.check)->value, c.sick);
  EXPECT_EQ(run_.check(c.check)->key, c.key);
  run_.Key(c.key, c.healthy).Play(last + 1, last + 1);
  EXPECT_EQ(run_.failing(c.check), 0u);
}

TEST_P(BoundTest, ExactlyAtTheBoundIsHealthy) {
  const BoundCase c = GetParam();
  run_.Key(c.key, c.at_bound).Play(1, 40);
  EXPECT_EQ(run_.failing(c.check), 0u);
}

TEST_P(BoundTest, MissingInputIsAbsentAndNanCountsNeitherWay) {
  const BoundCase c = GetParam();
  if (std::string_view(c.key) != "critic/vf_explained_var") {
    run_.Play(1, 30);
    EXPECT_EQ(run_.failing(c.check), std::nullopt);
  }
  run_.Key(c.key, c.sick).Play(31, 32);
  run_.Key(c.key, kNan).Play(33, 33);
  EXPECT_EQ(run_.failing(c.check), 2u);
  run_.Key(c.key, c.sick).Play(34, 34);
  EXPECT_EQ(run_.failing(c.check), 3u);
  run_.Without(c.key).Play(35, 53);
  EXPECT_EQ(run_.failing(c.check), 3u);
  run_.Play(54, 54);
  EXPECT_EQ(run_.failing(c.check), std::nullopt);
}

TEST_P(BoundTest, RewindRestoresTheCount) {
  const BoundCase c = GetParam();
  run_.Key(c.key, c.sick).Play(1, 30);
  run_.Key(c.key, c.healthy).Play(31, 33);
  run_.Key(c.key, c.sick).Play(31, 31);
  EXPECT_EQ(run_.failing(c.check),
            std::string_view(c.key) == "critic/vf_explained_var" ? 11u : 31u);
}

// Of kinds of runs that have the key and are no SAO runs.
class SaoBoundTest : public BoundTest {};

TEST_P(SaoBoundTest, OnlyOnRunsOfItsKind) {
  const BoundCase c = GetParam();
  RunBuilder run;
  run.Key("actor/lr", 1e-6).Key("actor/entropy", 1).Key("rollout_corr/kl", 0);
  run.Key("critic/vf_explained_var", 0.4).Key(c.key, c.sick).Play(1, 10);
  EXPECT_EQ(run.failing(c.check), std::nullopt);
  RunFacts facts;  // told by its config instead
  facts.estimator = "gae";
  facts.bypass_mode = true;
  run.Facts(facts).Play(11, 12);
  EXPECT_EQ(run.failing(c.check), 2u);
}

// Steps that are not evaluated in between are none of the failing ones.
TEST(Check, TellsTheFirstOfTheFailingSteps) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6).MaybeKey("rollout_corr/kl", [](int step) {
    if (step == 8) return std::optional<double>();
    return std::optional<double>(step >= 7 || step == 3 ? 0.02 : 3e-4);
  });
  run.Play(1, 3);
  EXPECT_EQ(run.check("rollout_kl")->since_step, 3);
  run.Play(4, 6);
  EXPECT_EQ(run.check("rollout_kl")->since_step, std::nullopt);
  run.Play(7, 10);
  EXPECT_EQ(run.failing("rollout_kl"), 3u);
  EXPECT_EQ(run.check("rollout_kl")->since_step, 7);
  run.Play(9, 9);  // a resume
  EXPECT_EQ(run.check("rollout_kl")->since_step, 7);
}

INSTANTIATE_TEST_SUITE_P(Table, BoundTest, testing::ValuesIn(BoundCases()));
INSTANTIATE_TEST_SUITE_P(Table, SaoBoundTest,
                         testing::ValuesIn(SaoBoundCases()));

RunBuilder WithLr(double lr) {
  RunBuilder run;
  run.Key("actor/lr", lr);
  return run;
}

TEST(ActorLr, ZeroFails) {
  RunBuilder run = WithLr(0);
  run.Play(1, 3);
  EXPECT_EQ(run.failing("actor_lr"), 3u);
  EXPECT_EQ(run.check("actor_lr")->min, 0.0);
}

TEST(ActorLr, ZeroInWarmUpOrInTheLastPartOfThePlanIsHealthy) {
  RunBuilder run = WithLr(0);
  RunFacts facts;
  facts.lr_warmup_steps = 5;
  facts.total_steps = 100;
  run.Facts(facts).Play(1, 5);
  EXPECT_EQ(run.failing("actor_lr"), 0u);
  run.Play(6, 6);
  EXPECT_EQ(run.failing("actor_lr"), 1u);
  run.Play(98, 98);
  EXPECT_EQ(run.failing("actor_lr"), 2u);
  run.Play(99, 99);
  EXPECT_EQ(run.failing("actor_lr"), 0u);
}

TEST(ActorLr, WarmUpAsAShareOfThePlan) {
  RunBuilder run = WithLr(0);
  RunFacts facts;
  facts.lr_warmup_ratio = 0.1;
  facts.total_steps = 100;
  run.Facts(facts).Play(10, 11);
  EXPECT_EQ(run.failing("actor_lr"), 1u);
}

TEST(ActorLr, ConstantScheduleStaysWithinFivePercent) {
  RunFacts facts;
  facts.lr = 1e-6;
  facts.lr_scheduler = "constant";
  RunBuilder run = WithLr(1.05e-6);
  run.Facts(facts).Play(1, 1);
  EXPECT_EQ(run.failing("actor_lr"), 0u);
  run.Key("actor/lr", 1.06e-6).Play(2, 2);
  EXPECT_EQ(run.failing("actor_lr"), 1u);
  run.Key("actor/lr", 0.95e-6).Play(3, 3);
  EXPECT_EQ(run.failing("actor_lr"), 0u);
  facts.lr_scheduler = "cosine";
  run.Facts(facts).Key("actor/lr", 0.1e-6).Play(4, 4);
  EXPECT_EQ(run.failing("actor_lr"), 0u);
}

TEST(ActorLr, RoundedConsoleSaysNothing) {
  RunBuilder run = WithLr(0);
  run.Decimals(3).Play(1, 5);
  EXPECT_EQ(run.failing("actor_lr"), std::nullopt);
}

TEST(ActorGradNorm, FarBelowItsOwnEarlierStepsFromTheSixthPoint) {
  RunBuilder run;
  run.Key("actor/grad_norm", [](int i) { return i <= 5 ? 0.3 : 0.03; });
  run.Play(1, 5);
  EXPECT_EQ(run.failing("actor_grad_norm"), std::nullopt);
  run.Play(6, 10);
  EXPECT_EQ(run.failing("actor_grad_norm"), 0u);  // exactly at 0.1 x U
  run.Key("actor/grad_norm", 0.0299).Play(11, 15);
  EXPECT_TRUE(run.check("actor_grad_norm")->failed());
}

TEST(ActorGradNorm, TiedStepsAreNoPoints) {
  RunBuilder run;
  run.Key("actor/grad_norm", [](int i) { return i <= 6 ? 0.3 : 0.0; });
  run.Key("critic/score/max", 1);
  run.Key("critic/score/min", [](int i) { return i <= 6 ? 0.0 : 1.0; });
  run.Play(1, 12);
  EXPECT_EQ(run.failing("actor_grad_norm"), 0u);
}

TEST(RewardNonzero, FlatZeroSinceStepOne) {
  RunBuilder run;
  run.Key("critic/rewards/mean", 0).Key("critic/rewards/max", 0);
  run.Play(1, 5);
  EXPECT_TRUE(run.check("reward_nonzero")->failed());
  run.Key("critic/rewards/max", 1).Play(6, 6);
  EXPECT_EQ(run.failing("reward_nonzero"), 0u);
  run.Key("critic/rewards/max", 0).Play(7, 20);
  EXPECT_EQ(run.failing("reward_nonzero"), 0u);
}

TEST(RewardNonzero, MeanZeroBetweenMinusAndPlusOneIsHealthy) {
  RunBuilder run;
  run.Key("critic/score/mean", 0).Key("critic/score/max", 1);
  run.Key("critic/score/min", -1).Play(1, 10);
  EXPECT_EQ(run.failing("reward_nonzero"), 0u);
}

TEST(NumTurns, FallsToItsFloor) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6).Key("num_turns/mean", [](int i) {
    return i <= 5 ? 20.0 : 8.0;
  });
  run.Play(1, 6);
  EXPECT_EQ(run.failing("num_turns"), 0u);  // exactly 0.4 x F
  run.Key("num_turns/mean", 7.9).Play(7, 8);
  EXPECT_TRUE(run.check("num_turns")->failed());
  RunBuilder users;  // some trainers count user turns: their floor is 2
  users.Key("actor/lr", 1e-6).Key("training/num_turns/mean", [](int i) {
    return i < 6 ? 4.0 : 2.0;
  });
  users.Play(1, 7);
  EXPECT_TRUE(users.check("num_turns")->failed());
  EXPECT_EQ(users.check("num_turns")->min, 2.1);
}

TEST(NumTurns, RunsOfFewTurnsAreNotJudged) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6).Key("num_turns/mean", [](int i) {
    return i < 6 ? 3.9 : 1.0;
  });
  run.Play(1, 10);
  EXPECT_EQ(run.failing("num_turns"), std::nullopt);
}

TEST(FilterShares, ShareOfAllReasonsOfTheStep) {
  RunBuilder run;
  run.Key("actor/lr", 1e-6);
  run.Key("trajectory_filter/reason/agent_completed", 96);
  run.Key("trajectory_filter/reason/env_setup_failed", 2);
  run.Key("trajectory_filter/reason/timeout", 2).Play(1, 2);
  EXPECT_EQ(run.failing("env_setup_failed"), 0u);
  run.Key("trajectory_filter/reason/env_setup_failed", 3).Play(3, 4);
  EXPECT_TRUE(run.check("env_setup_failed")->failed());
  EXPECT_EQ(run.check("env_setup_failed")->label, "share of env_setup_failed");
  EXPECT_EQ(run.failing("timeout_share"), 0u);
  run.Without("trajectory_filter/reason/env_setup_failed").Play(5, 5);
  EXPECT_EQ(run.failing("env_setup_failed"), 0u);
  run.Key("trajectory_filter/reason/timeout", 30).Play(6, 8);
  EXPECT_TRUE(run.check("timeout_share")->failed());
  run.Without("trajectory_filter/reason/timeout");
  run.Without("trajectory_filter/reason/agent_completed").Play(9, 10);
  EXPECT_EQ(run.failing("timeout_share"), 3u);  // neither way
}

TEST(ValNonzero, AllScoresZeroBehindTheStart) {
  RunBuilder run;
  run.Line(0, {{"val-core/a/acc/mean@8", 0}});
  EXPECT_EQ(run.failing("val_nonzero"), std::nullopt);
  run.Line(10, {{"val-core/a/acc/mean@8", 0}, {"val-core/b/acc/mean@8", 0.1}});
  EXPECT_EQ(run.failing("val_nonzero"), 0u);
  run.Line(20, {{"val-core/a/acc/mean@8", 0}, {"val-core/b/acc/mean@8", 0}});
  EXPECT_TRUE(run.check("val_nonzero")->failed());
  run.Line(30, {{"val-core/a/acc/mean@8", kNan}});
  EXPECT_EQ(run.failing("val_nonzero"), 1u);
}

// The value is the largest of the scores: so is the key.
TEST(ValNonzero, KeyIsTheOneOfTheValue) {
  RunBuilder run;
  run.Line(10, {{"val-core/a/acc/mean@8", 0},
                {"val-core/b/acc/mean@8", 0.25},
                {"val-core/c/acc/mean@8", 0.5}});
  EXPECT_EQ(run.check("val_nonzero")->key, "val-core/c/acc/mean@8");
  EXPECT_EQ(run.check("val_nonzero")->value, 0.5);
  run.Line(20, {{"val-core/a/acc/mean@8", kNan}});
  EXPECT_EQ(run.check("val_nonzero")->key, "val-core/c/acc/mean@8");
}

TEST(ValNonzero, OneZeroOnARoundedConsoleIsNoEvidence) {
  RunBuilder run;
  run.Decimals(3);
  run.Line(10, {{"val-core/a/acc/mean@8", 0}});
  EXPECT_EQ(run.failing("val_nonzero"), 0u);
  run.Line(20, {{"val-core/a/acc/mean@8", 0}});
  EXPECT_TRUE(run.check("val_nonzero")->failed());
}

TEST(VfExplainedVariance, EarlyStepsAreHealthyAndDeadReturnsNoPoints) {
  RunBuilder run;
  run.Key("critic/vf_explained_var", -0.5).Play(1, 20);
  EXPECT_EQ(run.failing("vf_explained_var"), 0u);
  run.Play(21, 21);
  EXPECT_EQ(run.failing("vf_explained_var"), 1u);
  run.Key("critic/returns/max", 1).Key("critic/returns/min", 1).Play(22, 25);
  EXPECT_EQ(run.failing("vf_explained_var"), 1u);
}

TEST(PgClipfracAbsent, PresentOnARunOfThisKindFails) {
  RunBuilder run;
  run.Key("critic/vf_explained_var", 0.4).Key("actor/rollout_corr/kl", 0);
  run.Play(1, 3);
  EXPECT_EQ(run.failing("pg_clipfrac_absent"), 0u);
  run.Key("actor/pg_clipfrac", 0).Play(4, 4);
  EXPECT_TRUE(run.check("pg_clipfrac_absent")->failed());
}

TEST(Checks, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const Check& check : Checks()) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_FALSE(check.means.empty()) << check.name;
  }
  EXPECT_EQ(names.size(), 17u);
}

}  // namespace
}  // namespace rlrun
