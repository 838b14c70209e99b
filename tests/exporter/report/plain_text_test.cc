#include "exporter/report/plain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

constexpr const char* kReplaced = "\xEF\xBF\xBD";

TEST(PlainText, ControlCharactersBecomeBlanks) {
  EXPECT_EQ(PlainText("a\tb\nc\rd\x1b[31me\x7f"), "a b c d [31me ");
  EXPECT_EQ(PlainText(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(PlainText, C1ControlsSteerTerminalsToo) {
  EXPECT_EQ(PlainText("a\xC2\x9B"
                      "31mb"),
            "a 31mb");
  EXPECT_EQ(PlainText("a\xE2\x80\xA8"
                      "b\xE2\x80\xA9"
                      "c"),
            "a b c");
}

TEST(PlainText, WhatReordersOrHidesTextIsReplaced) {
  EXPECT_EQ(PlainText("a\xE2\x80\xAE"
                      "b"),
            std::string("a") + kReplaced + "b");
  EXPECT_EQ(PlainText("\xE2\x81\xA6"), kReplaced);      // isolate
  EXPECT_EQ(PlainText("\xE2\x80\x8B"), kReplaced);      // zero width
  EXPECT_EQ(PlainText("\xEF\xBB\xBF"), kReplaced);      // byte order mark
  EXPECT_EQ(PlainText("\xF3\xA0\x81\x81"), kReplaced);  // tag
}

TEST(PlainText, InvalidBytesAreReplacedAndOthersKept) {
  EXPECT_EQ(PlainText("\xFFz\xC3"), std::string(kReplaced) + "z" + kReplaced);
  EXPECT_EQ(PlainText("训练 — é 🟢"), "训练 — é 🟢");
}

TEST(PlainFront, CutsBetweenCharacters) {
  EXPECT_EQ(PlainFront("abc", 3), "abc");
  EXPECT_EQ(PlainFront("abcd", 3), "abc...");
  EXPECT_EQ(PlainFront("aéé", 4), "aé...");
  EXPECT_EQ(PlainFront("é", 1), "...");
}

TEST(MarkdownText, MarkupIsEscaped) {
  EXPECT_EQ(MarkdownText("*a* [b](c) `d` <e> #f |g| ~h~ &amp; \\"),
            "\\*a\\* \\[b\\](c) \\`d\\` \\<e\\> \\#f \\|g\\| \\~h\\~ \\&amp; "
            "\\\\");
  EXPECT_EQ(MarkdownText("http://x www.y @z"), "http\\://x www\\.y \\@z");
}

TEST(MarkdownText, UnderscoreInsideAWordIsNone) {
  EXPECT_EQ(MarkdownText("grad_norm"), "grad_norm");
  EXPECT_EQ(MarkdownText("_a_ b_"), "\\_a\\_ b\\_");
}

TEST(MarkdownText, LineEndsBeginNoNewBlock) {
  EXPECT_EQ(MarkdownText("a\n# b"), "a \\# b");
}

TEST(MarkdownCode, BackticksInsideCannotEndIt) {
  EXPECT_EQ(MarkdownCode("a"), "`a`");
  EXPECT_EQ(MarkdownCode("a``b`"), "``` a``b` ```");
  EXPECT_EQ(MarkdownCode(""), "`  `");
}

TEST(MarkdownFence, IsLongerThanAnyInside) {
  EXPECT_EQ(MarkdownFence("a\n"), "~~~\n");
  EXPECT_EQ(MarkdownFence("a\n~~~~\nb ~~~~~ c\n"), "~~~~~~\n");
}

}  // namespace
}  // namespace rlrun
