#include "parsers/formats/progress.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(ProgressTest, StatedTotals) {
  EXPECT_EQ(ParseTotalSteps("Total training steps: 435"), 435);
  EXPECT_EQ(ParseTotalSteps("INFO:2026-07-16 18:46:48,452:Total training "
                            "steps: 1005"),
            1005);
  EXPECT_EQ(ParseTotalSteps("total_train_steps 80"), 80);
  EXPECT_EQ(ParseTotalSteps("[ASYNC MAIN] total_train_steps 80"), 80);
  EXPECT_EQ(ParseTotalSteps("[FullyAsyncRollouter] required_samples : 64 "
                            "total_train_steps: 80 total_rollout_steps: 9"),
            80);
  EXPECT_EQ(ParseTotalSteps("Number of steps/epoch 10, number of epochs 20, "
                            "total number of steps 200"),
            200);
  EXPECT_EQ(ParseTotalSteps("total number of steps 200"), 200);
}

TEST(ProgressTest, TrainingBar) {
  EXPECT_EQ(ParseTotalSteps("Training Progress:  39%|\u2588\u2589  | 393/1005 "
                            "[11:26:08<9:53:00, 58.14s/it]"),
            1005);
  EXPECT_EQ(
      ParseTotalSteps("Training Progress:   0%|   | 0/5 [00:00<?, ?it/s]"), 5);
}

TEST(ProgressTest, OtherBarsAndHalfBars) {
  for (const char* text :
       {"Epoch 1/20:  10%|#  | 1/10 [00:11<01:39, 11.10s/it]",
        "Loading weights:   0%|   | 0/568 [00:00<?, ?it/s]",
        "Training Progress: 12it [00:11, 1.0s/it]",
        "Training Progress:  12%|#2   | 6/50", "Training Progress:  12%|#2",
        "Training Progress:  12%|#2   | 6/0 [",
        "Training Progress:", "Training Progress:  12%|#2   | -6/50 ["}) {
    EXPECT_FALSE(ParseTotalSteps(text)) << text;
  }
}

TEST(ProgressTest, WordsWithoutATotal) {
  for (const char* text :
       {"", "T", "Total training steps: -1", "Total training steps: 0",
        "Total training steps: None", "Total training steps: 4.5",
        "Total training steps: 99999999999999999999",
        "'total_training_steps': -1", "my Total training steps: 4",
        "total_train_steps_x 5", "[other] total_train_steps 80",
        "Number of steps/epoch 10"}) {
    EXPECT_FALSE(ParseTotalSteps(text)) << text;
  }
}

}  // namespace
}  // namespace rlrun
