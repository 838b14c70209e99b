#include "parsers/formats/mode_teller.h"

#include <gtest/gtest.h>

#include <string>

#include "parsers/formats/step_line.h"

namespace rlrun {
namespace {

StepRecord Record(std::string_view pairs) {
  StepRecord record;
  SkipCounts skipped{};
  ParseStepLine("step:1 - " + std::string(pairs), false, &record, &skipped);
  return record;
}

TEST(ModeTellerTest, AsyncStaysWhenItsTrainingLinesLookSynchronous) {
  ModeTeller mode;
  EXPECT_EQ(mode.mode(), RunMode::kUnknown);
  mode.NoteStep(Record("fully_async/rollouter/x:1"));
  mode.NoteStep(Record("actor/lr:1e-06"));
  EXPECT_EQ(mode.mode(), RunMode::kAsync);
}

TEST(ModeTellerTest, SaoByKeysOfDifferentLines) {
  ModeTeller mode;
  mode.NoteStep(Record("critic/vf_explained_var:0.2"));
  EXPECT_EQ(mode.mode(), RunMode::kSync);
  mode.NoteStep(Record("actor/rollout_corr/kl:0.001"));
  EXPECT_EQ(mode.mode(), RunMode::kSao);
  mode.NoteStep(Record("actor/lr:1e-06"));
  EXPECT_EQ(mode.mode(), RunMode::kSao);
  EXPECT_EQ(mode.base(), RunMode::kSync);
}

TEST(ModeTellerTest, OrdinaryRunsPrintPlainRolloutCorrection) {
  ModeTeller mode;
  mode.NoteStep(Record("critic/vf_explained_var:0.2 - rollout_corr/kl:0.001"));
  EXPECT_EQ(mode.mode(), RunMode::kSync);
  mode.NoteStep(Record("training/actor/rollout_corr/kl:0.001"));
  EXPECT_EQ(mode.mode(), RunMode::kSync);
}

TEST(ModeTellerTest, ActorCorrectionWithoutCriticIsNotSao) {
  ModeTeller mode;
  mode.NoteStep(Record("actor/rollout_corr/kl:0.001"));
  EXPECT_EQ(mode.mode(), RunMode::kSync);
}

TEST(ModeTellerTest, ConfigNeedsEstimatorAndBypassAndTheCriticKey) {
  RunFacts facts;
  facts.mode = RunMode::kAsync;
  facts.estimator = "gae";
  ModeTeller mode;
  mode.NoteFacts(facts);
  mode.NoteStep(Record("critic/vf_explained_var:0.2"));
  EXPECT_EQ(mode.mode(), RunMode::kAsync);
  facts.bypass_mode = false;
  mode.NoteFacts(facts);
  EXPECT_EQ(mode.mode(), RunMode::kAsync);
  facts.bypass_mode = true;
  mode.NoteFacts(facts);
  EXPECT_EQ(mode.mode(), RunMode::kSao);
  EXPECT_EQ(mode.base(), RunMode::kAsync);
}

TEST(ModeTellerTest, BypassOfAnotherEstimatorIsNotSao) {
  RunFacts facts;
  facts.estimator = "grpo";
  facts.bypass_mode = true;
  ModeTeller mode;
  mode.NoteFacts(facts);
  mode.NoteStep(Record("critic/vf_explained_var:0.2"));
  EXPECT_EQ(mode.mode(), RunMode::kSync);
}

}  // namespace
}  // namespace rlrun
