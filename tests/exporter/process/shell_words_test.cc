#include "exporter/process/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitShell, CommandsEndAtTheirSigns) {
  EXPECT_THAT(
      SplitShell("cd /w && A=1 p -m x | tee l.log; e & (f)\ng"),
      ElementsAre(ElementsAre("cd", "/w"), ElementsAre("A=1", "p", "-m", "x"),
                  ElementsAre("tee", "l.log"), ElementsAre("e"),
                  ElementsAre("f"), ElementsAre("g")));
}

TEST(SplitShell, QuotesHideSignsAndJoin) {
  EXPECT_THAT(SplitShell("a 'b; c'\"d \\\" e\" f\\ g ''"),
              ElementsAre(ElementsAre("a", "b; cd \" e", "f g", "")));
}

TEST(SplitShell, RedirectionsLeaveTheirTarget) {
  EXPECT_THAT(SplitShell("p x 2>&1 >l.log 2>> e.log &> b.log <in"),
              ElementsAre(ElementsAre("p", "x", "l.log", "e.log"),
                          ElementsAre("b.log", "in")));
  EXPECT_THAT(SplitShell("p a2>l.log"),
              ElementsAre(ElementsAre("p", "a2", "l.log")));
}

TEST(SplitShell, CommentsAndContinuedLines) {
  EXPECT_THAT(SplitShell("a b#c # python -m x\nd \\\n e"),
              ElementsAre(ElementsAre("a", "b#c"), ElementsAre("d", "e")));
}

TEST(SplitShell, BracesOfExpansionsAreText) {
  EXPECT_THAT(SplitShell("{ a n=${X} b{1,2}; }"),
              ElementsAre(ElementsAre("a", "n=${X}", "b{1,2}")));
}

TEST(SplitShell, OpenQuoteEndsWithTheText) {
  EXPECT_THAT(SplitShell("a 'b c"), ElementsAre(ElementsAre("a", "b c")));
  EXPECT_THAT(SplitShell("a \\"), ElementsAre(ElementsAre("a", "\\")));
  EXPECT_THAT(SplitShell(" \n ;"), IsEmpty());
}

}  // namespace
}  // namespace rlrun
