#include "parsers/formats/slime_line.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

using Type = SlimeLine::Type;

constexpr const char* kBody = "step 7: {'train/pg_loss': 0.5}";

TEST(SlimeLineTest, EveryType) {
  EXPECT_EQ(FindSlimeLine("step 7: {'a': 1}").type, Type::kStep);
  EXPECT_EQ(FindSlimeLine("critic-step 7: {'a': 1}").type, Type::kCriticStep);
  EXPECT_EQ(FindSlimeLine("rollout 7: {'a': 1}").type, Type::kRollout);
  EXPECT_EQ(FindSlimeLine("perf 7: {'a': 1}").type, Type::kPerf);
  EXPECT_EQ(FindSlimeLine("eval 7: {'a': 1}").type, Type::kEval);
  EXPECT_EQ(FindSlimeLine("multi_turn 7: {'a': 1}").type, Type::kMultiTurn);
  EXPECT_EQ(FindSlimeLine("passrate 12: {'a': 1}").number, 12);
}

TEST(SlimeLineTest, WhatMayStandInFront) {
  for (const char* front :
       {"", "  ", "[2026-08-21 10:00:00] model.py:918 - ",
        "[2026-08-21 10:00:00.123 actor_cell0_rank0] log_utils.py:460 - ",
        "[add_slime_metrics] ", "log_utils.py:54 - ", "[x] log_utils.py:429 - ",
        "actor train: 100%|###| 4/4 [00:12<00:00,  3.1s/it]",
        "Rollout generation:  45%|##  | 115/256 [00:12<00:15,  9.2it/s]"
        "(A pid=3) [2026-08-21 10:00:00] model.py:918 - "}) {
    const SlimeLine line = FindSlimeLine(std::string(front) + kBody);
    EXPECT_EQ(line.type, Type::kStep) << front;
    EXPECT_EQ(line.number, 7) << front;
  }
}

TEST(SlimeLineTest, LookAlikes) {
  for (const char* text :
       {"Global step 7: {'policy_loss': 0.1}",
        "Eval at step 7: {'a': 1}",
        "the log says step 7: {'train/loss': 1}",
        "First rollout sample: [\"step 7: {'train/loss': 1}\"], label: x",
        "{'step 7': {'train/loss': 1}}",
        "step: {'a': 1}",
        "step x: {'a': 1}",
        "step 7 {'a': 1}",
        "step 7:{'a': 1}",
        "step 7: 'a'",
        "steps 7: {'a': 1}",
        "step -7: {'a': 1}",
        "/step 7: {'a': 1}",
        "rollout: 7: {'a': 1}",
        "eval/aime: 3/8 samples have reward=None (likely errored): {'a': 1}",
        "eval 7 skipped: no data",
        "Pacman rollout metrics: {'a': 1}",
        "[Rank 3] Memory-Usage after sleep: {'gpu': '0', 'free_GB': 1.5}",
        "checkpoint step 7: {'a': 1}",
        "step 99999999999999999999: {'a': 1}"}) {
    EXPECT_EQ(FindSlimeLine(text).type, Type::kNone) << text;
  }
}

TEST(SlimeLineTest, MilesNamesTheProcess) {
  EXPECT_EQ(FindSlimeLine("[2026-09-04 01:00:00.000 actor_cell0_rank0] "
                          "model.py:854 - step 0: {'a': 1}")
                .process,
            "actor_cell0_rank0");
  EXPECT_EQ(
      FindSlimeLine("[2026-09-04 01:00:00] model.py:854 - step 0: {'a':1}")
          .process,
      "");
}

class ReadSlimeLineTest : public testing::Test {
 protected:
  StepRecord Read(std::string_view text) {
    StepRecord record;
    skipped_ = {};
    taken_ = ReadSlimeLine(FindSlimeLine(text), &record, &skipped_);
    return record;
  }
  static std::string Keys(const StepRecord& record) {
    std::string keys;
    for (const auto& pair : record.pairs) {
      keys += (keys.empty() ? "" : " ") + std::string(record.Key(pair));
    }
    return keys;
  }
  std::uint64_t Skipped(SkipReason reason) const {
    return skipped_[static_cast<std::size_t>(reason)];
  }
  SkipCounts skipped_{};
  bool taken_ = false;
};

TEST_F(ReadSlimeLineTest, StepsAndRolloutsAreTwoAxes) {
  EXPECT_FALSE(Read("step 24: {'train/pg_loss': 1}").by_rollout);
  EXPECT_FALSE(Read("critic-step 24: {'train/critic-a': 1}").by_rollout);
  EXPECT_TRUE(Read("rollout 12: {'rollout/raw_reward': 1}").by_rollout);
  EXPECT_TRUE(Read("perf 12: {'perf/step_time': 1}").by_rollout);
  EXPECT_TRUE(Read("eval 12: {'eval/aime': 1}").by_rollout);
}

TEST_F(ReadSlimeLineTest, TheTwoPerfLinesAreOfTwoClasses) {
  EXPECT_EQ(Read("perf 1: {'rollout/response_len/mean': 3, "
                 "'perf/rollout_time': 1}")
                .line_class,
            LineClass::kRollouter);
  EXPECT_EQ(Read("perf 1: {'perf/step_time': 1}").line_class,
            LineClass::kRollout);
  EXPECT_EQ(Read("eval 1: {'eval/a': 1}").line_class, LineClass::kVal);
  EXPECT_EQ(Read("passrate 1: {'passrate/pass@1': 1}").line_class,
            LineClass::kRollout);
}

TEST_F(ReadSlimeLineTest, CriticIsToldFromTheActor) {
  const StepRecord record = Read(
      "critic-step 3: {'train/loss': 1, 'train/critic-grad_norm': 2, "
      "'train/step': 3, 'lr': 4}");
  EXPECT_EQ(record.line_class, LineClass::kCritic);
  EXPECT_EQ(Keys(record), "train/critic-loss train/critic-grad_norm lr");
}

TEST_F(ReadSlimeLineTest, WithoutAPolicyItIsSupervised) {
  EXPECT_EQ(Read("step 3: {'train/loss': 1, 'train/grad_norm': 2}").dialect,
            KeyDialect::kSlimeSft);
  EXPECT_EQ(Read("step 3: {'train/loss': 1, 'train/pg_loss': 2}").dialect,
            KeyDialect::kSlime);
}

TEST_F(ReadSlimeLineTest, AnUnfinishedDictIsCut) {
  const StepRecord record = Read("perf 0: {'perf/a': 1, 'perf/longest_eff");
  EXPECT_TRUE(record.cut);
  EXPECT_EQ(Keys(record), "perf/a");
  EXPECT_EQ(Skipped(SkipReason::kCut), 1u);
}

TEST_F(ReadSlimeLineTest, TextBehindTheDictIsCounted) {
  const StepRecord record = Read("perf 0: {'perf/a': 1}(A pid=7) more");
  EXPECT_FALSE(record.cut);
  EXPECT_EQ(Skipped(SkipReason::kGlued), 1u);
}

TEST_F(ReadSlimeLineTest, WithoutANumberItIsNone) {
  Read("perf 0: {'perf/note': 'x'}");
  EXPECT_FALSE(taken_);
  EXPECT_EQ(Skipped(SkipReason::kNotANumber), 0u);
}

TEST_F(ReadSlimeLineTest, ReprHasNoQuantum) {
  EXPECT_EQ(Read("step 3: {'train/pg_loss': 0.5}").decimals,
            StepRecord::kExponent);
}

}  // namespace
}  // namespace rlrun
