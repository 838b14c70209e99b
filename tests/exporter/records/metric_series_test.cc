#include "exporter/records/metric_series.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rlrun {
namespace {

void Add(std::int64_t step, const std::string& key, double value,
         double written, MetricChunk* chunk,
         const std::string& axis = "train/step") {
  chunk->steps[step][key] = {value, written, axis};
}

std::vector<std::int64_t> StepsOf(const std::vector<StepRecord>& records) {
  std::vector<std::int64_t> out;
  for (const StepRecord& r : records) out.push_back(r.step);
  return out;
}

TEST(MetricSeries, NewestStepWaitsUntilItIsWhole) {
  MetricSeries series;
  MetricChunk chunk;
  Add(1, "train/loss", 0.5, 1000, &chunk);
  Add(2, "train/loss", 0.4, 1030, &chunk);
  series.Put("w1", chunk);
  EXPECT_EQ(StepsOf(series.Take(1031, false)), std::vector<std::int64_t>{1});
  Add(2, "train/lr", 0.1, 1031, &chunk);
  series.Put("w1", chunk);
  EXPECT_TRUE(series.Take(1035, false).empty());
  const auto taken = series.Take(1050, false);
  ASSERT_EQ(StepsOf(taken), std::vector<std::int64_t>{2});
  EXPECT_EQ(taken[0].pairs.size(), 2U);
  EXPECT_EQ(series.step_time(), 1031);
  EXPECT_TRUE(series.Take(1080, false).empty());
}

TEST(MetricSeries, CopiesOfWritersAreMergedAndTheNewestValueWins) {
  MetricSeries series;
  MetricChunk one, two;
  Add(1, "train/loss", 0.5, 1000, &one);
  Add(1, "train/loss", 0.6, 1002, &two);
  Add(1, "train/lr", 0.1, 1001, &two);
  series.Put("w2", two);
  series.Put("w1", one);
  const auto taken = series.Take(2000, false);
  ASSERT_EQ(taken.size(), 1U);
  ASSERT_EQ(taken[0].pairs.size(), 2U);
  EXPECT_EQ(taken[0].pairs[0].value, 0.6);
}

TEST(MetricSeries, LateValueOfAnOlderStepIsNoStepBack) {
  MetricSeries series;
  MetricChunk chunk;
  for (int step = 1; step <= 5; ++step) {
    Add(step, "train/loss", 0.5, 1000 + step, &chunk);
    Add(step, "train/lr", 0.5, 1000 + step, &chunk);
  }
  series.Put("w1", chunk);
  EXPECT_EQ(series.Take(2000, false).size(), 5U);
  Add(2, "train/mfu", 1, 1900, &chunk);
  series.Put("w1", chunk);
  EXPECT_TRUE(series.Take(3000, false).empty());
}

TEST(MetricSeries, KeyThatComesLateForTheNewestStepIsTaken) {
  MetricSeries series;
  MetricChunk chunk;
  Add(1, "train/loss", 0.5, 1000, &chunk);
  Add(1, "train/lr", 0.5, 1000, &chunk);
  series.Put("w1", chunk);
  EXPECT_EQ(series.Take(1100, false).size(), 1U);
  Add(1, "train/mfu", 0.5, 1090, &chunk);
  series.Put("w1", chunk);
  const auto taken = series.Take(1200, false);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].pairs.size(), 3U);
}

TEST(MetricSeries, RetryFromAnOlderStepComesBehindWhatItReplaces) {
  MetricSeries series;
  MetricChunk first, second;
  for (int step = 1; step <= 5; ++step) {
    Add(step, "train/loss", 0.5, 1000 + step, &first);
  }
  for (int step = 3; step <= 4; ++step) {
    Add(step, "train/loss", 0.7, 2000 + step, &second);
  }
  series.Put("chunk-000000-a", first);
  series.Put("chunk-000000-b", second);
  EXPECT_EQ(StepsOf(series.Take(3000, false)),
            (std::vector<std::int64_t>{1, 2, 5, 3, 4}));
}

TEST(MetricSeries, AxesAreSequencesOfTheirOwn) {
  MetricSeries series;
  MetricChunk chunk;
  Add(0, "train/loss", 1, 1001, &chunk);
  Add(1, "train/loss", 1, 1002, &chunk);
  Add(0, "rollout/raw_reward", 1, 1000, &chunk, "rollout/step");
  Add(1, "rollout/raw_reward", 1, 1003, &chunk, "rollout/step");
  Add(0, "eval/aime", 1, 999, &chunk, "eval/step");
  series.Put("w1", chunk);
  const auto taken = series.Take(2000, false);
  ASSERT_EQ(taken.size(), 5U);
  EXPECT_EQ(taken[0].Key(taken[0].pairs[0]), "eval/aime");
  EXPECT_EQ(taken[1].Key(taken[1].pairs[0]), "rollout/raw_reward");
  EXPECT_EQ(taken[2].Key(taken[2].pairs[0]), "train/loss");
  for (std::size_t i = 1; i < taken.size(); ++i) {
    EXPECT_GT(taken[i].begin_offset, taken[i - 1].begin_offset);
  }
}

// A rollout with its two steps, as slime logs them: all of its keys on one
// number, written at different times.
TEST(MetricSeries, ARolloutIsToldInParts) {
  MetricSeries series;
  MetricChunk rollouts, steps;
  Add(4, "perf/rollout_time", 60, 1000, &rollouts, "rollout/step");
  Add(4, "rollout/response_len/mean", 800, 1000, &rollouts, "rollout/step");
  Add(4, "rollout/raw_reward", 0.5, 1001, &rollouts, "rollout/step");
  Add(4, "perf/step_time", 90, 1040, &rollouts, "rollout/step");
  Add(4, "eval/aime", 0.25, 1050, &rollouts, "eval/step");
  for (int step = 8; step <= 9; ++step) {
    Add(step, "train/loss", 1e-9, 1002 + step, &steps);
    Add(step, "train/pg_loss", 1e-9, 1002 + step, &steps);
  }
  series.Put("a", rollouts);
  series.Put("b", steps);
  const auto taken = series.Take(2000, false);
  ASSERT_EQ(StepsOf(taken), (std::vector<std::int64_t>{4, 4, 8, 9, 4, 4}));
  EXPECT_EQ(taken[0].line_class, LineClass::kRollouter);
  EXPECT_EQ(taken[1].line_class, LineClass::kRollout);
  EXPECT_EQ(taken[2].line_class, LineClass::kTrain);
  EXPECT_EQ(taken[4].line_class, LineClass::kRollout);
  EXPECT_EQ(taken[4].Key(taken[4].pairs[0]), "perf/step_time");
  EXPECT_EQ(taken[5].line_class, LineClass::kVal);
  for (const StepRecord& record : taken) {
    EXPECT_EQ(record.dialect, KeyDialect::kSlime);
    EXPECT_EQ(record.by_rollout, record.line_class != LineClass::kTrain);
  }
}

// A loss that is NaN is not written: the step is still one of a policy.
TEST(MetricSeries, APolicyStaysOneWithoutItsLoss) {
  MetricSeries series;
  MetricChunk chunk;
  Add(1, "train/loss", 1, 1000, &chunk);
  Add(1, "train/pg_loss", 1, 1000, &chunk);
  Add(2, "train/loss", 1, 1001, &chunk);
  series.Put("a", chunk);
  const auto taken = series.Take(2000, false);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[1].dialect, KeyDialect::kSlime);
}

TEST(MetricSeries, SupervisedTrainingOfSlime) {
  MetricSeries series;
  MetricChunk chunk;
  Add(1, "train/loss", 1, 1000, &chunk, "");
  Add(1, "train/grad_norm", 1, 1000, &chunk, "");
  series.SetSlime();
  series.Put("a", chunk);
  const auto taken = series.Take(2000, false);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].dialect, KeyDialect::kSlimeSft);
  EXPECT_FALSE(taken[0].by_rollout);
}

TEST(MetricSeries, KeysOfAnotherTrainerAreItsOwn) {
  MetricSeries series;
  MetricChunk chunk;
  Add(1, "actor/pg_loss", 1, 1000, &chunk, "");
  Add(1, "perf/throughput", 1, 1000, &chunk, "");
  series.Put("a", chunk);
  const auto taken = series.Take(2000, false);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].dialect, KeyDialect::kVerl);
  EXPECT_EQ(taken[0].pairs.size(), 2U);
}

TEST(MetricSeries, WithoutTimesARolloutStandsBeforeItsStep) {
  MetricSeries series;
  MetricChunk chunk;
  for (int step = 0; step < 3; ++step) {
    Add(step, "train/pg_loss", 1, 0, &chunk, "train/step");
    Add(step, "rollout/raw_reward", 1, 0, &chunk, "rollout/step");
  }
  series.Put("a", chunk);
  const auto taken = series.Take(2000, true);
  EXPECT_EQ(StepsOf(taken), (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(taken[0].line_class, LineClass::kRollout);
}

TEST(MetricSeries, ClosedFileIsForgottenAndItsStepsAreNotRepeated) {
  MetricSeries series;
  MetricChunk old, next;
  Add(999, "train/loss", 1, 1000, &old);
  series.Put("chunk-000000-a", old);
  series.Close("chunk-000000-a");
  EXPECT_EQ(series.Take(2000, false).size(), 1U);
  Add(1000, "train/loss", 1, 1001, &next);
  series.Put("chunk-000001-a", next);
  EXPECT_EQ(StepsOf(series.Take(2000, false)), std::vector<std::int64_t>{1000});
}

TEST(MetricSeries, EndWaitsForNothing) {
  MetricSeries series;
  MetricChunk chunk;
  Add(1, "train/loss", 1, 1000, &chunk);
  series.Put("w1", chunk);
  EXPECT_EQ(series.Take(1000, true).size(), 1U);
}

TEST(MetricSeries, StepsWithoutTimesComeInTheirOrder) {
  MetricSeries series;
  MetricChunk chunk;
  for (int step = 1; step <= 3; ++step) Add(step, "loss", 1, 0, &chunk);
  series.Put("steps", chunk);
  EXPECT_EQ(series.Take(1000, false).size(), 2U);
  Add(4, "loss", 1, 0, &chunk);
  series.Put("steps", chunk);
  EXPECT_EQ(StepsOf(series.Take(1005, false)), std::vector<std::int64_t>{3});
  EXPECT_EQ(StepsOf(series.Take(1020, false)), std::vector<std::int64_t>{4});
}

}  // namespace
}  // namespace rlrun
