#include "parsers/formats/dict_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::Pair;

class DictLineTest : public testing::Test {
 protected:
  std::map<std::string, double> Read(std::string_view text) {
    record_ = {};
    skipped_ = {};
    result_ = ReadDictPairs(text, &record_, &skipped_);
    std::map<std::string, double> values;
    for (const StepRecord::Pair& pair : record_.pairs) {
      values[std::string(record_.Key(pair))] = pair.value;
    }
    return values;
  }
  std::uint64_t Skipped(SkipReason reason) const {
    return skipped_[static_cast<std::size_t>(reason)];
  }

  StepRecord record_;
  SkipCounts skipped_{};
  DictLine result_;
};

TEST_F(DictLineTest, NumbersAsReprPrintsThem) {
  EXPECT_THAT(Read("{'a': 1, 'b/c': -4.967053731282552e-09, 'd@1': 1e-06}"),
              ElementsAre(Pair("a", 1), Pair("b/c", -4.967053731282552e-09),
                          Pair("d@1", 1e-06)));
  EXPECT_TRUE(result_.closed);
  EXPECT_EQ(result_.size, 53u);
}

TEST_F(DictLineTest, NanAndInfinityAreData) {
  const auto values = Read("{'a': nan, 'b': inf, 'c': -inf, 'd': NaN}");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(std::isnan(values.at("a")));
  EXPECT_EQ(values.at("b"), INFINITY);
  EXPECT_EQ(values.at("c"), -INFINITY);
}

TEST_F(DictLineTest, NumpyAndTensorsAreUnwrapped) {
  EXPECT_THAT(Read("{'a': np.float64(0.25), 'b': np.int64(3), 'c': tensor(2.), "
                   "'d': tensor(0.5, device='cuda:0'), 'e': "
                   "torch.tensor(1.5, dtype=torch.float64)}"),
              ElementsAre(Pair("a", 0.25), Pair("b", 3), Pair("c", 2),
                          Pair("d", 0.5), Pair("e", 1.5)));
}

TEST_F(DictLineTest, ACallThatOnlyBeginsWithANumberIsNone) {
  EXPECT_THAT(Read("{'a': datetime.date(2026, 1, 2), 'b': 1}"),
              ElementsAre(Pair("b", 1)));
  EXPECT_EQ(Skipped(SkipReason::kNotANumber), 1u);
}

TEST_F(DictLineTest, BoolsAndJson) {
  EXPECT_THAT(
      Read(R"({"a": true, "b": false, "c": null, 'd': True, 'e': None})"),
      ElementsAre(Pair("a", 1), Pair("b", 0), Pair("d", 1)));
  EXPECT_EQ(Skipped(SkipReason::kNotANumber), 2u);
}

TEST_F(DictLineTest, QuotedNumbersOfNewerTrainers) {
  const auto values = Read("{'loss': '0', 'n': '1.678e+04', 'g': 'nan'}");
  EXPECT_EQ(values.at("loss"), 0);
  EXPECT_EQ(values.at("n"), 16780);
  EXPECT_TRUE(std::isnan(values.at("g")));
}

TEST_F(DictLineTest, TextThatOnlyBeginsWithANumberIsNone) {
  EXPECT_TRUE(Read("{'a': '10/100', 'b': '1m 2s', 'c': '7,123', 'd': '31.70%', "
                   "'e': '30.12GiB(31.70%)', 'f': '1 day, 0:01:02'}")
                  .empty());
  EXPECT_EQ(Skipped(SkipReason::kNotANumber), 6u);
  EXPECT_TRUE(result_.closed);
}

TEST_F(DictLineTest, ListsTuplesAndTextAreSkipped) {
  EXPECT_THAT(Read("{'a': [1, 'b]', {'c': 2}], 'd': (1, 2), 'e': "
                   "tensor([1., 2.]), 'f': \"it's }\", 'g': 4}"),
              ElementsAre(Pair("g", 4)));
  EXPECT_EQ(Skipped(SkipReason::kNotANumber), 4u);
}

TEST_F(DictLineTest, InnerDictsAreJoined) {
  EXPECT_THAT(Read("{'a': {'b': 1, 'c': {'d': 2}, 0: 5}, 'e': 3}"),
              ElementsAre(Pair("a/0", 5), Pair("a/b", 1), Pair("a/c/d", 2),
                          Pair("e", 3)));
}

TEST_F(DictLineTest, OddKeys) {
  EXPECT_THAT(Read(R"({'memory(GiB)': 1, "it's": 2, 'a\'b': 3, '\u00e9': 4})"),
              ElementsAre(Pair("a'b", 3), Pair("it's", 2),
                          Pair("memory(GiB)", 1), Pair("\u00e9", 4)));
}

TEST_F(DictLineTest, AKeyWithEscapesBesideTextThatIsSkipped) {
  EXPECT_THAT(Read(R"({'\\x': tensor(0.5, device='cuda:0'), 'y': [1, 'b']})"),
              ElementsAre(Pair("\\x", 0.5)));
}

TEST_F(DictLineTest, EmptyKeysAreCounted) {
  EXPECT_THAT(Read("{'': 1, 'a': 2}"), ElementsAre(Pair("a", 2)));
  EXPECT_EQ(Skipped(SkipReason::kNoValue), 1u);
}

TEST_F(DictLineTest, ACutNumberIsNotBelieved) {
  for (const char* text :
       {"{'a': 1, 'b': 20.8", "{'a': 1, 'b'", "{'a': 1, 'b",
        "{'a': 1, 'b': ", "{'a': 1, 'b': 'x", "{'a': 1, 'b': [1, 2",
        "{'a': 1, 'b': Tru", "{'a': 1, 'b': 7.55e", "{'a': 1, 'b': 7.55e-"}) {
    EXPECT_THAT(Read(text), ElementsAre(Pair("a", 1))) << text;
    EXPECT_EQ(Skipped(SkipReason::kCut), 1u) << text;
    EXPECT_FALSE(result_.closed);
  }
}

TEST_F(DictLineTest, ACutBehindAPairLosesNoPair) {
  for (const char* text : {"{'a': 1,", "{'a': 1, ", "{'a': 1 "}) {
    EXPECT_THAT(Read(text), ElementsAre(Pair("a", 1))) << text;
    EXPECT_EQ(Skipped(SkipReason::kCut), 0u);
    EXPECT_FALSE(result_.closed);
  }
}

TEST_F(DictLineTest, WhatStandsBeforeADamagedPairCounts) {
  for (const char* text :
       {"{'a': 1, ...}", "{'a': 1, 'b': <object at 0x7f>, 'c': 2}",
        "{'a': 1, 'b': 1.2.3, 'c': 2}", "{'a': 1 'c': 2}",
        "{'a': 1, b: 2, 'c': 3}", "{'a': 1, 'b': 12ms, 'c': 3}"}) {
    EXPECT_EQ(Read(text).at("a"), 1) << text;
    EXPECT_EQ(Read(text).size(), 1u) << text;
    EXPECT_FALSE(result_.closed) << text;
  }
}

TEST_F(DictLineTest, ManyBracketsTakeNoStack) {
  EXPECT_TRUE(Read("{'a': " + std::string(100000, '[') + "}").empty());
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{'a': ";
  EXPECT_TRUE(Read(deep).empty());
  EXPECT_FALSE(result_.closed);
}

}  // namespace
}  // namespace rlrun
