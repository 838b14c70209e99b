#include "parsers/formats/run_line.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

using Role = RunLine::Role;

TEST(RunLineTest, RolesOfTheLines) {
  const struct {
    const char* payload;
    Role role;
  } kCases[] = {
      {"test_gen_batch meta info: {'validate': True}", Role::kPhaseBegin},
      {"test_gen_batch meta info: {'validate': False}", Role::kNone},
      {"[FullyAsyncTrainer] local_global_step_folder: a", Role::kPhaseBegin},
      {"INFO:2026-07-16 18:46:48,452:local_global_step_folder: a",
       Role::kPhaseBegin},
      {"[FullyAsyncRollouter] Saved dataloader checkpoint to a/data.pt",
       Role::kPhaseEnd},
      {"Found checkpoint: %s a/global_step_3", Role::kResume},
      {"Found checkpoint: maybe", Role::kNone},
      {"[FullyAsyncTrainer] Setting global step to 9, current_param_version to "
       "4",
       Role::kResume},
      {"Training from scratch (no checkpoint found)", Role::kFromScratch},
      {"(\"Final validation metrics: {'val/a': \"", Role::kEnd},
      {"[FullyAsyncTrainer] Detected termination signal (None), stopping",
       Role::kEnd},
      {"total time: 3.00 seconds", Role::kEnd},
      {"total time: unknown", Role::kNone},
      {"wandb: Synced 5 W&B file(s)", Role::kNone},
      {"[Progress] step=3 [##--] 5/8 (62%) wall=3s", Role::kProgress},
      {"[Progress] step=3 of the warm-up", Role::kNone},
      {"[Trial] step=3 9/8 task=a", Role::kNone},
      {"[task=a] finished, reward is in", Role::kNone},
      {"", Role::kNone},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ParseRunLine(c.payload).role, c.role) << c.payload;
  }
}

TEST(RunLineTest, StepsOfAResume) {
  EXPECT_EQ(ParseRunLine("Resuming from a/global_step_30").step, 30);
  EXPECT_EQ(ParseRunLine("Setting global step to 31").step, 31);
}

TEST(RunLineTest, TrialsOfAStep) {
  const RunLine start =
      ParseRunLine("[Progress] === step 4 starting: target 64 trials ===");
  EXPECT_EQ(start.collected, 0);
  EXPECT_EQ(start.required, 64);
  const RunLine trial = ParseRunLine("[Trial] step=4 7/64 task=a outcome=x");
  EXPECT_EQ(trial.role, Role::kTrial);
  EXPECT_EQ(trial.collected, 7);
  EXPECT_EQ(trial.step, 4);
}

}  // namespace
}  // namespace rlrun
