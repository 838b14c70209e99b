#include "exporter/signatures/judge.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

// A rule that says what the run prints: 1 info, 2 warning, 3 critical; no
// `actor/lr`: not evaluated.
RuleResult Echo(const RuleInput& input) {
  const auto x = input.step().value(Role::kActorLr);
  if (!x) return RuleResult::NotEvaluated();
  if (*x < 0) return RuleResult::NotApplicable();
  RuleResult result = RuleResult::None();
  result.level = static_cast<Level>(static_cast<int>(*x));
  if (result.level != Level::kNone) {
    AddEvidence(input.history, Role::kActorLr, 0, &result);
  }
  return result;
}
// Critical while `echo` is warning or worse.
RuleResult Follow(const RuleInput& input) {
  RuleResult result = RuleResult::None();
  if (input.levels.published("reward_drop") >= Level::kWarning) {
    result.level = Level::kCritical;
  }
  return result;
}
RuleResult OfValidation(const RuleInput& input) {
  RuleResult result = RuleResult::None();
  if (input.history.validations().back().frame.all_zero) {
    result.level = Level::kWarning;
  }
  return result;
}
int evaluations = 0;
RuleResult Counting(const RuleInput&) {
  ++evaluations;
  return RuleResult::None();
}

constexpr std::array kLr = {Role::kActorLr};
constexpr std::array kTurns = {Role::kTurns};

StepRule Rule(std::string_view name, RuleResult (*evaluate)(const RuleInput&),
              std::span<const Role> roles = kLr,
              RuleTrigger trigger = RuleTrigger::kTrainingStep) {
  return {name, trigger, 0, roles, evaluate, "means", "next"};
}

class JudgeTest : public testing::Test {
 protected:
  JudgeTest() : run_({Rule("echo", Echo)}) {}
  // One training line per level; -1 no key, -2 not applicable.
  void Levels(std::initializer_list<int> levels) {
    for (const int level : levels) Step(level, ++step_);
  }
  void Step(int level, int step) {
    RunBuilder::Pairs pairs = {{"critic/score/mean", 1}};
    if (level >= 0) pairs.emplace_back("actor/lr", level);
    if (level == -2) pairs.emplace_back("actor/lr", -1);
    run_.Line(step, pairs);
  }
  RunBuilder run_;
  int step_ = 0;
};

TEST_F(JudgeTest, PublishedLevelIsTheHighestOfThreeEvaluatedSteps) {
  Levels({0, 2});
  EXPECT_EQ(run_.level("echo"), Level::kWarning);
  Levels({3});
  EXPECT_EQ(run_.level("echo"), Level::kCritical);
  Levels({0, 0});
  EXPECT_EQ(run_.level("echo"), Level::kCritical);
  EXPECT_EQ(run_.raw("echo"), Level::kNone);
  Levels({0});
  EXPECT_EQ(run_.level("echo"), Level::kNone);
  EXPECT_EQ(run_.recovered("echo"), 6);
}

TEST_F(JudgeTest, StepsThatAreNotEvaluatedCountNeitherWay) {
  Levels({2, -1, -1, 0, -1, 0, -1});
  EXPECT_EQ(run_.level("echo"), Level::kWarning);
  EXPECT_EQ(run_.raw("echo"), std::nullopt);
  Levels({0});
  EXPECT_EQ(run_.level("echo"), Level::kNone);
}

TEST_F(JudgeTest, WithdrawnAfterTwentyStepsWithoutEvaluation) {
  Levels({2});
  for (int i = 0; i < 19; ++i) Levels({-1});
  EXPECT_EQ(run_.level("echo"), Level::kWarning);
  Levels({-1});
  EXPECT_EQ(run_.level("echo"), std::nullopt);
  EXPECT_EQ(run_.recovered("echo"), std::nullopt);
  Levels({0});
  EXPECT_EQ(run_.level("echo"), Level::kWarning);  // still of the last three
}

TEST_F(JudgeTest, NeverEvaluatedIsAbsent) {
  Levels({-1, -1});
  EXPECT_EQ(run_.level("echo"), std::nullopt);
  Levels({0});
  EXPECT_EQ(run_.level("echo"), Level::kNone);
}

TEST_F(JudgeTest, NotApplicableIsAbsentAtOnce) {
  Levels({2, -2});
  EXPECT_EQ(run_.level("echo"), std::nullopt);
}

TEST_F(JudgeTest, OneActivationCountsOnceAlsoWhenJudgedAgain) {
  Levels({0, 2});
  EXPECT_EQ(run_.finding("echo")->activations, 1u);
  Step(0, 2);
  EXPECT_EQ(run_.level("echo"), Level::kNone);
  Step(2, 2);
  EXPECT_EQ(run_.finding("echo")->activations, 1u);
  EXPECT_EQ(run_.finding("echo")->since_step, 2);
  step_ = 2;
  Levels({3});  // worse is no new activation
  EXPECT_EQ(run_.finding("echo")->activations, 1u);
  Levels({0, 0, 0, 2});
  EXPECT_EQ(run_.finding("echo")->activations, 2u);
  EXPECT_EQ(run_.finding("echo")->since_step, 7);
}

TEST_F(JudgeTest, RewindBelowTheSinceStepClearsWithoutRecovered) {
  Levels({0, 0, 0, 0, 3, 3});
  Step(0, 4);
  EXPECT_EQ(run_.level("echo"), Level::kNone);
  EXPECT_EQ(run_.recovered("echo"), std::nullopt);
  EXPECT_EQ(run_.finding("echo")->activations, 1u);
  Step(3, 5);  // it happened again
  EXPECT_EQ(run_.finding("echo")->activations, 2u);
}

TEST_F(JudgeTest, RewindRestoresLevelsOfTheStepsBefore) {
  Levels({0, 2, 0, 0, 0, 0, 0});
  Step(0, 4);  // 2, 0 and this one
  EXPECT_EQ(run_.level("echo"), Level::kWarning);
  EXPECT_EQ(run_.finding("echo")->since_step, 2);
  Step(0, 5);
  EXPECT_EQ(run_.recovered("echo"), 5);
}

TEST_F(JudgeTest, RecoveredIsListedForTenSteps) {
  Levels({2, 0, 0, 0});
  for (int i = 0; i < 10; ++i) Levels({0});
  EXPECT_EQ(run_.recovered("echo"), 4);
  Levels({0});
  EXPECT_EQ(run_.recovered("echo"), std::nullopt);
}

TEST_F(JudgeTest, EvidenceIsOfTheNewestStepThatClaimed) {
  Levels({0, 3, 2, 0});
  const auto finding = run_.finding("echo");
  ASSERT_EQ(finding->evidence.size(), 1u);
  EXPECT_EQ(finding->evidence[0].key, "actor/lr");
  EXPECT_EQ(finding->evidence[0].step, 3);
  EXPECT_EQ(finding->evidence[0].value, 2);
  Levels({0, 0});
  EXPECT_TRUE(run_.finding("echo")->evidence.empty());
}

TEST_F(JudgeTest, NewTextForgetsLevelsAndKeepsCounters) {
  Levels({2});
  run_.judge().StartNewText();
  EXPECT_EQ(run_.level("echo"), std::nullopt);
  Step(2, 1);
  EXPECT_EQ(run_.finding("echo")->activations, 2u);
}

TEST(Judge, RulesThatOthersAskForAreJudgedFirst) {
  RunBuilder run({Rule("follow", Follow), Rule("reward_drop", Echo)});
  run.Line(1, {{"actor/lr", 2}});
  EXPECT_EQ(run.level("follow"), Level::kCritical);
}

TEST(Judge, LaterLinesRunOnlyRulesThatWatchTheirKeys) {
  evaluations = 0;
  RunBuilder run({Rule("counting", Counting, kTurns)});
  run.Line(1, {{"actor/lr", 1}});
  EXPECT_EQ(evaluations, 1);
  run.Line(1, {{"response_length/mean", 1}});
  run.Line(1, {{"fully_async/x", 1}});
  EXPECT_EQ(evaluations, 1);
  run.Line(1, {{"num_turns/mean", 1}});
  EXPECT_EQ(evaluations, 2);
  run.Line(1, {{"actor/lr", 1}});  // its training line again
  EXPECT_EQ(evaluations, 3);
}

TEST(Judge, ValidationRuleHasTheLevelOfTheNewestValidation) {
  RunBuilder run({Rule("val", OfValidation, {}, RuleTrigger::kValidation)});
  run.Line(1, {{"actor/lr", 1}});
  EXPECT_EQ(run.level("val"), std::nullopt);
  run.Line(1, {{"val-core/a/acc/mean@1", 0}});
  EXPECT_EQ(run.level("val"), Level::kWarning);
  for (int i = 2; i <= 40; ++i) run.Line(i, {{"actor/lr", 1}});
  EXPECT_EQ(run.level("val"), Level::kWarning);  // not withdrawn
  run.Line(40, {{"val-core/a/acc/mean@1", 0.1}});
  EXPECT_EQ(run.level("val"), Level::kNone);
  EXPECT_EQ(run.recovered("val"), 40);
  run.Line(30, {{"actor/lr", 1}});  // the second validation never was
  EXPECT_EQ(run.level("val"), Level::kWarning);
}

TEST(Judge, NewRulesJudgeTheNewestStepsAgainAndCountNothingTwice) {
  RunBuilder run;
  run.Key("response_length/clip_ratio", 0.2).Key("actor/lr", 1e-6);
  run.Play(1, 10);
  EXPECT_EQ(run.failing("response_clip_ratio"), 10u);
  RunRules rules;
  rules.options.checks.response_clip_ratio.bound = 0.3;
  run.Rules(rules);
  EXPECT_EQ(run.failing("response_clip_ratio"), 0u);
  run.Rules(RunRules());
  EXPECT_EQ(run.failing("response_clip_ratio"), 10u);
  EXPECT_EQ(run.history().steps(), 10u);
  EXPECT_EQ(run.history().series(Role::kActorLr).count(), 10u);
}

TEST(Judge, NewRulesKeepActivationsOfWhatStaysActive) {
  RunBuilder run;
  run.Key("actor/lr", 0.0);
  run.Play(1, 5);
  ASSERT_EQ(run.level("frozen_model"), Level::kCritical);
  const auto before = run.finding("frozen_model")->activations;
  run.Rules(RunRules());
  EXPECT_EQ(run.finding("frozen_model")->activations, before);
  EXPECT_EQ(run.finding("frozen_model")->since_step, 2);
}

TEST(Judge, LongRunCanBeRewoundTwice) {
  RunBuilder run({Rule("echo", Echo)});
  run.Key("actor/lr", [](int i) { return i == 1998 ? 3.0 : 0.0; });
  run.Play(1, 2000);
  EXPECT_EQ(run.level("echo"), Level::kCritical);
  run.Play(1600, 1601);
  EXPECT_EQ(run.level("echo"), Level::kNone);
  run.Play(3, 4);  // behind all that is kept
  EXPECT_EQ(run.level("echo"), Level::kNone);
  EXPECT_EQ(run.history().rewinds(), 2u);
}

TEST(Judge, LineOfAValidationClearsThatOneIsMissingAtOnce) {
  RunBuilder run;
  RunFacts facts;
  facts.test_freq = 10;
  run.Facts(facts).Key("actor/lr", 1e-6).Play(1, 20);
  EXPECT_EQ(run.level("validation_missing"), Level::kWarning);
  run.Line(20, {{"val-core/swe/acc/mean@8", 0.5}});
  EXPECT_EQ(run.level("validation_missing"), Level::kNone);
}

TEST(Judge, ThirdValidationWithoutANumberIsSaidAtItsLine) {
  RunBuilder run;
  run.Key("actor/entropy", 1).Decimals(255);
  for (int step = 10; step <= 40; step += 10) {
    run.Play(step - 9, step);
    EXPECT_EQ(run.level("nan_inf"), Level::kNone) << step;
    run.Line(step, {{"val-aux/x", step == 10 ? 1.0 : RunBuilder::kNan}});
  }
  EXPECT_EQ(run.level("nan_inf"), Level::kWarning);
}

TEST(Judge, RewindLeavesOneRoundedZeroValidationWithoutWeight) {
  RunBuilder run;
  run.Key("actor/lr", 1).Decimals(3).Play(1, 5);
  run.Line(5, {{"val-core/swe/acc/mean@8", 0}}).Play(6, 10);
  run.Line(10, {{"val-core/swe/acc/mean@8", 0}}).Play(11, 12);
  EXPECT_EQ(run.failing("val_nonzero"), 2u);
  run.Play(8, 8);
  EXPECT_EQ(run.failing("val_nonzero"), 0u);
}

TEST(Judge, RewindLeavesTheCriticItsFiftyPoints) {
  RunBuilder run;
  run.Key("critic/vf_explained_var", 0.1).Key("critic/grad_norm", 9);
  run.Key("critic/score/mean", 0.5).Play(1, 150);
  ASSERT_EQ(run.level("critic_starvation"), Level::kWarning);
  run.Play(90, 90);
  EXPECT_EQ(run.level("critic_starvation"), Level::kWarning);
}

}  // namespace
}  // namespace rlrun
