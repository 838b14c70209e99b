#include "exporter/discovery/path_glob.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(PathGlobTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(MatchSegment("*.log", "a.log"));
  EXPECT_FALSE(MatchSegment("*.log", "a.log.1"));
  EXPECT_TRUE(MatchSegment("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(MatchSegment("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(MatchSegment("run-??", "run-42"));
  EXPECT_FALSE(MatchSegment("run-??", "run-4"));
  EXPECT_TRUE(MatchSegment("*", "anything"));
  EXPECT_FALSE(MatchSegment("*", ".hidden"));
  EXPECT_TRUE(MatchSegment(".*", ".hidden"));
}

TEST(PathGlobTest, Sets) {
  EXPECT_TRUE(MatchSegment("run[0-9]", "run7"));
  EXPECT_FALSE(MatchSegment("run[0-9]", "runx"));
  EXPECT_TRUE(MatchSegment("run[!0-9]", "runx"));
  EXPECT_TRUE(MatchSegment("[]a]x", "]x"));
  EXPECT_TRUE(MatchSegment("a[b", "a[b"));  // not closed: text
}

TEST(PathGlobTest, ManyStarsDoNotExplode) {
  const std::string name(2000, 'a');
  EXPECT_FALSE(MatchSegment("*a*a*a*a*a*a*a*a*a*a*a*b", name));
}

TEST(PathGlobTest, ParentsOfPaths) {
  EXPECT_EQ(ParentOf("/a/b.log"), "/a");
  EXPECT_EQ(ParentOf("/b.log"), "/");
  EXPECT_EQ(ParentOf("b.log"), ".");
}

TEST(PathGlobTest, SplitsAtSlashes) {
  EXPECT_EQ(SplitPath("/a//b/c/"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(SplitPath("").empty());
}

}  // namespace
}  // namespace rlrun
