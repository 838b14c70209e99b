#include "exporter/report/html.h"

#include <gtest/gtest.h>

#include <limits>

namespace rlrun {
namespace {

TEST(EscapeHtml, EveryCharacterThatMeansSomething) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" b='y'>&"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
}

TEST(EscapeHtml, ControlAndInvalidBytesAreReplaced) {
  EXPECT_EQ(EscapeHtml(std::string_view("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(EscapeHtml("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(EscapeHtml("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

TEST(EscapeHtml, WhatReordersOrHidesTextIsReplaced) {
  for (const char* mark : {"\u202e", "\u2066", "\u200b", "\u2028", "\u0085"}) {
    EXPECT_EQ(EscapeHtml("a" + std::string(mark) + "b"),
              "a\xEF\xBF\xBD"
              "b");
  }
}

TEST(AgeText, EachUnit) {
  EXPECT_EQ(AgeText(1000, 1000), "0 s ago");
  EXPECT_EQ(AgeText(1000, 1119.9), "119 s ago");
  EXPECT_EQ(AgeText(1000, 1120), "2 min ago");
  EXPECT_EQ(AgeText(0, 7200), "2 h ago");
  EXPECT_EQ(AgeText(0, 2 * 86400), "2 d ago");
}

TEST(AgeText, TimeAheadOfTheClock) {
  EXPECT_EQ(AgeText(5000, 1000), "0 s ago");
}

TEST(AgeText, AbsurdTimesDoNotOverflow) {
  EXPECT_EQ(AgeText(std::numeric_limits<double>::quiet_NaN(), 0), "unknown");
  EXPECT_EQ(AgeText(-1e300, 0), "1000000000 d ago");
}

TEST(EncodePath, BytesThatMeanSomethingAreEncoded) {
  EXPECT_EQ(EncodePath("/runs/p/a-b_c.d~e"), "/runs/p/a-b_c.d~e");
  EXPECT_EQ(EncodePath("a b?c#d%e\"<>\xff"), "a%20b%3Fc%23d%25e%22%3C%3E%FF");
}

TEST(EncodePathPart, SlashIsNoEndOfIt) {
  EXPECT_EQ(EncodePathPart("a/b c"), "a%2Fb%20c");
}

TEST(DecodePath, PercentThatIsNoneStays) {
  EXPECT_EQ(DecodePath("a%2fb%20c+d"), "a/b c+d");
  EXPECT_EQ(DecodePath("%"), "%");
  EXPECT_EQ(DecodePath("%4"), "%4");
  EXPECT_EQ(DecodePath("%zz%+1%-1"), "%zz%+1%-1");
  EXPECT_EQ(DecodePath("%2541"), "%41");  // once
  EXPECT_EQ(DecodePath(EncodePathPart("\xff\0%/")), "\xff");
}

TEST(CanonicalPath, EveryPartAsItWouldBeWritten) {
  EXPECT_EQ(CanonicalPath("/runs/a%2Fb/%6c%61b"), "/runs/a%2Fb/lab");
  EXPECT_EQ(CanonicalPath("/a!/%21/"), "/a!/!/");
  EXPECT_EQ(CanonicalPath(""), "");
}

}  // namespace
}  // namespace rlrun
