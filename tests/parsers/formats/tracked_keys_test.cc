#include "parsers/formats/tracked_keys.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace rlrun {
namespace {

StepRecord Row(std::initializer_list<const char*> keys) {
  StepRecord record;
  for (const char* key : keys) record.Add(key, 1);
  return record;
}

void Expect(StepRecord row, LineClass line_class, bool by_rollout,
            KeyDialect dialect = KeyDialect::kSlime) {
  ASSERT_TRUE(ClassifySlimeRow(&row)) << row.key_text;
  EXPECT_EQ(row.line_class, line_class) << row.key_text;
  EXPECT_EQ(row.by_rollout, by_rollout) << row.key_text;
  EXPECT_EQ(row.dialect, dialect) << row.key_text;
}

TEST(TrackedKeysTest, RowsOfSlimeByTheirKeys) {
  Expect(Row({"train/pg_loss", "train/step"}), LineClass::kTrain, false);
  Expect(Row({"train/loss", "train/step"}), LineClass::kTrain, false,
         KeyDialect::kSlimeSft);
  Expect(Row({"train/critic-value_loss", "train/step"}), LineClass::kCritic,
         false);
  Expect(Row({"rollout/raw_reward", "rollout/step"}), LineClass::kRollout,
         true);
  Expect(Row({"rollout/response_len/mean", "perf/rollout_time"}),
         LineClass::kRollouter, true);
  Expect(Row({"perf/wait_time_ratio", "perf/step_time"}), LineClass::kRollout,
         true);
  Expect(Row({"eval/aime", "eval/step"}), LineClass::kVal, true);
}

TEST(TrackedKeysTest, RowsOfOthersStayAsTheyAre) {
  StepRecord verl = Row({"actor/lr", "train/loss", "perf/time_per_step"});
  EXPECT_FALSE(ClassifySlimeRow(&verl));
  EXPECT_EQ(verl.dialect, KeyDialect::kVerl);
  EXPECT_FALSE(verl.by_rollout);
}

}  // namespace
}  // namespace rlrun
