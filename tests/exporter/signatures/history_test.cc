#include "exporter/signatures/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

using Pairs = RunBuilder::Pairs;
constexpr double kNan = RunBuilder::kNan;

StepRecord Record(std::int64_t step, const Pairs& pairs,
                  std::uint8_t decimals = StepRecord::kExponent) {
  StepRecord record;
  record.step = step;
  record.decimals = decimals;
  for (const auto& [key, value] : pairs) record.Add(key, value);
  return record;
}

class HistoryTest : public testing::Test {
 protected:
  History::Change Apply(std::int64_t step, const Pairs& pairs,
                        std::uint8_t decimals = StepRecord::kExponent) {
    return history_.Apply(Record(step, pairs, decimals));
  }
  std::size_t points(Role role) const { return history_.series(role).count(); }
  History history_;
};

TEST_F(HistoryTest, HeartbeatsAndValidationsAreNoTrainingSteps) {
  EXPECT_FALSE(Apply(1, {}).training);
  EXPECT_FALSE(Apply(1, {{"fully_async/count/x", 3}}).training);
  EXPECT_FALSE(
      Apply(1, {{"rollout_corr/kl", 3}, {"num_turns/mean", 4}}).training);
  const History::Change val = Apply(1, {{"val-core/a/acc/mean@8", 0.5}});
  EXPECT_FALSE(val.training);
  EXPECT_TRUE(val.validation);
  EXPECT_EQ(history_.steps(), 0u);
  EXPECT_TRUE(Apply(1, {{"train/loss", 1}}).training);
  EXPECT_EQ(history_.steps(), 1u);
}

TEST_F(HistoryTest, LineInFrontOfItsTrainingLineIsMerged) {
  Apply(1, {{"num_turns/mean", 4}});
  Apply(2, {{"num_turns/mean", 5}});
  Apply(1, {{"actor/lr", 1}});
  EXPECT_EQ(history_.newest().value(Role::kTurns), 4.0);
  Apply(2, {{"actor/lr", 1}});
  EXPECT_EQ(history_.newest().value(Role::kTurns), 5.0);
  EXPECT_EQ(points(Role::kTurns), 2u);
}

TEST_F(HistoryTest, SameStepAgainMergesByKeyAndReplacesItsPoints) {
  Apply(1, {{"actor/lr", 1}, {"critic/score/mean", 0.5}});
  const History::Change again = Apply(1, {{"critic/score/mean", 0.7}});
  EXPECT_TRUE(again.again);
  EXPECT_EQ(history_.steps(), 1u);
  EXPECT_EQ(points(Role::kTaskReward), 1u);
  EXPECT_EQ(history_.series(Role::kTaskReward).newest(), 0.7);
  EXPECT_EQ(history_.newest().value(Role::kActorLr), 1.0);
  EXPECT_TRUE(again.roles[RoleIndex(Role::kTaskReward)]);
  EXPECT_FALSE(again.roles[RoleIndex(Role::kActorLr)]);
}

TEST_F(HistoryTest, SmallerTrainingStepDropsWhatIsAtOrBehindIt) {
  for (int i = 1; i <= 30; ++i) Apply(i, {{"critic/score/mean", i}});
  const History::Change change = Apply(21, {{"critic/score/mean", 7}});
  EXPECT_EQ(change.rewound_to, 21);
  EXPECT_EQ(history_.rewinds(), 1u);
  EXPECT_EQ(history_.steps(), 21u);
  EXPECT_EQ(points(Role::kTaskReward), 21u);
  EXPECT_EQ(history_.series(Role::kTaskReward).newest(1), 20);
}

TEST_F(HistoryTest, LateLineOfAnOlderStepIsNoRewind) {
  Apply(5, {{"actor/lr", 1}});
  Apply(4, {{"num_turns/mean", 3}});
  EXPECT_EQ(history_.rewinds(), 0u);
  EXPECT_EQ(history_.newest().step, 5);
  EXPECT_EQ(points(Role::kTurns), 0u);
}

TEST_F(HistoryTest, TiedStepHasNoGradientPoint) {
  const Pairs gradient = {{"actor/grad_norm", 1}};
  const auto tied = [&](Pairs pairs) {
    pairs.insert(pairs.end(), gradient.begin(), gradient.end());
    Apply(history_.newest().step + 1, pairs);
    return history_.newest().tied;
  };
  EXPECT_TRUE(tied({{"critic/score/max", 1}, {"critic/score/min", 1}}));
  EXPECT_TRUE(tied({{"critic/rewards/max", 0}, {"critic/rewards/min", 0}}));
  EXPECT_TRUE(
      tied({{"critic/advantages/max", 0}, {"critic/advantages/min", 0}}));
  EXPECT_TRUE(tied({{"frac_reward_zero_std", 0.9}}));
  EXPECT_EQ(points(Role::kActorGradNorm), 0u);
  EXPECT_FALSE(
      tied({{"critic/advantages/max", 2}, {"critic/advantages/min", 2}}));
  EXPECT_FALSE(tied({{"frac_reward_zero_std", 0.899}}));
  EXPECT_FALSE(tied({{"critic/score/max", kNan}, {"critic/score/min", kNan}}));
  EXPECT_FALSE(tied({}));
  EXPECT_EQ(points(Role::kActorGradNorm), 4u);
  EXPECT_EQ(history_.tied().front(), false);
  EXPECT_EQ(history_.tied().back(), true);
}

TEST_F(HistoryTest, LaterLineThatTiesTheStepTakesItsGradientPointBack) {
  Apply(1, {{"actor/grad_norm", 1}});
  EXPECT_EQ(points(Role::kActorGradNorm), 1u);
  Apply(1, {{"critic/score/max", 1}, {"critic/score/min", 1}});
  EXPECT_EQ(points(Role::kActorGradNorm), 0u);
  EXPECT_TRUE(history_.tied().front());
}

TEST_F(HistoryTest, NonfiniteValueIsPresentButNoPoint) {
  Apply(1, {{"actor/kl_loss", kNan}, {"critic/score/mean", RunBuilder::kInf}});
  EXPECT_TRUE(history_.newest().has(Role::kKlLoss));
  EXPECT_FALSE(history_.newest().point(Role::kKlLoss));
  EXPECT_EQ(points(Role::kTaskReward), 0u);
}

TEST_F(HistoryTest, TaskRewardIsTheScoreOnceItIsPrinted) {
  Apply(1, {{"critic/rewards/mean", -14}});
  EXPECT_EQ(history_.key(Role::kTaskReward), "critic/rewards/mean");
  Apply(2, {{"critic/rewards/mean", -1}, {"critic/score/mean", 0.4}});
  EXPECT_EQ(history_.key(Role::kTaskReward), "critic/score/mean");
  EXPECT_EQ(points(Role::kTaskReward), 1u);
  Apply(3, {{"critic/rewards/mean", -2}});
  EXPECT_EQ(points(Role::kTaskReward), 1u);
  Apply(2, {{"critic/rewards/mean", -3}});
  EXPECT_EQ(history_.key(Role::kTaskReward), "critic/rewards/mean");
  EXPECT_EQ(history_.series(Role::kTaskReward).newest(), -3);
  EXPECT_EQ(points(Role::kTaskReward), 2u);
}

TEST_F(HistoryTest, ReasonMissingBesideOthersIsZero) {
  Apply(1, {{"actor/lr", 1},
            {"trajectory_filter/reason/agent_completed", 90},
            {"trajectory_filter/reason/timeout", 10}});
  EXPECT_EQ(history_.newest().value(Role::kEnvSetupFailed), 0.0);
  EXPECT_EQ(history_.newest().value(Role::kTimeoutShare), 0.1);
  Apply(2, {{"actor/lr", 1}});
  EXPECT_FALSE(history_.newest().has(Role::kEnvSetupFailed));
  Apply(3, {{"actor/lr", 1}, {"trajectory_filter/invalid_count", 0}});
  EXPECT_EQ(history_.newest().value(Role::kEnvSetupFailed), 0.0);
  EXPECT_FALSE(history_.newest().has(Role::kEnvSetupFailedShare));
}

TEST_F(HistoryTest, OldFilterKeysAreSharesOfTheBatchOrOfNothing) {
  const Pairs pairs = {{"actor/lr", 1},
                       {"trajectory_filter/env_failure_count", 4},
                       {"trajectory_filter/timeout_count", 4}};
  Apply(1, pairs);
  EXPECT_EQ(history_.newest().value(Role::kEnvSetupFailed), 4.0);
  EXPECT_FALSE(history_.newest().has(Role::kEnvSetupFailedShare));
  EXPECT_EQ(history_.key(Role::kEnvSetupFailed),
            "trajectory_filter/env_failure_count");
  history_.SetBatch(64);
  Apply(2, pairs);
  EXPECT_EQ(history_.newest().value(Role::kEnvSetupFailedShare), 4.0 / 64);
}

TEST_F(HistoryTest, StepTimeLeavesOutValidationAndSavingWhereTheyAreInIt) {
  Apply(1, {{"actor/lr", 1},
            {"timing_s/step", 100},
            {"timing_s/testing", 30},
            {"timing_s/save_checkpoint", 20}});
  EXPECT_EQ(history_.newest().value(Role::kStepTime), 50.0);
  Apply(2, {{"actor/lr", 1}, {"timing_s/step", 20}, {"timing_s/testing", 30}});
  EXPECT_EQ(history_.newest().value(Role::kStepTime), 20.0);
}

TEST_F(HistoryTest, OldAndNewKeysOfOneRoleAreOneThing) {
  Apply(1, {{"actor/entropy_loss", 2}, {"training/num_turns/mean", 5}});
  EXPECT_EQ(history_.newest().value(Role::kEntropy), 2.0);
  EXPECT_EQ(history_.key(Role::kEntropy), "actor/entropy_loss");
  EXPECT_EQ(history_.key(Role::kTurns), "training/num_turns/mean");
  Apply(1, {{"actor/entropy_loss", 3}});
  EXPECT_EQ(history_.newest().value(Role::kEntropy), 3.0);
  Apply(1, {{"actor/entropy", 1}, {"num_turns/mean", 6}});
  EXPECT_EQ(history_.newest().value(Role::kEntropy), 1.0);
  EXPECT_EQ(history_.newest().value(Role::kTurns), 6.0);
}

TEST_F(HistoryTest, ExplainedVarianceOfDeadReturnsIsNoPoint) {
  Apply(1, {{"critic/vf_explained_var", -1e9},
            {"critic/returns/min", 0.5},
            {"critic/returns/max", 0.5000005}});
  EXPECT_EQ(points(Role::kExplainedVariance), 0u);
  Apply(2, {{"critic/vf_explained_var", 0.1},
            {"critic/returns/min", 0.5},
            {"critic/returns/max", 0.50001}});
  Apply(3, {{"critic/vf_explained_var", 0.1}});
  EXPECT_EQ(points(Role::kExplainedVariance), 2u);
  EXPECT_TRUE(history_.has_critic());
}

TEST_F(HistoryTest, FlatZeroRewardCountsFromTheFirstStep) {
  const Pairs zero = {{"critic/rewards/mean", 0}, {"critic/rewards/max", 0}};
  Apply(1, zero);
  Apply(2, zero);
  EXPECT_EQ(history_.flat_zero_steps(), 2u);
  Apply(3, {{"critic/rewards/mean", 0}, {"critic/rewards/max", 1}});
  EXPECT_EQ(history_.flat_zero_steps(), 0u);
  Apply(4, zero);
  EXPECT_EQ(history_.flat_zero_steps(), 0u);
  Apply(3, zero);  // a rewind drops the step that was not zero
  EXPECT_EQ(history_.flat_zero_steps(), 3u);
}

TEST_F(HistoryTest, QuantumIsOfTheWholeRunAndOnlyShrinksToNothing) {
  EXPECT_EQ(history_.quantum(), 0);
  Apply(1, {{"actor/lr", 1}}, 0);
  EXPECT_EQ(history_.quantum(), 0);  // integers alone say nothing
  Apply(2, {{"actor/lr", 0}}, 3);
  EXPECT_EQ(history_.quantum(), 0.0005);
  Apply(3, {{"actor/lr", 0}}, 4);
  EXPECT_EQ(history_.quantum(), 0.00005);
  Apply(4, {{"actor/lr", 0}}, 5);
  EXPECT_EQ(history_.quantum(), 0);
  Apply(5, {{"actor/lr", 0}}, 3);
  EXPECT_EQ(history_.quantum(), 0);
}

TEST_F(HistoryTest, MainScoreHasTheLargestN) {
  Apply(10, {{"val-core/a/b/acc/mean@1", 0.1},
             {"val-core/a/b/acc/mean@16", 0.3},
             {"val-core/a/b/acc/mean@8", 0.2},
             {"val-core/a/b/acc/std@16", 9},
             {"val-core/a/b/acc/best@16/mean", 9},
             {"val-aux/a/b/score/mean@16", 9},
             {"val-aux/num_turns/max", 12},
             {"val/test_score/old", 0.4},
             {"val/older/test_score", kNan}});
  ASSERT_EQ(history_.validations().size(), 1u);
  const Validation& v = history_.validations().back();
  EXPECT_EQ(v.finite("a/b")->value, 0.3);
  EXPECT_EQ(v.finite("a/b")->key, "val-core/a/b/acc/mean@16");
  EXPECT_EQ(v.finite("old")->value, 0.4);
  EXPECT_EQ(v.finite("older"), nullptr);
  EXPECT_EQ(v.frame.scores, 3u);
  EXPECT_EQ(v.frame.finite, 2u);
  EXPECT_EQ(v.frame.turns_max, 12.0);
}

TEST_F(HistoryTest, ValidationInFrontOfItsRewindingTrainingLineStays) {
  for (int i = 1; i <= 20; ++i) {
    Apply(i, {{"actor/lr", 1}});
    if (i % 5 == 0) Apply(i, {{"val-core/a/acc/mean@1", i}});
  }
  Apply(10, {{"val-core/a/acc/mean@1", 0.5}});
  Apply(10, {{"actor/lr", 1}});
  ASSERT_EQ(history_.validations().size(), 2u);
  EXPECT_EQ(history_.validations().back().finite("a")->value, 0.5);
  Apply(3, {{"actor/lr", 1}});
  EXPECT_TRUE(history_.validations().empty());
  EXPECT_FALSE(history_.first_validation());
}

TEST_F(HistoryTest, FirstValidationOutlivesTheKeptOnes) {
  for (int i = 1; i <= 100; ++i) Apply(i, {{"val/test_score/a", i}});
  EXPECT_EQ(history_.validations().size(), 64u);
  EXPECT_EQ(history_.first_validation()->finite("a")->value, 1);
}

TEST_F(HistoryTest, StepBeyondAnyRunIsIgnored) {
  Apply(1, {{"actor/lr", 1}});
  Apply(std::int64_t{1} << 40, {{"actor/lr", 1}});
  EXPECT_EQ(history_.newest().step, 1);
}

// Everything at once, over and over: a rewind leaves no trace.
TEST_F(HistoryTest, RewindRestoresAllThatRulesRead) {
  const auto pairs = [](int i, double x) {
    return Pairs{{"critic/score/mean", x * std::sin(i)},
                 {"critic/score/max", i % 7 == 0 ? 0.0 : 1.0},
                 {"critic/score/min", 0},
                 {"actor/grad_norm", 1 + 0.1 * std::cos(i)},
                 {"actor/lr", 1e-6},
                 {"train/loss", 2 + std::cos(i)},
                 {"val-core/a/acc/mean@8", 0.01 * i}};
  };
  History direct;
  for (int i = 1; i <= 700; ++i) {
    direct.Apply(Record(i, pairs(i, 1)));
    history_.Apply(Record(i, pairs(i, 1)));
    if (i % 97 != 0) continue;
    for (int j = i + 1; j <= i + 50; ++j)
      history_.Apply(Record(j, pairs(j, 9)));
  }
  EXPECT_EQ(direct.steps(), history_.steps());
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(direct.tied()[i], history_.tied()[i]);
    EXPECT_EQ(direct.training_steps()[i], history_.training_steps()[i]);
  }
  for (const Role role : {Role::kTaskReward, Role::kActorGradNorm,
                          Role::kTrainLoss, Role::kActorLr}) {
    const Series& a = direct.series(role);
    const Series& b = history_.series(role);
    EXPECT_EQ(a.count(), b.count());
    EXPECT_EQ(a.F(), b.F());
    EXPECT_EQ(a.T(3), b.T(3));
    EXPECT_EQ(a.Noise(0), b.Noise(0));
    for (std::size_t c = 0; c < kCarried; ++c) {
      const auto x = a.carried(static_cast<Carried>(c));
      if (x.empty()) continue;
      EXPECT_EQ(x.back(), b.carried(static_cast<Carried>(c)).back());
    }
  }
  EXPECT_EQ(direct.validations().back().finite("a")->value,
            history_.validations().back().finite("a")->value);
}

}  // namespace
}  // namespace rlrun
