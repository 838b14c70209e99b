#include "parsers/formats/step_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Pairs = std::vector<std::pair<std::string, double>>;

struct Parsed {
  StepLineKind kind = StepLineKind::kNone;
  StepRecord record;
  SkipCounts skipped{};

  Pairs pairs() const {
    Pairs all;
    for (const auto& p : record.pairs) {
      all.emplace_back(record.Key(p), p.value);
    }
    return all;
  }
  std::uint64_t count(SkipReason r) const {
    return skipped[static_cast<std::size_t>(r)];
  }
};

Parsed Parse(std::string_view text, bool cut = false) {
  Parsed p;
  p.kind = ParseStepLine(text, cut, &p.record, &p.skipped);
  return p;
}

std::size_t Edge(std::string_view text) { return FindStepEdge(text).at; }

constexpr auto kNone = StepEdge::kNone;

TEST(StepEdgeTest, StartBehindBlanksAndPrefixes) {
  EXPECT_EQ(Edge("step:2 - a:1"), 0u);
  EXPECT_EQ(Edge("  step:2 - a:1"), 2u);
  EXPECT_EQ(Edge("(T pid=1) (W pid=2) step:2 - a:1"), 20u);
  EXPECT_EQ(FindStepEdge("(T pid=1) (W pid=2) step:2").prefix.actor, "T");
}

// Trap 1.
TEST(StepEdgeTest, BehindTheBracketThatClosesABar) {
  EXPECT_EQ(Edge("Epoch 1/2: 10%|# | 1/9 [00:02<00:20, 2.1s/it]step:2 - a:1"),
            45u);
  EXPECT_EQ(Edge("x [00:02<00:20, 2.1it/s] step:2 - a:1"), 25u);
  EXPECT_EQ(Edge("0%| | 0/4 [00:00<?, ?it/s]step:0 - a:1"), 26u);
}

TEST(StepEdgeTest, NeverBehindALetterUnderscoreSlashOrOtherText) {
  for (const char* text :
       {"global_step:9 - a:1", "training/global_step:1 - a:1",
        "/checkpoints/step:9 - a:1", "game/step:0 - a:1", "substep:3 - a:1",
        "my step:3 - a:1", "]step:3 - a:1", "s/it step:3 - a:1",
        "(note) step:3 - a:1", "\"step:3 - a:1", "12:step:3 - a:1",
        "game/steps:0 - a:1", "stepping"}) {
    EXPECT_EQ(Edge(text), kNone) << text;
  }
}

// Trap 8.
TEST(StepEdgeTest, BehindForeignTextAndAPrefix) {
  EXPECT_EQ(Edge("12:(T pid=1) step:2 - a:1"), 13u);
  EXPECT_EQ(Edge("2026-08-15T05:04:17.02Z (T pid=1) step:2 - a:1"), 34u);
  EXPECT_EQ(Edge("loading weights(T pid=1) step:2 - a:1"), 25u);
  EXPECT_EQ(FindStepEdge("(W pid=1) half a line(T pid=2) step:2").prefix.actor,
            "T");
}

TEST(StepEdgeTest, TheFirstEdgeOfALineCounts) {
  EXPECT_EQ(Edge("a global_step:1 [1.0s/it]step:2 - a:1 [1.0s/it]step:3"), 25u);
}

TEST(StepLineTest, PairsOfEveryKindOfNumber) {
  const Parsed p = Parse(
      "step:7 - actor/lr:1e-06 - a/b:np.float64(0.5) - n:-0.0 - "
      "t:True - i:np.int32(3) - x:inf - y:-.02");
  EXPECT_EQ(p.kind, StepLineKind::kStep);
  EXPECT_EQ(p.record.step, 7);
  EXPECT_THAT(p.pairs(),
              ElementsAre(Pair("actor/lr", 1e-6), Pair("a/b", 0.5),
                          Pair("n", -0.0), Pair("t", 1.0), Pair("i", 3.0),
                          Pair("x", std::numeric_limits<double>::infinity()),
                          Pair("y", -.02)));
  EXPECT_TRUE(std::signbit(p.record.pairs[2].value));
  EXPECT_FALSE(p.record.cut);
  EXPECT_EQ(p.skipped, SkipCounts{});
}

TEST(StepLineTest, NotANumberIsDataAndKept) {
  const Parsed p = Parse("step:7 - a:nan - b:np.float64(nan)");
  ASSERT_EQ(p.record.pairs.size(), 2u);
  EXPECT_TRUE(std::isnan(p.record.pairs[0].value));
  EXPECT_TRUE(std::isnan(p.record.pairs[1].value));
}

TEST(StepLineTest, WhatFollowsTheDigitsDecides) {
  EXPECT_EQ(Parse("step:3").kind, StepLineKind::kBare);
  EXPECT_EQ(Parse("step:3  ").kind, StepLineKind::kBare);
  EXPECT_EQ(Parse("step:3- a:1").kind, StepLineKind::kStep);
  EXPECT_EQ(Parse("step:3   - a:1").kind, StepLineKind::kStep);
  EXPECT_EQ(Parse("step:3 words").kind, StepLineKind::kNone);
  EXPECT_EQ(Parse("step:3.5 - a:1").kind, StepLineKind::kNone);
  EXPECT_EQ(Parse("step:3, a:1").kind, StepLineKind::kNone);
  EXPECT_EQ(Parse("step: do this").kind, StepLineKind::kNone);
}

TEST(StepLineTest, MalformedLines) {
  EXPECT_EQ(Parse("step:4 - words").kind, StepLineKind::kMalformed);
  EXPECT_EQ(Parse("step:4 -").kind, StepLineKind::kMalformed);
  EXPECT_EQ(Parse("step:4 - bad:1.2.3").kind, StepLineKind::kMalformed);
  EXPECT_EQ(Parse("step:not-a-number - a:0.5").kind, StepLineKind::kMalformed);
  EXPECT_EQ(Parse("step:99999999999999999999 - a:0.5").kind,
            StepLineKind::kMalformed);
  EXPECT_EQ(Parse("step:-5 - a:0.5").kind, StepLineKind::kMalformed);
  EXPECT_EQ(Parse("step:4 - bad:1.2.3").skipped, SkipCounts{});
}

// Trap 5.
TEST(StepLineTest, KeysWithParenthesesBlanksAndAt) {
  EXPECT_THAT(Parse("step:1 - train/lr(1e-3):0.5 - my key:2 - a@b:3").pairs(),
              ElementsAre(Pair("train/lr(1e-3)", 0.5), Pair("my key", 2.0),
                          Pair("a@b", 3.0)));
}

TEST(StepLineTest, BlanksAroundKeysAreTrimmed) {
  EXPECT_THAT(Parse("step:1 -   a :1  -  b:2 ").pairs(),
              ElementsAre(Pair("a", 1.0), Pair("b", 2.0)));
}

TEST(StepLineTest, KeyTwiceIsThereTwice) {
  EXPECT_THAT(Parse("step:1 - a:1 - b:2 - a:3").pairs(),
              ElementsAre(Pair("a", 1.0), Pair("b", 2.0), Pair("a", 3.0)));
}

TEST(StepLineTest, ValueWithColonInKeyOfAValidationSource) {
  EXPECT_THAT(
      Parse("step:1 - val-core/set:hard/acc/mean@1:0.5 - a:1").pairs(),
      ElementsAre(Pair("val-core/set:hard/acc/mean@1", 0.5), Pair("a", 1.0)));
  EXPECT_THAT(Parse("step:1 - val-aux/part:3/acc/mean@1:0.5").pairs(),
              ElementsAre(Pair("val-aux/part:3/acc/mean@1", 0.5)));
  EXPECT_THAT(Parse("step:1 - val/test_score/set:hard:0.5").pairs(),
              ElementsAre(Pair("val/test_score/set:hard", 0.5)));
}

TEST(StepLineTest, SeparatorInKeyOfAValidationSource) {
  EXPECT_THAT(
      Parse("step:1 - val-core/my - own - set/acc/mean@1:0.5 - a:1").pairs(),
      ElementsAre(Pair("val-core/my - own - set/acc/mean@1", 0.5),
                  Pair("a", 1.0)));
  EXPECT_THAT(Parse("step:1 - val-core/a: b - c/acc/best@4/mean:0.5").pairs(),
              ElementsAre(Pair("val-core/a: b - c/acc/best@4/mean", 0.5)));
  EXPECT_THAT(Parse("step:1 - val/test_score/my - set:0.5").pairs(),
              ElementsAre(Pair("val/test_score/my - set", 0.5)));
}

TEST(StepLineTest, BadValidationValueSwallowsNoOtherKey) {
  const Parsed p = Parse(
      "step:1 - val-aux/x/acc/mean@1:bad - actor/lr:0.1 - "
      "val/score:oops - critic/lr:0.2");
  EXPECT_THAT(p.pairs(),
              ElementsAre(Pair("actor/lr", 0.1), Pair("critic/lr", 0.2)));
  EXPECT_EQ(p.count(SkipReason::kNotANumber), 2u);
}

TEST(StepLineTest, ValidationKeyBehindABadOneIsNotSwallowed) {
  const Parsed p = Parse("step:1 - val-core/a: x - val-core/b/acc/mean@1:0.5");
  EXPECT_THAT(p.pairs(), ElementsAre(Pair("val-core/b/acc/mean@1", 0.5)));
  EXPECT_EQ(p.count(SkipReason::kNotANumber), 1u);
}

TEST(StepLineTest, DamagedValidationValueHidesNoNumberBehindIt) {
  const Parsed p = Parse("step:1 - a:1 - val/loss:0.07.5x:3");
  EXPECT_THAT(p.pairs(), ElementsAre(Pair("a", 1.0)));
  EXPECT_EQ(p.count(SkipReason::kGlued), 1u);
}

TEST(StepLineTest, ColonInAnyKeySplitsAtTheLastOne) {
  EXPECT_THAT(Parse("step:1 - a:b/c:5 - d:1").pairs(),
              ElementsAre(Pair("a:b/c", 5.0), Pair("d", 1.0)));
  // Prose is no key.
  EXPECT_THAT(Parse("step:1 - error:NameError: line 3:5 - d:1").pairs(),
              ElementsAre(Pair("d", 1.0)));
}

TEST(StepLineTest, BadValuesAreSkippedAndTheRestKept) {
  const Parsed p = Parse(
      "step:1 - bad:1.2.3 - error:NameError:name 'x' is not defined - "
      "words - :0.5 - empty: - a:1");
  EXPECT_THAT(p.pairs(), ElementsAre(Pair("a", 1.0)));
  EXPECT_EQ(p.count(SkipReason::kNotANumber), 3u);
  EXPECT_EQ(p.count(SkipReason::kNoValue), 2u);
  EXPECT_EQ(p.count(SkipReason::kGlued), 0u);
  EXPECT_FALSE(p.record.cut);
}

// Trap 2.
TEST(StepLineTest, TextGluedBehindAValueEndsTheLine) {
  for (const std::string tail :
       {"(TaskRunner pid=1) INFO:2026-09-11 22:29:04,437:pending: 0",
        "/home/u/x.py:4807: UserWarning: no device", "/home/u/x.py:4807",
        "Epoch 1/20: 10%|# | 1/10", " [rank0]: x:5", "[2026-01-02] - b:7"}) {
    for (const std::string value : {"0.0712", "np.int64(4)"}) {
      for (const std::string key :
           {"val/loss", "perf/x", "val-aux/num_turns/min",
            "val-core/s/acc/mean@1"}) {
        const std::string line = "step:6 - a:1 - ";
        const Parsed p = Parse(line + key + ":" + value + tail + " - c:3");
        EXPECT_THAT(p.pairs(),
                    ElementsAre(Pair("a", 1.0),
                                Pair(key, value == "0.0712" ? 0.0712 : 4)))
            << key << ":" << value << tail;
        EXPECT_EQ(p.count(SkipReason::kGlued), 1u);
        EXPECT_TRUE(p.record.cut);
      }
    }
  }
}

TEST(StepLineTest, GluedTextWithANumberBehindItsLastColonIsNoMetric) {
  for (const char* line : {"step:6 - b:np.int64(0)(T pid=1) INFO:2026",
                           "step:6 - val/b:0(T pid=1) INFO:2026",
                           "step:6 - val-core/b:0(T pid=1) INFO:2026",
                           "step:6 - val-core/b/mean@1:0(T pid=1) u@host:22"}) {
    const Parsed p = Parse(line);
    ASSERT_EQ(p.record.pairs.size(), 1u) << line;
    EXPECT_EQ(p.record.pairs[0].value, 0) << line;
    EXPECT_TRUE(p.record.cut) << line;
  }
}

TEST(StepLineTest, PrefixGluedIntoAKeyEndsTheLine) {
  const Parsed p = Parse("step:6 - a:1 - actor/l(T pid=1) INFO:2026 - c:3");
  EXPECT_THAT(p.pairs(), ElementsAre(Pair("a", 1.0)));
  EXPECT_EQ(p.count(SkipReason::kGlued), 1u);
  EXPECT_TRUE(p.record.cut);
}

TEST(StepLineTest, NumberThatMayBeDamagedIsNotTaken) {
  for (const char* value : {"0.5x", "0.5.1", "0.5-1", "0.5+1", "0.5_1", "nanx",
                            "np.float64(0.5)1", "1e"}) {
    const Parsed p = Parse("step:6 - a:1 - b:" + std::string(value));
    EXPECT_THAT(p.pairs(), ElementsAre(Pair("a", 1.0))) << value;
    EXPECT_EQ(p.count(SkipReason::kNotANumber), 1u) << value;
  }
}

// Trap 3.
TEST(StepLineTest, StepLineGluedToANumberIsNotTrusted) {
  const Parsed p = Parse("step:1 - a:2 - b:10.5step:2 - a:3 - c:4");
  EXPECT_THAT(p.pairs(), ElementsAre(Pair("a", 2.0)));
  EXPECT_TRUE(p.record.cut);
  EXPECT_THAT(Parse("step:1 - a:2 - b:1.5warning: foo - c:4 - d:5").pairs(),
              ElementsAre(Pair("a", 2.0)));
}

TEST(StepLineTest, NumberWithAUnitOrAGroupIsNoNumber) {
  for (const char* bad : {"1,234", "3.5%", "1L", "12ms", "0x10", "1_000"}) {
    const Parsed p = Parse("step:1 - a:" + std::string(bad) + " - b:2");
    EXPECT_THAT(p.pairs(), ElementsAre(Pair("b", 2.0))) << bad;
    EXPECT_FALSE(p.record.cut) << bad;
  }
}

TEST(StepLineTest, CutLineLosesItsLastPairOnly) {
  for (const char* last :
       {"b:0.51", "b:np.float64(0.5", "actor/gr", "b:", "b:0.5 -"}) {
    const Parsed p =
        Parse("step:6 - a:1 - c:2 - " + std::string(last), /*cut=*/true);
    EXPECT_THAT(p.pairs(), ElementsAre(Pair("a", 1.0), Pair("c", 2.0))) << last;
    EXPECT_EQ(p.count(SkipReason::kCut), 1u);
    EXPECT_TRUE(p.record.cut);
  }
}

// Trap 4.
TEST(StepLineTest, ThreeDecimals) {
  EXPECT_THAT(
      Parse("step:1 - actor/lr:0.000 - kl:-0.000 - m:20413.000").pairs(),
      ElementsAre(Pair("actor/lr", 0.0), Pair("kl", 0.0), Pair("m", 20413.0)));
}

TEST(StepLineTest, Classes) {
  const auto line_class = [](const std::string& pairs) {
    return Parse("step:1 - " + pairs).record.line_class;
  };
  EXPECT_EQ(line_class("val-core/x/acc/mean@1:1 - val-aux/n/min:2"),
            LineClass::kVal);
  EXPECT_EQ(line_class("val/loss:1"), LineClass::kVal);
  EXPECT_EQ(line_class("rollouter/validate_time:1"), LineClass::kVal);
  EXPECT_EQ(line_class("trainer/validate_time:1 - val-aux/n/min:2"),
            LineClass::kVal);
  EXPECT_EQ(line_class("val-core/x/acc/mean@1:1 - actor/lr:1"),
            LineClass::kTrain);
  EXPECT_EQ(line_class("fully_async/rollouter/idle_ratio:1"),
            LineClass::kRollouter);
  EXPECT_EQ(line_class("fully_async/rollouter/idle_ratio:1 - actor/lr:1"),
            LineClass::kTrain);
  EXPECT_EQ(
      line_class("training/global_step:1 - fully_async/rollouter/active:1"),
      LineClass::kTrain);
  EXPECT_EQ(line_class("train/loss:1"), LineClass::kTrain);
  EXPECT_EQ(ClassifyPairs(StepRecord()), LineClass::kTrain);
}

TEST(StepLineTest, Modes) {
  const auto mode = [](const std::string& pairs) {
    return ModeOfPairs(Parse("step:1 - " + pairs).record);
  };
  EXPECT_EQ(mode("actor/lr:1"), RunMode::kSync);
  EXPECT_EQ(mode("critic/score/mean:1 - train/loss:1"), RunMode::kSync);
  EXPECT_EQ(mode("train/loss:1"), RunMode::kSft);
  EXPECT_EQ(mode("actor/lr:1 - fully_async/total_wait_time:1"),
            RunMode::kAsync);
  EXPECT_EQ(mode("val/loss:1"), RunMode::kUnknown);
}

}  // namespace
}  // namespace rlrun
