#include "exporter/process/proc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_view_literals;

constexpr std::string_view kBehind =
    " S 12 34 56 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 10\n";

TEST(ParsePidStat, FieldsAreCountedFromTheLastBracket) {
  const auto stat =
      ParsePidStat("4711 (a) R 1 (b\n) c)" + std::string(kBehind));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "a) R 1 (b\n) c");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 12);
  EXPECT_EQ(stat->group, 34);
  EXPECT_EQ(stat->session, 56);
  EXPECT_EQ(stat->start_ticks, 98765u);
  EXPECT_FALSE(stat->ended());
}

TEST(ParsePidStat, EmptyNameIsAName) {
  const auto stat = ParsePidStat("4711 ()" + std::string(kBehind));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, "");
}

TEST(ParsePidStat, ZombiesAndTheDeadHaveEnded) {
  for (const char state : {'Z', 'X', 'x'}) {
    std::string text = "4711 (a)" + std::string(kBehind);
    text[9] = state;
    const auto stat = ParsePidStat(text);
    ASSERT_TRUE(stat);
    EXPECT_TRUE(stat->ended()) << state;
  }
}

TEST(ParsePidStat, ShortOrBrokenTextIsNone) {
  EXPECT_FALSE(ParsePidStat(""));
  EXPECT_FALSE(ParsePidStat("4711"));
  EXPECT_FALSE(ParsePidStat(")("));
  EXPECT_FALSE(ParsePidStat("4711 (a) S 1 2 3"));
  EXPECT_FALSE(
      ParsePidStat("4711 (a) S x 34 56 0 -1 4194304 1 2 3 4 5 6 7 8 "
                   "20 0 1 0 98765 1000"));
}

TEST(ParseBtime, IsALineOfItsOwn) {
  EXPECT_EQ(ParseBtime("cpu 1\nbtime 1795959126\nprocesses 4\n"), 1795959126u);
  EXPECT_EQ(ParseBtime("btime 7"), 7u);
  EXPECT_FALSE(ParseBtime("cpu 1\nxbtime 5\n"));
  EXPECT_FALSE(ParseBtime("btime x\n"));
  EXPECT_FALSE(ParseBtime(""));
}

TEST(SplitArguments, EmptyOnesInTheMiddleAreKept) {
  EXPECT_THAT(SplitArguments("a\0\0b c\0"sv, false),
              ElementsAre("a", "", "b c"));
}

TEST(SplitArguments, TitleWithPaddingIsOneArgument) {
  EXPECT_THAT(SplitArguments("ray::Worker.run\0\0\0\0"sv, false),
              ElementsAre("ray::Worker.run"));
  EXPECT_THAT(SplitArguments("title without an end"sv, false),
              ElementsAre("title without an end"));
}

TEST(SplitArguments, ArgumentThatWasCutIsLeftOut) {
  EXPECT_THAT(SplitArguments("a\0trainer.experiment_name=exp-1"sv, true),
              ElementsAre("a"));
  EXPECT_THAT(SplitArguments("", false), IsEmpty());
}

TEST(FindVariable, WholeNamesOnly) {
  constexpr std::string_view kText =
      "MY_EXP_NAME=a\0EXP_NAME=b=c\0EXP_NAME=d\0"sv;
  EXPECT_EQ(FindVariable(kText, "EXP_NAME", false), "b=c");
  EXPECT_EQ(FindVariable(kText, "EXP", false), std::nullopt);
}

TEST(FindVariable, ValueThatWasCutIsNone) {
  EXPECT_EQ(FindVariable("A=1\0EXP_NAME=exp-1"sv, "EXP_NAME", true),
            std::nullopt);
  EXPECT_EQ(FindVariable("A=1\0EXP_NAME=exp-1"sv, "EXP_NAME", false), "exp-1");
}

}  // namespace
}  // namespace rlrun
