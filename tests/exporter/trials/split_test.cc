#include "exporter/trials/split.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(SplitOfTask, DefaultsKnowCommonNames) {
  const TrialOptions options;
  EXPECT_EQ(SplitOfTask("/data/harbor_swe_val_tasks_official/1", options),
            TrialSplit::kVal);
  EXPECT_EQ(SplitOfTask("/data/openswe_filtered/1", options),
            TrialSplit::kTrain);
  EXPECT_EQ(SplitOfTask("/data/train/val_1", options), TrialSplit::kTrain);
  EXPECT_EQ(SplitOfTask("/data/val/train-1", options), TrialSplit::kVal);
  EXPECT_EQ(SplitOfTask("/data/evaluation/x", options), TrialSplit::kUnknown);
  EXPECT_EQ(SplitOfTask("", options), TrialSplit::kUnknown);
}

TEST(SplitOfTask, OwnPatternsReplaceThem) {
  TrialOptions options;
  options.val_patterns = {"*/held?out/*"};
  options.train_patterns = {"*"};
  EXPECT_EQ(SplitOfTask("/d/held-out/1", options), TrialSplit::kVal);
  EXPECT_EQ(SplitOfTask("/d/heldout/1", options), TrialSplit::kTrain);
  EXPECT_EQ(SplitOfTask("/d/x_val_y/1", options), TrialSplit::kTrain);
}

TEST(SplitOfTask, ManyStarsEndSoon) {
  TrialOptions options;
  options.val_patterns = {"*a*a*a*a*a*a*a*a*a*a*b"};
  options.train_patterns.clear();
  EXPECT_EQ(SplitOfTask(std::string(20000, 'a'), options),
            TrialSplit::kUnknown);
}

}  // namespace
}  // namespace rlrun
