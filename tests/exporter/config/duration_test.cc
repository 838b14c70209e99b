#include "exporter/config/duration.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(Duration, EachUnit) {
  EXPECT_EQ(ParseDuration("250ms"), 0.25);
  EXPECT_EQ(ParseDuration("90s"), 90);
  EXPECT_EQ(ParseDuration("15m"), 900);
  EXPECT_EQ(ParseDuration("24h"), 86400);
  EXPECT_EQ(ParseDuration("7d"), 7 * 86400);
  EXPECT_EQ(ParseDuration("2w"), 14 * 86400);
}

TEST(Duration, NumberAloneIsSeconds) {
  EXPECT_EQ(ParseDuration("90"), 90);
  EXPECT_EQ(ParseDuration("0.5"), 0.5);
  EXPECT_EQ(ParseDuration("0"), 0);
}

TEST(Duration, UnitsFromLargeToSmall) {
  EXPECT_EQ(ParseDuration("1h30m"), 5400);
  EXPECT_EQ(ParseDuration("1d1ms"), 86400.001);
  EXPECT_FALSE(ParseDuration("30m1h"));
  EXPECT_FALSE(ParseDuration("1h1h"));
  EXPECT_FALSE(ParseDuration("1h30"));
}

TEST(Duration, WhatIsNoDuration) {
  for (const char* text : {"", "s", "-1s", "+1s", "1 s", " 1s", "1s ", "1e3",
                           "nan", "inf", "0x10", "1y", "1H", "1,5s"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(Duration, TextInTheLargestWholeUnit) {
  EXPECT_EQ(DurationText(86400), "1d");
  EXPECT_EQ(DurationText(90), "90s");
  EXPECT_EQ(DurationText(0.05), "50ms");
  EXPECT_EQ(DurationText(0), "0s");
}

}  // namespace
}  // namespace rlrun
