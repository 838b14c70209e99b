// How failure signatures clear: the published level is the highest of the last
// three evaluated steps, so one that is healthy again is still shown on two
// more; and what a later line of a step and a relaunch change.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "exporter/signatures/failure_rollout.h"
#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

using Values = std::map<std::string, double>;

struct Case {
  std::string rule;
  Level level;
  Values healthy;
  Values sick;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.rule; }

class FailureClearingTest : public ::testing::TestWithParam<Case> {
 protected:
  void Set(const Values& values) {
    for (const auto& [key, value] : values) run_.Key(key, value);
  }
  RunBuilder run_;
};

const Values kSao = {{"critic/vf_explained_var", 0.4},
                     {"actor/rollout_corr/rollout_is_mean", 1}};

Values With(Values values, const Values& more) {
  for (const auto& [key, value] : more) values[key] = value;
  return values;
}

INSTANTIATE_TEST_SUITE_P(
    StepRules, FailureClearingTest,
    ::testing::Values(
        Case{"r3_misalignment",
             Level::kCritical,
             {{"actor/pg_loss", 0},
              {"training/rollout_actor_probs_pearson_corr", 0.999}},
             {{"training/rollout_actor_probs_pearson_corr", 0.75}}},
        Case{"frozen_model",
             Level::kCritical,
             {{"actor/lr", 1e-6}},
             {{"actor/lr", 0}}},
        Case{"grad_starvation",
             Level::kWarning,
             {{"actor/grad_norm", 1}, {"response_length/mean", 1000}},
             {{"actor/grad_norm", 0.1}, {"response_length/mean", 2000}}},
        Case{"env_avalanche",
             Level::kWarning,
             {{"critic/score/mean", 0.5},
              {"trajectory_filter/reason/valid", 90},
              {"trajectory_filter/reason/env_setup_failed", 0}},
             {{"critic/score/mean", 0.4},
              {"trajectory_filter/reason/env_setup_failed", 10}}},
        Case{"no_tool_call_collapse",
             Level::kCritical,
             {{"critic/score/mean", 0.5}, {"num_turns/mean", 10}},
             {{"critic/score/mean", 0.1}, {"num_turns/mean", 2}}},
        Case{"critic_starvation",
             Level::kWarning,
             {{"critic/score/mean", 0.5},
              {"critic/vf_explained_var", 0.4},
              {"critic/grad_norm", 5}},
             {{"critic/vf_explained_var", 0.1}}},
        Case{"all_negative_batch_collapse",
             Level::kCritical,
             With(kSao, {{"critic/advantages/mean", 0},
                         {"critic/score/mean", 1},
                         {"num_turns/mean", 10}}),
             {{"critic/advantages/mean", -0.1},
              {"critic/score/mean", 0.5},
              {"num_turns/mean", 20}}},
        Case{"dis_not_reaching_actor",
             Level::kWarning,
             With(kSao, {{"actor/entropy", 0.1}}),
             {{"actor/pg_clipfrac", 0.1}}},
        Case{"step_slowdown",
             Level::kWarning,
             {{"actor/entropy", 0.5}, {"timing_s/step", 100}},
             {{"timing_s/step", 200}}}),
    [](const auto& test) { return test.param.rule; });

TEST_P(FailureClearingTest, HighestOfTheLastThreeStepsHolds) {
  const Case& c = GetParam();
  Set(c.healthy);
  ASSERT_EQ(run_.FirstRaw(c.rule, Level::kInfo, 1, 60), std::nullopt);
  Set(c.sick);
  const auto fired = run_.FirstRaw(c.rule, c.level, 61, 130);
  ASSERT_TRUE(fired);
  EXPECT_EQ(run_.level(c.rule), c.level);
  EXPECT_EQ(run_.finding(c.rule)->since_step, *fired);

  for (const auto& [key, value] : c.sick) {
    if (!c.healthy.contains(key)) run_.Without(key);
  }
  Set(c.healthy);
  int step = *fired + 1;
  run_.Play(step, step);
  while (run_.raw(c.rule) != Level::kNone && step < *fired + 60) {
    EXPECT_EQ(run_.level(c.rule), c.level);
    ++step;
    run_.Play(step, step);
  }
  ASSERT_EQ(run_.raw(c.rule), Level::kNone);
  EXPECT_EQ(run_.level(c.rule), c.level);
  run_.Play(step + 1, step + 1);
  EXPECT_EQ(run_.level(c.rule), c.level);
  run_.Play(step + 2, step + 2);
  EXPECT_EQ(run_.level(c.rule), Level::kNone);
  EXPECT_EQ(run_.recovered(c.rule), step + 2);
  EXPECT_EQ(run_.finding(c.rule)->activations, 1u);
}

TEST_P(FailureClearingTest, RewindBelowItsFirstStepLeavesNothing) {
  const Case& c = GetParam();
  Set(c.healthy);
  run_.Play(1, 60);
  Set(c.sick);
  ASSERT_TRUE(run_.FirstRaw(c.rule, c.level, 61, 130));
  for (const auto& [key, value] : c.sick) {
    if (!c.healthy.contains(key)) run_.Without(key);
  }
  Set(c.healthy);
  run_.Play(60, 60);
  EXPECT_EQ(run_.level(c.rule), Level::kNone);
  EXPECT_EQ(run_.recovered(c.rule), std::nullopt);
}

TEST(NoSignalClearingTest, ItsOwnLevelIsWhatHoldsItNotThePublishedOne) {
  RunBuilder run;
  run.Key("critic/score/min", 0);
  int step = 0;
  const auto play = [&](std::string_view letters) {  // T: tied
    for (const char c : letters) {
      run.Key("critic/score/max", c == 'T' ? 0 : 1);
      ++step;
      run.Play(step, step);
    }
    return run.raw("no_signal");
  };
  EXPECT_EQ(play("TTTTTTTTT.TTTT...."), Level::kWarning);  // five of ten
  EXPECT_EQ(play("."), Level::kNone);                      // four
  EXPECT_EQ(run.level("no_signal"), Level::kWarning);
  // Five again while the old warning is still shown: that does not revive it.
  EXPECT_EQ(play("T"), Level::kNone);
  EXPECT_EQ(run.level("no_signal"), Level::kWarning);
  EXPECT_EQ(play("."), Level::kNone);
  EXPECT_EQ(run.level("no_signal"), Level::kNone);
}

TEST(ValFakeZeroClearingTest, LevelIsThatOfTheNewestValidation) {
  RunBuilder run;
  run.Key("critic/score/mean", 0.5).Play(1, 10);
  EXPECT_EQ(run.level("val_fake_zero"), std::nullopt);
  run.Line(10, {{"val-core/tasks/acc/mean@1", 0}});
  EXPECT_EQ(run.level("val_fake_zero"), Level::kWarning);
  run.Play(11, 60);
  EXPECT_EQ(run.level("val_fake_zero"), Level::kWarning);
  run.Line(60, {{"val-core/tasks/acc/mean@1", 0.2}});
  EXPECT_EQ(run.level("val_fake_zero"), Level::kNone);
}

TEST(R3MisalignmentClearingTest, LaterLineOfAStepCountsOnce) {
  RunBuilder run;
  run.Key("actor/pg_loss", 0)
      .Key("training/rollout_actor_probs_pearson_corr", 0.98)
      .Play(1, 3);
  EXPECT_EQ(run.raw("r3_misalignment"), Level::kNone);
  run.Line(2, {{"rollout_corr/kl", 0.5}});
  run.Line(3, {{"rollout_corr/kl", 0.5}});
  run.Line(3, {{"rollout_corr/kl", 0.5}});
  run.Play(4, 4).Line(4, {{"rollout_corr/kl", 0.5}});
  EXPECT_EQ(run.raw("r3_misalignment"), Level::kCritical);
  EXPECT_EQ(run.finding("r3_misalignment")->activations, 1u);
}

}  // namespace
}  // namespace rlrun
