#include "parsers/formats/trainer_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rlrun {
namespace {

constexpr const char* kState = R"({
  "best_metric": null,
  "epoch": 0.2,
  "global_step": 20,
  "log_history": [
    {"epoch": 0.1, "grad_norm": NaN, "loss": 0.0, "step": 10, "note": "x"},
    {"epoch": 0.1, "eval_loss": 0.9, "step": 10},
    {"epoch": 0.2, "loss": 1.1, "step": 20},
    {"epoch": 0.2, "train_runtime": 12.5, "train_loss": 0.5, "step": 20}
  ],
  "max_steps": 500
})";

TEST(TrainerStateTest, HistoryWithNan) {
  SkipCounts skipped{};
  const auto state = ParseTrainerState(kState, &skipped);
  ASSERT_TRUE(state.has_value());
  ASSERT_EQ(state->records.size(), 4u);
  EXPECT_EQ(state->max_steps, 500);
  EXPECT_TRUE(state->ended);
  EXPECT_EQ(state->records[0].step, 10);
  EXPECT_EQ(state->records[0].pairs.size(), 3u);
  EXPECT_TRUE(std::isnan(state->records[0].pairs[1].value));
  EXPECT_EQ(state->records[0].dialect, KeyDialect::kTrlSft);
  EXPECT_EQ(state->records[1].line_class, LineClass::kVal);
  EXPECT_TRUE(state->records[3].cut);
  EXPECT_EQ(skipped[static_cast<std::size_t>(SkipReason::kNotANumber)], 1u);
}

TEST(TrainerStateTest, ARewardMakesItAPolicy) {
  SkipCounts skipped{};
  const auto state = ParseTrainerState(
      R"({"log_history": [{"loss": 1, "reward": 0.5, "step": 1},
                          {"loss": 1, "step": 2}]})",
      &skipped);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->records[1].dialect, KeyDialect::kTrl);
  EXPECT_FALSE(state->max_steps.has_value());
}

TEST(TrainerStateTest, HalfATextIsNone) {
  const std::string text = kState;
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    SkipCounts skipped{};
    EXPECT_FALSE(ParseTrainerState(text.substr(0, size), &skipped)) << size;
    EXPECT_EQ(skipped, SkipCounts{});
  }
}

TEST(TrainerStateTest, OtherJsonIsNone) {
  SkipCounts skipped{};
  for (const char* text : {"[]", "{}", "3", "{\"log_history\": 3}",
                           "{\"global_step\": 3}", "nan", ""}) {
    EXPECT_FALSE(ParseTrainerState(text, &skipped)) << text;
  }
}

TEST(TrainerStateTest, EntriesWithoutAStepAreNone) {
  SkipCounts skipped{};
  const auto state = ParseTrainerState(
      R"({"log_history": [{"loss": 1}, {"loss": 1, "step": -1}, 5, [],
          {"loss": 1, "step": 2.5}, {"step": 3}]})",
      &skipped);
  ASSERT_TRUE(state.has_value());
  EXPECT_TRUE(state->records.empty());
}

TEST(TrainerStateTest, Paths) {
  EXPECT_TRUE(IsTrainerStatePath("/a/checkpoint-5/trainer_state.json"));
  EXPECT_TRUE(IsTrainerStatePath("trainer_state.json"));
  EXPECT_FALSE(IsTrainerStatePath("/a/my_trainer_state.json"));
}

}  // namespace
}  // namespace rlrun
