#include "exporter/metrics/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

TEST(KeyGlob, StarCrossesSlashes) {
  EXPECT_TRUE(KeyGlobMatches("timing_s/*", "timing_s/agent_loop/slowest/x"));
  EXPECT_TRUE(KeyGlobMatches("*max", "perf/mem/max"));
  EXPECT_TRUE(KeyGlobMatches("*", ""));
  EXPECT_TRUE(KeyGlobMatches("a*b*c", "a/b/b/c"));
  EXPECT_FALSE(KeyGlobMatches("a*b*c", "a/b/b"));
}

TEST(KeyGlob, WholeTextMustMatch) {
  EXPECT_FALSE(KeyGlobMatches("actor", "actor/lr"));
  EXPECT_FALSE(KeyGlobMatches("lr", "actor/lr"));
  EXPECT_TRUE(KeyGlobMatches("actor/lr", "actor/lr"));
  EXPECT_FALSE(KeyGlobMatches("", "a"));
  EXPECT_TRUE(KeyGlobMatches("", ""));
}

TEST(KeyGlob, SetsAndEscapes) {
  EXPECT_TRUE(KeyGlobMatches("p[0-9]?", "p7x"));
  EXPECT_FALSE(KeyGlobMatches("p[!0-9]", "p7"));
  EXPECT_TRUE(KeyGlobMatches("p[]a]", "p]"));
  EXPECT_TRUE(KeyGlobMatches("p[a-]", "p-"));
  EXPECT_TRUE(KeyGlobMatches("\\*\\?", "*?"));
  EXPECT_FALSE(KeyGlobMatches("\\*", "a"));
  EXPECT_TRUE(KeyGlobMatches("a\\", "a\\"));
}

TEST(KeyGlob, UnclosedSetIsABracket) {
  EXPECT_TRUE(KeyGlobMatches("a[b", "a[b"));
  EXPECT_FALSE(KeyGlobMatches("a[b", "ab"));
  EXPECT_TRUE(KeyGlobMatches("[", "["));
}

TEST(KeyGlob, ManyStarsDoNotExplode) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "*a";
  EXPECT_FALSE(KeyGlobMatches(pattern + "b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace rlrun
