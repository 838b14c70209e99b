// Trainers whose steps and rollouts are counted apart, and whose words are not
// verl's: which training step a line of a rollout belongs to, and which role a
// key has.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "exporter/signatures/history.h"
#include "exporter/signatures/judge.h"
#include "exporter/signatures/role.h"

namespace rlrun {
namespace {

using Pairs = std::vector<std::pair<std::string, double>>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

StepRecord Line(LineClass line_class, std::int64_t number, const Pairs& pairs,
                KeyDialect dialect = KeyDialect::kSlime) {
  StepRecord record;
  record.step = number;
  record.line_class = line_class;
  record.dialect = dialect;
  record.decimals = StepRecord::kExponent;
  const bool slime =
      dialect == KeyDialect::kSlime || dialect == KeyDialect::kSlimeSft;
  record.by_rollout = slime && line_class != LineClass::kTrain &&
                      line_class != LineClass::kCritic;
  for (const auto& [key, value] : pairs) record.Add(key, value);
  return record;
}

class RolloutAxisTest : public testing::Test {
 protected:
  History::Change Step(std::int64_t step) {
    return history_.Apply(Line(LineClass::kTrain, step,
                               {{"train/pg_loss", 0.5}, {"train/lr-pg_0", 1}}));
  }
  History::Change Rollout(std::int64_t number, double reward) {
    return history_.Apply(
        Line(LineClass::kRollout, number, {{"rollout/raw_reward", reward}}));
  }
  History::Change Generated(std::int64_t number, double length) {
    return history_.Apply(Line(LineClass::kRollouter, number,
                               {{"rollout/response_len/mean", length}}));
  }
  std::optional<double> Newest(Role role) const {
    return history_.newest().value(role);
  }
  History history_;
};

TEST_F(RolloutAxisTest, ARolloutBelongsToTheFirstStepBehindIt) {
  EXPECT_FALSE(Rollout(12, 0.25).training);
  EXPECT_TRUE(Step(24).training);
  EXPECT_EQ(Newest(Role::kTaskReward), 0.25);
  Step(25);
  EXPECT_EQ(Newest(Role::kTaskReward), std::nullopt);
  Rollout(13, 0.5);
  Step(26);
  EXPECT_EQ(history_.steps(), 3u);
  EXPECT_EQ(history_.series(Role::kTaskReward).count(), 2u);
  EXPECT_EQ(history_.key(Role::kTaskReward), "rollout/raw_reward");
}

TEST_F(RolloutAxisTest, TheNextRolloutMayBeGeneratedAlready) {
  Generated(4, 100);
  Rollout(4, 0.25);
  Generated(5, 900);
  Step(4);
  EXPECT_EQ(Newest(Role::kResponseLength), 100);
  Rollout(5, 0.5);
  Step(5);
  EXPECT_EQ(Newest(Role::kResponseLength), 900);
}

TEST_F(RolloutAxisTest, WithoutTheTrainersLineTheOldestOneIsUsed) {
  Generated(4, 100);
  Generated(5, 900);
  Step(4);
  EXPECT_EQ(Newest(Role::kResponseLength), 100);
  Step(5);
  EXPECT_EQ(Newest(Role::kResponseLength), 900);
}

TEST_F(RolloutAxisTest, TimesComeBehindTheStep) {
  Rollout(4, 0.25);
  Step(4);
  const auto change =
      history_.Apply(Line(LineClass::kRollout, 4, {{"perf/step_time", 35.5}}));
  EXPECT_TRUE(change.training);
  EXPECT_FALSE(change.has_training_keys);
  EXPECT_EQ(Newest(Role::kStepTime), 35.5);
  EXPECT_EQ(history_.steps(), 1u);
}

TEST_F(RolloutAxisTest, TheCriticIsInFrontOfItsSteps) {
  const auto critic = [&](std::int64_t step) {
    return history_.Apply(
        Line(LineClass::kCritic, step,
             {{"train/critic-value_loss", 10.0 + static_cast<double>(step)}}));
  };
  Step(3);
  EXPECT_FALSE(critic(4).training);
  critic(5);
  Step(4);
  EXPECT_EQ(Newest(Role::kValueLoss), 14);
  Step(5);
  EXPECT_EQ(Newest(Role::kValueLoss), 15);
  EXPECT_EQ(history_.rewinds(), 0u);
}

TEST_F(RolloutAxisTest, ARewindTakesItsRolloutAlong) {
  for (int i = 0; i < 6; ++i) {
    Rollout(i, 0.1 * i);
    Step(i);
  }
  Generated(6, 100);
  Rollout(2, 0.75);
  EXPECT_EQ(Step(2).rewound_to, 2);
  EXPECT_EQ(Newest(Role::kTaskReward), 0.75);
  EXPECT_EQ(history_.steps(), 3u);
}

TEST_F(RolloutAxisTest, AnEvaluationIsOfTheStepsSoFar) {
  Step(24);
  Step(25);
  EXPECT_TRUE(history_
                  .Apply(Line(LineClass::kVal, 12,
                              {{"eval/aime", 0.25},
                               {"eval/aime/response_len/mean", 3},
                               {"eval/aime-truncated_ratio", 0.5},
                               {"eval/aime-pass@2", 0.5}}))
                  .validation);
  ASSERT_EQ(history_.validations().size(), 1u);
  const auto& validation = history_.validations().back();
  EXPECT_EQ(validation.frame.step, 25);
  ASSERT_EQ(validation.scores.size(), 1u);
  EXPECT_EQ(validation.scores[0].key, "eval/aime");
}

TEST_F(RolloutAxisTest, GroupsOfEqualRewardsAreAShareOfThePrompts) {
  const auto counts = [&](std::int64_t n, const Pairs& pairs) {
    history_.Apply(Line(LineClass::kRollouter, n, pairs));
    Step(n);
  };
  counts(0, {{"rollout/zero_std/count_0.0", 3}});
  EXPECT_EQ(Newest(Role::kFracZeroStd), std::nullopt) << "of how many?";
  history_.SetPrompts(32.0);
  counts(1, {{"rollout/zero_std/count_0.0", 28},
             {"rollout/zero_std/count_1.0", 2}});
  EXPECT_EQ(Newest(Role::kFracZeroStd), 30 / 32.0);
  EXPECT_TRUE(history_.newest().tied);
  // Absent is not zero.
  counts(2, {{"rollout/truncated_ratio", 0}});
  EXPECT_EQ(Newest(Role::kFracZeroStd), std::nullopt);
  EXPECT_FALSE(history_.newest().tie_known);
}

TEST(RoleDialectTest, OneKeyTwoMeanings) {
  EXPECT_EQ(FindRole("train/loss").role, Role::kTrainLoss);
  EXPECT_EQ(FindRole("train/loss", KeyDialect::kSlime).role, Role::kActorLoss);
  EXPECT_EQ(FindRole("train/loss", KeyDialect::kSlimeSft).role,
            Role::kTrainLoss);
  EXPECT_EQ(FindRole("loss").role, Role::kCount);
  EXPECT_EQ(FindRole("loss", KeyDialect::kTrl).role, Role::kActorLoss);
  EXPECT_EQ(FindRole("loss", KeyDialect::kTrlSft).role, Role::kTrainLoss);
  EXPECT_EQ(FindRole("critic/rewards/mean", KeyDialect::kTrl).role,
            Role::kCount);
  EXPECT_EQ(FindRole("reward", KeyDialect::kTrl).role, Role::kReward);
}

TEST(RoleDialectTest, EveryKeyIsFoundUnderItsRank) {
  for (const RoleRow& row : RoleTable()) {
    for (std::uint8_t rank = 0; rank < kKeyRanks; ++rank) {
      if (row.key(rank).empty()) continue;
      bool found = false;
      for (const KeyDialect d :
           {KeyDialect::kVerl, KeyDialect::kSlime, KeyDialect::kSlimeSft,
            KeyDialect::kTrl, KeyDialect::kTrlSft}) {
        const RoleOfKey of = FindRole(row.key(rank), d);
        found = found || (of.role == row.role && of.rank == rank);
      }
      EXPECT_TRUE(found) << row.key(rank);
    }
  }
}

Level NanInf(KeyDialect dialect, const Pairs& pairs) {
  Judge judge(nullptr);
  for (int i = 1; i <= 12; ++i) {
    judge.Apply(Line(LineClass::kTrain, i, pairs, dialect));
    if (i == 1) break;
  }
  return judge.raw_level("nan_inf").value_or(Level::kInfo);
}

TEST(RoleDialectTest, AFilteredLossIsCriticalInTrlAlone) {
  EXPECT_EQ(NanInf(KeyDialect::kTrl,
                   {{"loss", -0.0}, {"grad_norm", kNan}, {"reward", 1}}),
            Level::kCritical);
  EXPECT_EQ(NanInf(KeyDialect::kTrlSft, {{"loss", 0}, {"grad_norm", kNan}}),
            Level::kCritical);
  // slime skips the update, and its loss is near 0 by construction.
  EXPECT_EQ(NanInf(KeyDialect::kSlime,
                   {{"train/loss", 0}, {"train/grad_norm", kNan}}),
            Level::kWarning);
}

}  // namespace
}  // namespace rlrun
