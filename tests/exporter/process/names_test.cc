#include "exporter/process/names.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(NamesWord, NamesThatBeginAlikeDoNotMix) {
  EXPECT_TRUE(NamesWord("/t/p/exp-1/logs", "exp-1"));
  EXPECT_TRUE(NamesWord("exp-1", "exp-1"));
  EXPECT_TRUE(NamesWord("logs/exp-1.log", "exp-1"));
  EXPECT_TRUE(NamesWord("dir=/t/exp-1", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/p/exp-10/logs", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/p/exp-1b", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/p/exp-1_b.log", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/p/exp-1-b.log", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/p/my-exp-1.log", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/p/my_exp-1.log", "exp-1"));
}

TEST(NamesWord, DotBeforeADigitIsPartOfTheName) {
  EXPECT_FALSE(NamesWord("/t/exp-1.5.log", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/exp-1.", "exp-1"));
  EXPECT_TRUE(NamesWord("/t/exp-1.5.log", "exp-1.5"));
}

TEST(NamesWord, LaterPlaceCountsToo) {
  EXPECT_TRUE(NamesWord("/t/exp-10/exp-1/a", "exp-1"));
  EXPECT_FALSE(NamesWord("/t/exp-10/exp-12/a", "exp-1"));
}

TEST(NamesWord, EmptyNameIsNowhere) {
  EXPECT_FALSE(NamesWord("", ""));
  EXPECT_FALSE(NamesWord("a//b", ""));
}

TEST(NamesPath, WholeFoldersFromTheRoot) {
  EXPECT_TRUE(NamesPath("dir=/t/p/exp-1", "/t/p/exp-1"));
  EXPECT_TRUE(NamesPath("/t/p/exp-1/step_1", "/t/p/exp-1/"));
  EXPECT_FALSE(NamesPath("/t/p/exp-10", "/t/p/exp-1"));
  EXPECT_FALSE(NamesPath("/mnt/t/p/exp-1", "/t/p/exp-1"));
  EXPECT_FALSE(NamesPath("/t", ""));
  EXPECT_FALSE(NamesPath("/t", "/"));
}

}  // namespace
}  // namespace rlrun
