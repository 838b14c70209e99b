#include "parsers/formats/tracked_keys.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rlrun {
namespace {

using Keys = std::vector<const char*>;

StepRecord Row(const Keys& keys) {
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

std::string KeysOf(const StepRecord& record) {
  std::string keys;
  for (const StepRecord::Pair& pair : record.pairs) {
    keys += std::string(record.Key(pair)) + " ";
  }
  return keys;
}

class RowTellerTest : public testing::Test {
 protected:
  StepRecord Classified(const Keys& keys) {
    StepRecord row = Row(keys);
    row.begin_offset = 100;
    teller_.Classify(&row, &facts_);
    return row;
  }
  RowTeller teller_;
  LogFacts facts_;
};

TEST_F(RowTellerTest, WordsOfHuggingFaceArePutBack) {
  const StepRecord row =
      Classified({"train/loss", "train/learning_rate", "train/epoch",
                  "train/reward", "train/completions/mean_length",
                  "train/global_step", "profiling/Time taken: x"});
  EXPECT_EQ(KeysOf(row),
            "loss learning_rate epoch reward completions/mean_length "
            "profiling/Time taken: x ");
  EXPECT_EQ(row.dialect, KeyDialect::kTrl);
  EXPECT_EQ(row.line_class, LineClass::kTrain);
  EXPECT_EQ(teller_.framework(), "trl");
  EXPECT_EQ(teller_.mode(), RunMode::kSync);
  EXPECT_FALSE(facts_.events.end);
}

TEST_F(RowTellerTest, EvaluationIsAValidation) {
  const StepRecord row = Classified(
      {"eval/loss", "eval/runtime", "train/epoch", "train/global_step"});
  EXPECT_EQ(KeysOf(row), "eval_loss eval_runtime epoch ");
  EXPECT_EQ(row.dialect, KeyDialect::kTrlSft);
  EXPECT_EQ(row.line_class, LineClass::kVal);
}

// A writer of events flushes where it likes.
TEST_F(RowTellerTest, RestOfAStepIsOfTheSameTrainer) {
  Classified({"train/loss", "train/learning_rate", "train/epoch"});
  EXPECT_EQ(teller_.mode(), RunMode::kSft);
  EXPECT_EQ(Classified({"train/reward"}).dialect, KeyDialect::kTrl);
  EXPECT_EQ(KeysOf(Classified({"train/kl", "train/entropy"})), "kl entropy ");
}

TEST_F(RowTellerTest, SummaryIsTheEnd) {
  const StepRecord row =
      Classified({"train/train_runtime", "train/train_loss", "train/epoch"});
  EXPECT_TRUE(row.cut) << "older keys stay";
  ASSERT_TRUE(facts_.events.end);
  EXPECT_EQ(facts_.events.end->at.offset, 101u);
  EXPECT_EQ(facts_.events.end->kind, EndKind::kTrainer);
}

TEST_F(RowTellerTest, RowsThatOnlyLookLikeItKeepTheirWords) {
  for (const Keys& keys : std::vector<Keys>{
           {"train/loss", "train/lr"},
           {"train/loss", "train/global_step"},
           {"train/policy_loss", "train/reward", "train/global_step"},
           {"train/loss", "train/epoch"},
           {"train/loss", "train/learning_rate"},
           {"eval/loss", "eval/runtime"}}) {
    EXPECT_EQ(KeysOf(Classified(keys)), KeysOf(Row(keys)));
    EXPECT_EQ(teller_.framework(), "");
  }
}

TEST_F(RowTellerTest, SlimeTrainsAPolicyAlthoughItsLossIsCalledSo) {
  Classified({"train/loss", "train/pg_loss", "train/step"});
  EXPECT_EQ(teller_.framework(), "slime");
  EXPECT_EQ(teller_.mode(), RunMode::kSync);
  Classified({"rollout/raw_reward", "rollout/step"});
  EXPECT_EQ(teller_.mode(), RunMode::kSync);
}

}  // namespace
}  // namespace rlrun
