#include "exporter/config/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "exporter/config/rule_numbers.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Config Parsed(const std::string& text) {
  Config config;
  EXPECT_THAT(ParseConfig(text, "f", &config), IsEmpty());
  return config;
}

std::vector<std::string> Errors(const std::string& text) {
  Config config;
  return ParseConfig(text, "f", &config);
}

// Each number is read into its own place and no other.
TEST(RulesConfig, EveryNumberArrivesAtItsPlace) {
  std::set<const void*> places;
  RuleOptions any;
  for (const auto family :
       {CheckNumbers(), FailureNumbers(), QualityNumbers(), TimeNumbers()}) {
    for (const auto& group : family) {
      for (const auto& spec : group.numbers) {
        const std::string text = "rules: {" + std::string(group.name) + ": {" +
                                 std::string(spec.name) + ": 77}}";
        RuleOptions read = Parsed(text).rules->options;
        const void* place = nullptr;
        if (spec.number != nullptr) {
          EXPECT_EQ(spec.number(read), 77) << text;
          place = &spec.number(any);
        } else {
          EXPECT_EQ(spec.count(read), 77u) << text;
          place = &spec.count(any);
        }
        EXPECT_TRUE(places.insert(place).second) << text;
      }
    }
  }
  EXPECT_GT(places.size(), 150u);
}

TEST(RulesConfig, MisspelledNamesAreErrorsWithTheirLine) {
  EXPECT_THAT(Errors("rules:\n  no_signl:\n    window: 3\n"),
              ElementsAre(AllOf(HasSubstr("f:2:"), HasSubstr("no_signal"))));
  EXPECT_THAT(Errors("rules:\n  no_signal:\n    windw: 3\n"),
              ElementsAre(AllOf(HasSubstr("f:3:"), HasSubstr("window"))));
}

TEST(RulesConfig, NumbersOfAnotherKindAreErrors) {
  EXPECT_THAT(Errors("rules: {no_signal: {window: 0}}"), SizeIs(1));
  EXPECT_THAT(Errors("rules: {no_signal: {window: 513}}"), SizeIs(1));
  EXPECT_THAT(Errors("rules: {no_signal: {window: 2.5}}"), SizeIs(1));
  EXPECT_THAT(Errors("rules: {rollout_kl: {bound: high}}"), SizeIs(1));
  EXPECT_THAT(Errors("rules: {rollout_kl: 3}"), SizeIs(1));
}

TEST(RunsConfig, FirstMatchHoldsOverTheCommonRules) {
  const Config c = Parsed(R"(
runs:
  - match: "swe/long-*"
    rules: {rollout_kl: {bound: 0.5}}
    baseline: {"critic/score/mean": 0.4}
    target: {"val-core/a/reward/mean@8": 0.7}
    expected_lr: 1e-6
  - match: "swe/*"
    rules: {timeout_share: {bound: 0.9}}
rules:
  rollout_kl: {bound: 0.25}
)");
  const auto first = c.RulesFor("swe", "long-1");
  EXPECT_EQ(first->options.checks.rollout_kl.bound, 0.5);
  EXPECT_EQ(first->options.checks.timeout_share.bound, 0.2);
  EXPECT_EQ(first->baseline.at("critic/score/mean"), 0.4);
  EXPECT_EQ(first->target.at("val-core/a/reward/mean@8"), 0.7);
  EXPECT_EQ(first->expected_lr, 1e-6);
  const auto second = c.RulesFor("swe", "short");
  EXPECT_EQ(second->options.checks.rollout_kl.bound, 0.25);
  EXPECT_EQ(second->options.checks.timeout_share.bound, 0.9);
  EXPECT_FALSE(second->expected_lr);
  const auto other = c.RulesFor("math", "short");
  EXPECT_EQ(other, c.rules);
  EXPECT_EQ(other->options.checks.rollout_kl.bound, 0.25);
}

TEST(RunsConfig, RunWithoutAProjectIsMatchedWithADash) {
  const Config c = Parsed("runs: [{match: '-/solo', expected_lr: 2}]");
  EXPECT_EQ(c.RulesFor("", "solo")->expected_lr, 2.0);
  EXPECT_FALSE(c.RulesFor("p", "solo")->expected_lr);
}

TEST(RunsConfig, MatchIsRequiredAndUnknownKeysAreErrors) {
  EXPECT_THAT(Errors("runs: [{expected_lr: 1}]"),
              ElementsAre(HasSubstr("match is missing")));
  EXPECT_THAT(Errors("runs: [{match: a, lr: 1}]"), SizeIs(1));
  EXPECT_THAT(Errors("runs: [{match: a, expected_lr: -1}]"), SizeIs(1));
  EXPECT_THAT(Errors("runs: [{match: a, baseline: {x: y}}]"), SizeIs(1));
}

}  // namespace
}  // namespace rlrun
