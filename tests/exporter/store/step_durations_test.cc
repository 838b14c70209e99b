#include "exporter/store/step_durations.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(StepDurationsTest, BaselineNeedsFiveStepsBeforeTheNewest) {
  StepDurations d;
  for (int i = 1; i <= 5; ++i) d.Add(i, 10);
  EXPECT_EQ(d.newest(), 10);
  EXPECT_EQ(d.baseline(), std::nullopt);
  d.Add(6, 1000);
  EXPECT_EQ(d.newest(), 1000);
  EXPECT_EQ(d.baseline(), 10);
}

TEST(StepDurationsTest, BaselineIsTheMedianOfTheSixtyFourBefore) {
  StepDurations d;
  for (int i = 1; i <= 36; ++i) d.Add(i, 1);
  for (int i = 37; i <= 100; ++i) d.Add(i, i);
  d.Add(101, 5);
  EXPECT_EQ(d.baseline(), (68 + 69) / 2.0);
}

TEST(StepDurationsTest, RepeatedStepReplacesAndResumeDropsWhatFollows) {
  StepDurations d;
  for (int i = 1; i <= 8; ++i) d.Add(i, i);
  d.Add(8, 80);
  EXPECT_EQ(d.newest(), 80);
  EXPECT_EQ(d.baseline(), 4);
  d.Add(7, 70);
  EXPECT_EQ(d.newest(), 70);
  EXPECT_EQ(d.baseline(), 3.5);
}

TEST(StepDurationsTest, NewestStepWithoutDurationHasNone) {
  StepDurations d;
  d.Add(1, 10);
  d.NoteStep(2);
  EXPECT_EQ(d.newest(), std::nullopt);
  d.Add(2, 11);
  EXPECT_EQ(d.newest(), 11);
}

}  // namespace
}  // namespace rlrun
