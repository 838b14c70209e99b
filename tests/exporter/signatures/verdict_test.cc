#include "exporter/signatures/verdict.h"

#include <gmock/gmock.h>

#include "tests/exporter/signatures/state_fixture.h"

namespace rlrun {
namespace {

using testing::HasSubstr;

Finding Active(std::string_view name, Level level) {
  Finding finding;
  finding.name = name;
  finding.level = level;
  return finding;
}

class VerdictTest : public StateFixture {
 protected:
  VerdictTest() { steps_.training_steps = 10; }

  Judgement Made() {
    times_findings_.Judge(options_, Inputs());
    return MakeJudgement(steps_, times_findings_, options_, Inputs());
  }
  Judgement With(std::string_view name, Level level) {
    steps_.findings = {Active(name, level)};
    return Made();
  }

  Judgement steps_;
  StateFindings times_findings_;
};

TEST_F(VerdictTest, HealthyRunGoesOn) {
  const Judgement judgement = Made();
  EXPECT_EQ(judgement.state, RunState::kRunning);
  EXPECT_EQ(judgement.health, Health::kHealthy);
  EXPECT_EQ(judgement.decision, Decision::kContinue);
  EXPECT_FALSE(judgement.decision_reason.empty());
  EXPECT_NE(judgement.find("stall"), nullptr);
}

TEST_F(VerdictTest, HealthIsTheWorstActiveLevel) {
  EXPECT_EQ(With("plateau", Level::kInfo).health, Health::kHealthy);
  EXPECT_EQ(With("loss_spike", Level::kWarning).health, Health::kAtRisk);
  EXPECT_EQ(With("loss_spike", Level::kCritical).health, Health::kCritical);
  steps_.findings.push_back(Active("grad_starvation", Level::kWarning));
  EXPECT_EQ(Made().health, Health::kCritical);
}

TEST_F(VerdictTest, CheckCountsOnceItHasFailedForItsSteps) {
  CheckResult check;
  check.name = "actor_lr";
  check.alert_after = 2;
  check.failing_steps = 1;
  steps_.checks = {check};
  EXPECT_EQ(Made().health, Health::kHealthy);
  steps_.checks[0].failing_steps = 2;
  EXPECT_EQ(Made().health, Health::kAtRisk);
  EXPECT_EQ(Made().decision, Decision::kContinue);
}

TEST_F(VerdictTest, StopOnACriticalOfTrainingQuality) {
  for (const std::string_view name : {"r3_misalignment",
                                      "frozen_model",
                                      "no_signal",
                                      "no_tool_call_collapse",
                                      "all_negative_batch_collapse",
                                      "dis_not_reaching_actor",
                                      "nan_inf",
                                      "loss_spike",
                                      "loss_divergence",
                                      "plateau",
                                      "reward_stagnation",
                                      "reward_drop",
                                      "eval_regression",
                                      "grad_explosion",
                                      "grad_vanishing",
                                      "lr_anomaly",
                                      "entropy_collapse",
                                      "entropy_explosion",
                                      "kl_blowup",
                                      "length_collapse",
                                      "length_explosion",
                                      "reward_hacking_suspect"}) {
    const Judgement judgement = With(name, Level::kCritical);
    EXPECT_EQ(judgement.decision, Decision::kStop) << name;
    EXPECT_THAT(judgement.decision_reason, HasSubstr(std::string(name)));
    EXPECT_EQ(With(name, Level::kWarning).decision, Decision::kWait) << name;
    EXPECT_EQ(With(name, Level::kInfo).decision, Decision::kContinue) << name;
  }
}

TEST_F(VerdictTest, InfrastructureNeverGivesStop) {
  for (const std::string_view name :
       {"env_avalanche", "validation_missing", "possibly_stuck", "nccl_failure",
        "grad_starvation", "critic_starvation", "val_fake_zero"}) {
    const Judgement judgement = With(name, Level::kCritical);
    EXPECT_EQ(judgement.decision, Decision::kWait) << name;
    EXPECT_THAT(judgement.decision_reason, HasSubstr(std::string(name)));
  }
}

TEST_F(VerdictTest, EveryQualityRuleIsKnown) {
  for (const StepRule& rule : QualityRules()) {
    EXPECT_TRUE(IsQuality(rule.name)) << rule.name;
  }
}

TEST_F(VerdictTest, StallMakesItWait) {
  Wait(1800);
  const Judgement judgement = Made();
  EXPECT_EQ(judgement.state, RunState::kStalled);
  EXPECT_EQ(judgement.health, Health::kAtRisk);
  EXPECT_EQ(judgement.decision, Decision::kWait);
}

TEST_F(VerdictTest, FewerThanTenTrainingStepsAreNoEvidence) {
  steps_.training_steps = 9;
  const Judgement judgement = Made();
  EXPECT_EQ(judgement.decision, Decision::kWait);
  EXPECT_EQ(judgement.health, Health::kHealthy);
  EXPECT_THAT(judgement.decision_reason, HasSubstr("9 of 10"));
}

TEST_F(VerdictTest, UnreadableSourceSaysNothingOfTraining) {
  times_.readable = false;
  const Judgement judgement = Made();
  EXPECT_EQ(judgement.decision, Decision::kWait);
  EXPECT_THAT(judgement.decision_reason, HasSubstr("cannot be read"));
  EXPECT_EQ(With("reward_drop", Level::kCritical).decision, Decision::kStop)
      << "its evidence was read before";
}

TEST_F(VerdictTest, StaleSourceThatIsNoStall) {
  times_.trial_time = kStart + 1700;
  Wait(1799);
  EXPECT_EQ(Made().decision, Decision::kContinue);
  Wait(1800);
  EXPECT_FALSE(Made().active("stall"));
  EXPECT_EQ(Made().decision, Decision::kWait);
  EXPECT_THAT(Made().decision_reason, HasSubstr("stale"));
}

TEST_F(VerdictTest, EndedRunHasNoDecision) {
  Interrupt();
  const Judgement judgement = With("reward_drop", Level::kCritical);
  EXPECT_EQ(judgement.state, RunState::kInterrupted);
  EXPECT_EQ(judgement.decision, std::nullopt);
  EXPECT_TRUE(judgement.decision_reason.empty());
  EXPECT_EQ(judgement.health, Health::kCritical);
}

TEST_F(VerdictTest, FindingsOfRecordsAreOrderedWithTheRest) {
  Wait(1800);
  steps_.findings = {Active("possibly_stuck", Level::kWarning),
                     Active("step_slowdown", Level::kWarning)};
  const Judgement stalled = Made();
  EXPECT_TRUE(stalled.active("stall"));
  EXPECT_FALSE(stalled.active("possibly_stuck"));
  EXPECT_FALSE(stalled.active("step_slowdown"));
  steps_.findings = {Active("app_died", Level::kCritical)};
  const Judgement dead = Made();
  EXPECT_EQ(dead.state, RunState::kFailed);
  EXPECT_EQ(dead.state_reason, "app_died");
  EXPECT_FALSE(dead.active("stall"));
}

TEST_F(VerdictTest, LostRunWaitsForNothing) {
  Wait(21600);
  steps_.findings = {Active("possibly_stuck", Level::kWarning)};
  const Judgement judgement = Made();
  EXPECT_EQ(judgement.state, RunState::kLost);
  EXPECT_FALSE(judgement.active("possibly_stuck"));
  EXPECT_EQ(judgement.health, Health::kHealthy);
}

TEST_F(VerdictTest, RecoveredOfBothSides) {
  steps_.recovered = {{"reward_drop", 39}};
  Wait(1800);
  Made();
  Train(41);
  times_.mtime = times_.now;
  EXPECT_EQ(Made().recovered.size(), 2u);
}

}  // namespace
}  // namespace rlrun
