#include "exporter/signatures/quality_nonfinite_keys.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

namespace rlrun {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

StepRecord Line(std::int64_t step,
                std::initializer_list<std::pair<std::string, double>> pairs,
                LineClass line_class = LineClass::kTrain) {
  StepRecord record;
  record.step = step;
  record.line_class = line_class;
  for (const auto& [key, value] : pairs) record.Add(key, value);
  return record;
}

// Keys with the layouts of their lines.
class Keys : public NonfiniteKeys {
 public:
  void Apply(const StepRecord& record) {
    NonfiniteKeys::Apply(record, layouts_.Of(record));
  }

 private:
  KeyLayouts layouts_;
};

// `perf/a` on steps first..last.
void Feed(Keys* keys, int first, int last, double value) {
  for (int s = first; s <= last; ++s) keys->Apply(Line(s, {{"perf/a", value}}));
}

TEST(NonfiniteKeys, CountsStepsInARowBehindAFiniteOne) {
  Keys keys;
  Feed(&keys, 1, 2, 1);
  EXPECT_FALSE(keys.Longest(1));
  EXPECT_FALSE(keys.Longest(0));
  Feed(&keys, 3, 5, kNan);
  const auto found = keys.Longest(3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "perf/a");
  EXPECT_EQ(found->step, 5);
  EXPECT_TRUE(std::isnan(found->value));
  EXPECT_EQ(found->steps, 3u);
  EXPECT_FALSE(keys.Longest(4));
}

TEST(NonfiniteKeys, NeverFiniteIsNothing) {
  Keys keys;
  Feed(&keys, 1, 9, kNan);
  EXPECT_FALSE(keys.Longest(1));
}

TEST(NonfiniteKeys, KeysOfTheRuleAreNotOthers) {
  Keys keys;
  for (const auto key : {"actor/pg_loss", "actor/grad_norm", "actor/entropy",
                         "actor/entropy_loss", "critic/score/mean"}) {
    keys.Apply(Line(1, {{key, 1}}));
    for (int s = 2; s <= 5; ++s) keys.Apply(Line(s, {{key, kNan}}));
    EXPECT_FALSE(keys.Longest(1)) << key;
  }
}

TEST(NonfiniteKeys, SameStepAgainIsOneStep) {
  Keys keys;
  Feed(&keys, 1, 1, 1);
  for (int i = 0; i < 5; ++i) Feed(&keys, 2, 2, kNan);
  EXPECT_EQ(keys.Longest(1)->steps, 1u);
  Feed(&keys, 2, 2, 1);
  EXPECT_FALSE(keys.Longest(1));
}

TEST(NonfiniteKeys, KeyThatIsPrintedNoMoreIsForgotten) {
  Keys keys;
  Feed(&keys, 1, 1, 1);
  Feed(&keys, 2, 5, kNan);
  keys.Apply(Line(6, {{"perf/b", 1}}));
  EXPECT_FALSE(keys.Longest(3));
  Feed(&keys, 7, 7, kNan);
  EXPECT_EQ(keys.Longest(3)->steps, 5u);
}

TEST(NonfiniteKeys, ValidationKeyHoldsUntilTheNextValidation) {
  Keys keys;
  const auto validate = [&](int step, double x) {
    keys.Apply(Line(step, {{"val-aux/a", x}}, LineClass::kVal));
  };
  validate(1, 1);
  for (int s = 2; s <= 4; ++s) validate(s, kNan);
  Feed(&keys, 5, 9, 1);
  EXPECT_EQ(keys.Longest(3)->key, "val-aux/a");
  validate(10, 1);
  EXPECT_FALSE(keys.Longest(1));
}

TEST(NonfiniteKeys, ValidationKeyWithinATrainingLine) {
  Keys keys;
  const auto line = [&](int step, double x) {
    keys.Apply(Line(step, {{"actor/n", 1}, {"val-aux/a", x}}));
  };
  line(1, 1);
  for (int s = 2; s <= 4; ++s) line(s, kNan);
  Feed(&keys, 5, 9, 1);
  EXPECT_EQ(keys.Longest(3)->key, "val-aux/a");
  keys.Apply(Line(10, {{"actor/n", 1}, {"val-aux/b", 1}}));
  EXPECT_FALSE(keys.Longest(1));
}

TEST(NonfiniteKeys, LongestIsNamed) {
  Keys keys;
  keys.Apply(Line(1, {{"a", 1}, {"b", 1}, {"c", 1}}));
  keys.Apply(Line(2, {{"a", 1}, {"b", kNan}, {"c", 1}}));
  keys.Apply(Line(3, {{"a", kNan}, {"b", kNan}, {"c", kNan}}));
  EXPECT_EQ(keys.Longest(1)->key, "b");
  keys.Apply(Line(4, {{"a", kNan}, {"b", 1}, {"c", kNan}}));
  EXPECT_EQ(keys.Longest(1)->key, "a");  // first seen of equals
}

TEST(NonfiniteKeys, RewindRestoresExactly) {
  Keys keys;
  Feed(&keys, 1, 1, 1);
  Feed(&keys, 2, 4, kNan);
  Feed(&keys, 5, 6, 1);
  keys.DropFrom(5);
  ASSERT_TRUE(keys.Longest(3));
  EXPECT_EQ(keys.Longest(3)->step, 4);
  keys.DropFrom(3);
  EXPECT_EQ(keys.Longest(1)->steps, 1u);
  // Now it never was finite.
  keys.DropFrom(1);
  Feed(&keys, 1, 5, kNan);
  EXPECT_FALSE(keys.Longest(1));
}

TEST(NonfiniteKeys, RewindKeepsThatAKeyWasFiniteBefore) {
  Keys keys;
  Feed(&keys, 1, 4, 1);
  keys.DropFrom(3);
  Feed(&keys, 3, 5, kNan);
  EXPECT_EQ(keys.Longest(3)->steps, 3u);
}

TEST(NonfiniteKeys, FlagsOfGradientNorms) {
  Keys keys;
  keys.Apply(Line(1, {{"actor/grad_norm", kNan}, {"critic/grad_norm", 1}}));
  keys.Apply(Line(2, {{"actor/grad_norm", 1}, {"critic/grad_norm", kNan}}));
  keys.Apply(Line(3, {{"train/grad_norm", kNan}}));
  const auto sum = [&](Role role) {
    double n = 0;
    for (const double x : keys.flags(role).values()) n += x;
    return n;
  };
  EXPECT_EQ(keys.flags(Role::kActorGradNorm).newest(), 0);
  EXPECT_EQ(keys.flags(Role::kActorGradNorm).newest(1), 1);
  EXPECT_EQ(keys.flags(Role::kCriticGradNorm).newest(), 1);
  EXPECT_EQ(sum(Role::kTrainGradNorm), 1);
  keys.DropFrom(2);
  EXPECT_EQ(sum(Role::kCriticGradNorm), 0);
}

TEST(NonfiniteKeys, LinesWithOtherKeysTakeTurns) {
  Keys keys;
  for (int s = 1; s <= 40; ++s) {
    const std::string name = "perf/" + std::to_string(s % 7);
    keys.Apply(Line(s, {{name, 1}, {"perf/x", s > 20 ? kNan : 1}}));
  }
  EXPECT_EQ(keys.Longest(3)->key, "perf/x");
  EXPECT_EQ(keys.Longest(3)->steps, 20u);
}

TEST(NonfiniteKeys, SameTextOfOtherKeysIsAnotherLayout) {
  Keys keys;
  keys.Apply(Line(1, {{"ab", 1}, {"c", 1}}));
  keys.Apply(Line(2, {{"a", 1}, {"bc", 1}}));
  for (int s = 3; s <= 5; ++s) keys.Apply(Line(s, {{"a", 1}, {"bc", kNan}}));
  EXPECT_EQ(keys.Longest(3)->key, "bc");
}

TEST(NonfiniteKeys, KeysBeyondTheCapAreNotLookedAt) {
  Keys keys;
  StepRecord first = Line(1, {}), later = Line(2, {});
  for (int i = 0; i < 4001; ++i) {
    first.Add("k" + std::to_string(i), 1);
    later.Add("k" + std::to_string(i), i < 3999 ? 1 : kNan);
  }
  keys.Apply(first);
  keys.Apply(later);
  EXPECT_EQ(keys.Longest(1)->key, "k3999");
  later.pairs[3999].value = 1;
  keys.Apply(later);
  EXPECT_FALSE(keys.Longest(1));
}

}  // namespace
}  // namespace rlrun
