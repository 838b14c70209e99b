#include "exporter/signatures/failure_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kReward = "critic/score/mean";
constexpr std::string_view kFailed =
    "trajectory_filter/reason/env_setup_failed";
constexpr std::string_view kValid = "trajectory_filter/reason/valid";

class EnvAvalancheTest : public ::testing::Test {
 protected:
  EnvAvalancheTest() {
    run_.base = {{std::string(kReward), 0.5}, {std::string(kValid), 100}};
  }
  // A step on which `failed` of 100 environments did not start.
  RuleResult Step(std::int64_t step, double failed, double reward) {
    return run_.Step(
        step, {{kFailed, failed}, {kValid, 100 - failed}, {kReward, reward}});
  }

  FailureRun run_{kEnvAvalancheRule};
};

TEST_F(EnvAvalancheTest, ThirdRiseBesideAFallingRewardIsAWarning) {
  run_.StepsTo(8);
  EXPECT_TRUE(IsSilent(Step(9, 1, 0.5)));
  EXPECT_TRUE(IsSilent(Step(10, 2, 0.4)));
  const RuleResult r = Step(11, 3, 0.3);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(
      r.evidence,
      ElementsAre(Evidence{std::string(kFailed), 11, 3, 3.0},
                  Evidence{"share of env_setup_failed", 11, 0.03, 0.02},
                  Evidence{std::string(kReward), 11, 0.3, 0.5, Side::kBelow}));
  EXPECT_TRUE(IsSilent(Step(12, 3, 0.3)));  // no rise
}

TEST_F(EnvAvalancheTest, RewardThatHoldsIsSilent) {
  run_.StepsTo(8);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(IsSilent(Step(9 + i, i, 0.5)));
}

TEST_F(EnvAvalancheTest, OneStepWithoutARiseBreaksIt) {
  run_.StepsTo(8);
  Step(9, 1, 0.4);
  Step(10, 1, 0.4);
  EXPECT_TRUE(IsSilent(Step(11, 3, 0.4)));
  EXPECT_TRUE(IsSilent(Step(12, 4, 0.3)));
}

TEST_F(EnvAvalancheTest, FewFailuresAreSilent) {
  run_.StepsTo(8);
  for (const double failed : {0.5, 1.0, 2.5, 2.9}) {
    EXPECT_TRUE(IsSilent(Step(9 + static_cast<int>(failed * 2), failed, 0.1)));
  }
}

TEST_F(EnvAvalancheTest, ShareAtItsLeastIsSilent) {
  run_.StepsTo(8);
  run_.Step(9, {{kFailed, 1}, {kValid, 199}, {kReward, 0.4}});
  run_.Step(10, {{kFailed, 3}, {kValid, 197}, {kReward, 0.4}});
  EXPECT_TRUE(
      IsSilent(run_.Step(11, {{kFailed, 4}, {kValid, 196}, {kReward, 0.4}})));
  EXPECT_EQ(run_.Step(12, {{kFailed, 5}, {kValid, 195}, {kReward, 0.4}}).level,
            Level::kWarning);
}

TEST_F(EnvAvalancheTest, TwoHighSharesNeedNoRise) {
  run_.StepsTo(8);
  EXPECT_TRUE(IsSilent(Step(9, 5, 0.4)));
  const RuleResult r = Step(10, 5, 0.4);
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.evidence[1].bound, 0.05);
  EXPECT_TRUE(IsSilent(Step(11, 4, 0.1)));
  EXPECT_TRUE(IsSilent(Step(12, 5, 0.1)));
}

TEST_F(EnvAvalancheTest, SevenStepsAreEnough) {
  run_.StepsTo(4);
  EXPECT_TRUE(IsAbsent(Step(5, 6, 0.5)));
  EXPECT_TRUE(IsAbsent(Step(6, 6, 0.1)));
  EXPECT_EQ(Step(7, 6, 0.1).level, Level::kWarning);
}

TEST_F(EnvAvalancheTest, FirstFourCountsMayBeTheRise) {
  run_.base.erase(std::string(kValid));
  run_.StepsTo(6);  // no reasons are printed
  Step(7, 1, 0.5);
  Step(8, 2, 0.4);
  EXPECT_TRUE(IsSilent(Step(9, 3, 0.4)));
  EXPECT_EQ(Step(10, 4, 0.4).level, Level::kWarning);
}

TEST_F(EnvAvalancheTest, ReasonThatIsNotPrintedBesideOthersIsZero) {
  run_.StepsTo(10);
  EXPECT_TRUE(IsSilent(run_.Now()));
  Step(11, 2, 0.4);
  run_.Step(12);
  Step(13, 3, 0.4);
  EXPECT_TRUE(IsSilent(Step(14, 4, 0.4)));
}

TEST_F(EnvAvalancheTest, OldKeysStandForTheReasons) {
  run_.base.erase(std::string(kValid));
  run_.facts.prompts_per_step = 10;
  run_.facts.responses_per_prompt = 10;
  run_.StepsTo(8);
  run_.Step(9, {{"trajectory_filter/env_failure_count", 5},
                {"trajectory_filter/timeout_count", 5},
                {kReward, 0.4}});
  const RuleResult r =
      run_.Step(10, {{"trajectory_filter/env_failure_count", 5},
                     {"trajectory_filter/timeout_count", 5},
                     {kReward, 0.4}});
  ASSERT_EQ(r.level, Level::kWarning);
  EXPECT_EQ(r.evidence[0].key, "trajectory_filter/env_failure_count");
}

TEST_F(EnvAvalancheTest, WithoutReasonsThereIsNoSeries) {
  run_.base.erase(std::string(kValid));
  EXPECT_TRUE(IsAbsent(run_.StepsTo(20)));
}

TEST_F(EnvAvalancheTest, WithoutRewardThereIsNoSeries) {
  run_.base = {{"actor/pg_loss", 0}, {std::string(kFailed), 50}};
  EXPECT_TRUE(IsAbsent(run_.StepsTo(20)));
}

TEST_F(EnvAvalancheTest, NanIsNoPoint) {
  run_.StepsTo(8);
  Step(9, 6, 0.4);
  EXPECT_TRUE(IsAbsent(Step(10, kNan, 0.4)));
  EXPECT_EQ(Step(11, 6, 0.4).level, Level::kWarning);
  EXPECT_EQ(Step(12, 6, kNan).level, Level::kWarning);
}

TEST_F(EnvAvalancheTest, RewindTakesItsStepsAlong) {
  run_.StepsTo(8);
  Step(9, 6, 0.4);
  EXPECT_EQ(Step(10, 6, 0.4).level, Level::kWarning);
  EXPECT_TRUE(IsSilent(Step(9, 6, 0.4)));
}

}  // namespace
}  // namespace rlrun
