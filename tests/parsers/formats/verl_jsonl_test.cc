#include "parsers/formats/verl_jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::optional<StepRecord> Parse(std::string_view text,
                                SkipCounts* skipped = nullptr) {
  StepRecord r;
  SkipCounts counts{};
  const bool ok = ParseJsonRecord(text, &r, &counts);
  if (skipped != nullptr) *skipped = counts;
  return ok ? std::optional(r) : std::nullopt;
}

double Value(const StepRecord& r, std::string_view key) {
  double value = -12345;
  for (const auto& p : r.pairs) {
    if (r.Key(p) == key) value = p.value;
  }
  return value;
}

TEST(VerlJsonlTest, Record) {
  const auto r =
      Parse(R"({"step": 3, "data": {"actor/lr": 1e-06, "n": 5, "x": -0.25}})");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->step, 3);
  EXPECT_EQ(r->pairs.size(), 3u);
  EXPECT_EQ(Value(*r, "actor/lr"), 1e-06);
  EXPECT_EQ(Value(*r, "n"), 5);
  EXPECT_EQ(Value(*r, "x"), -0.25);
  EXPECT_FALSE(r->cut);
}

TEST(VerlJsonlTest, NanInfinityNullAndBooleans) {
  const auto r =
      Parse(R"({"step":3,"data":{"a":NaN,"b":Infinity,"c":-Infinity,"d":null,)"
            R"("e":true,"f":false}})");
  ASSERT_TRUE(r);
  EXPECT_TRUE(std::isnan(Value(*r, "a")));
  EXPECT_EQ(Value(*r, "b"), kInf);
  EXPECT_EQ(Value(*r, "c"), -kInf);
  EXPECT_TRUE(std::isnan(Value(*r, "d")));
  EXPECT_EQ(Value(*r, "e"), 1);
  EXPECT_EQ(Value(*r, "f"), 0);
}

TEST(VerlJsonlTest, NumbersAreRoundedCorrectly) {
  const auto r = Parse(
      R"({"step":3,"data":{"a":0.07122344523668289,"b":7.615242180436522e-07}})");
  ASSERT_TRUE(r);
  EXPECT_EQ(Value(*r, "a"), 0.07122344523668289);
  EXPECT_EQ(Value(*r, "b"), 7.615242180436522e-07);
}

TEST(VerlJsonlTest, WhatIsNoNumberIsSkippedAndCountedOnce) {
  SkipCounts skipped;
  const auto r = Parse(
      R"({"step":3,"data":{"s":"0.5","o":{"x":1,"y":{"z":2}},"l":[1,{"q":2}],)"
      R"("":4,"a":1}})",
      &skipped);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->pairs.size(), 1u);
  EXPECT_EQ(Value(*r, "a"), 1);
  EXPECT_EQ(skipped[static_cast<std::size_t>(SkipReason::kNotANumber)], 3u);
  EXPECT_EQ(skipped[static_cast<std::size_t>(SkipReason::kNoValue)], 1u);
}

TEST(VerlJsonlTest, OrderAndOtherMembersDoNotMatter) {
  const auto r = Parse(
      R"({"time":1.5,"data":{"a":1},"more":{"step":9,"data":{"b":2}},"step":4})");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->step, 4);
  EXPECT_EQ(r->pairs.size(), 1u);
}

TEST(VerlJsonlTest, EscapedAndPastedKeys) {
  const auto r = Parse(
      "{\"step\":1,\"data\":{\"val-core/a: b - \\\"c\\\"/acc/mean@1\":1}}");
  ASSERT_TRUE(r);
  EXPECT_EQ(Value(*r, "val-core/a: b - \"c\"/acc/mean@1"), 1);
  EXPECT_EQ(r->line_class, LineClass::kVal);
}

TEST(VerlJsonlTest, WhatIsNoRecord) {
  for (const char* text : {"",
                           "hello",
                           "{}",
                           "[]",
                           "3",
                           R"({"step":3})",
                           R"({"data":{"a":1}})",
                           R"({"step":3,"data":[1]})",
                           R"({"step":3,"data":5})",
                           R"({"step":"3","data":{}})",
                           R"({"step":3.5,"data":{}})",
                           R"({"step":-1,"data":{}})",
                           R"({"step":null,"data":{}})",
                           R"({"step":1e300,"data":{}})",
                           R"({"step":NaN,"data":{}})",
                           R"({"step":3,"data":{"a":1})",
                           R"({"step":3,"data":{"a":1}} x)",
                           R"({"step":3,"data":{"a":1.2.3}})",
                           R"({"step":3,"data":{"a":1e400}})",
                           R"({"step":3,"data":{"a":)",
                           R"([{"step":3,"data":{"a":1}}])",
                           R"({"step":3,"data":{"a":1},"data":{"b":1}})"}) {
    SkipCounts skipped;
    EXPECT_FALSE(Parse(text, &skipped)) << text;
    EXPECT_EQ(skipped, SkipCounts{}) << text;
  }
}

TEST(VerlJsonlTest, DeepNestingCostsNoStack) {
  const std::string open(200'000, '[');
  const std::string close(200'000, ']');
  EXPECT_TRUE(Parse("{\"step\":1,\"data\":{\"a\":" + open + close + "}}"));
  EXPECT_FALSE(Parse("{\"step\":1,\"data\":{\"a\":" + open));
}

TEST(VerlJsonlTest, EveryLineHasOneOutcome) {
  LineSplitter splitter;
  LogFacts facts;
  const auto format = MakeLogFormat(FormatKind::kVerlJsonl);
  EXPECT_EQ(format->name(), "verl_jsonl");
  splitter.Feed(
      "{\"step\":1,\"data\":{\"actor/lr\":1}}\n\n  \nbroken\n"
      "{\"step\":2,\"data\":{\"fully_async/x\":1}}\r\n{\"step\":3,\"da",
      [&](std::span<const Line> lines) { format->ParseLines(lines, &facts); });
  EXPECT_THAT(facts.lines, testing::ElementsAre(2, 0, 2, 1, 0));
  ASSERT_EQ(facts.steps.size(), 2u);
  EXPECT_EQ(facts.steps[1].begin_offset, 44u);
  EXPECT_EQ(facts.steps[1].end_offset, 83u);
  EXPECT_EQ(facts.mode, RunMode::kAsync);
}

}  // namespace
}  // namespace rlrun
