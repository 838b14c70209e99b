#include "parsers/values/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

TEST(KeyGlob, StarCrossesSlashes) {
  EXPECT_TRUE(GlobMatches("timing_s/*", "timing_s/agent_loop/slowest/x"));
  EXPECT_TRUE(GlobMatches("*max", "perf/mem/max"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("a*b*c", "a/b/b/c"));
  EXPECT_FALSE(GlobMatches("a*b*c", "a/b/b"));
}

TEST(KeyGlob, WholeTextMustMatch) {
  EXPECT_FALSE(GlobMatches("actor", "actor/lr"));
  EXPECT_FALSE(GlobMatches("lr", "actor/lr"));
  EXPECT_TRUE(GlobMatches("actor/lr", "actor/lr"));
  EXPECT_FALSE(GlobMatches("", "a"));
  EXPECT_TRUE(GlobMatches("", ""));
}

TEST(KeyGlob, SetsAndEscapes) {
  EXPECT_TRUE(GlobMatches("p[0-9]?", "p7x"));
  EXPECT_FALSE(GlobMatches("p[!0-9]", "p7"));
  EXPECT_TRUE(GlobMatches("p[]a]", "p]"));
  EXPECT_TRUE(GlobMatches("p[a-]", "p-"));
  EXPECT_TRUE(GlobMatches("\\*\\?", "*?"));
  EXPECT_FALSE(GlobMatches("\\*", "a"));
  EXPECT_TRUE(GlobMatches("a\\", "a\\"));
}

TEST(KeyGlob, UnclosedSetIsABracket) {
  EXPECT_TRUE(GlobMatches("a[b", "a[b"));
  EXPECT_FALSE(GlobMatches("a[b", "ab"));
  EXPECT_TRUE(GlobMatches("[", "["));
}

TEST(KeyGlob, ManyStarsDoNotExplode) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "*a";
  EXPECT_FALSE(GlobMatches(pattern + "b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace rlrun
