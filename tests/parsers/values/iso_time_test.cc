#include "parsers/values/iso_time.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(IsoTime, ZonesFractionsAndBlanks) {
  EXPECT_EQ(ParseIsoTime("1970-01-01T00:00:00Z"), 0.0);
  EXPECT_EQ(ParseIsoTime("1970-01-02 00:00"), 86400.0);
  EXPECT_EQ(ParseIsoTime("2026-01-02T03:04:05"), 1767323045.0);
  EXPECT_EQ(ParseIsoTime("2026-01-02t03:04:05.25z"), 1767323045.25);
  EXPECT_EQ(ParseIsoTime("2026-01-02T05:04:05+02:00"), 1767323045.0);
  EXPECT_EQ(ParseIsoTime("2026-01-01T20:04:05-0700"), 1767323045.0);
  EXPECT_EQ(ParseIsoTime("2026-01-02T03:04:05.123456+00:00"),
            1767323045.123456);
}

TEST(IsoTime, LeapDayExistsInLeapYearsOnly) {
  EXPECT_TRUE(ParseIsoTime("2028-02-29T00:00:00"));
  EXPECT_FALSE(ParseIsoTime("2026-02-29T00:00:00"));
  EXPECT_FALSE(ParseIsoTime("2026-00-10T00:00:00"));
}

TEST(IsoTime, EdgesOfTheClock) {
  EXPECT_TRUE(ParseIsoTime("2026-01-02T23:59:60"));
  EXPECT_FALSE(ParseIsoTime("2026-01-02T24:00:00"));
  EXPECT_FALSE(ParseIsoTime("2026-01-02T00:60:00"));
  EXPECT_FALSE(ParseIsoTime("2026-01-02T00:00:61"));
  EXPECT_FALSE(ParseIsoTime("2026-01-02T00:00:00+16:00"));
}

TEST(IsoTime, OtherTextIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-01-02", "2026-01-02T", "2026-01-02T03",
        "26-01-02T1:2", "2026-01-02T03:04:05x", "2026-01-02T03:04:05+",
        "-026-01-02T03:04:05", "2026-01-02T03:04:05.", "2026-1-2T03:04:05"}) {
    EXPECT_FALSE(ParseIsoTime(text)) << text;
  }
}

}  // namespace
}  // namespace rlrun
