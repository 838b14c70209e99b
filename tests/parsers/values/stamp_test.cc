#include "parsers/values/stamp.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

Stamp At(int year, int month, int day, int hour, int minute, int second,
         int ms = 0) {
  Stamp s;
  s.year = year;
  s.month = month;
  s.day = day;
  s.hour = hour;
  s.minute = minute;
  s.second = second;
  s.millisecond = ms;
  return s;
}

TEST(StampTest, EveryShape) {
  EXPECT_EQ(ParseStamp("INFO:2026-07-16 18:46:48,452:Loading"),
            At(2026, 7, 16, 18, 46, 48, 452));
  EXPECT_EQ(ParseStamp("CRITICAL:2026-07-16 18:46:48:x"),
            At(2026, 7, 16, 18, 46, 48));
  EXPECT_EQ(ParseStamp("[2025-12-17 08:54:52,587][root][WARNING] - x"),
            At(2025, 12, 17, 8, 54, 52, 587));
  EXPECT_EQ(ParseStamp("[2026-01-02 03:04:05] x.py:1 - y"),
            At(2026, 1, 2, 3, 4, 5));
  EXPECT_EQ(ParseStamp("[2026-03-11 17:22:13,921 E 834 834] logging.cc"),
            At(2026, 3, 11, 17, 22, 13, 921));
  EXPECT_EQ(ParseStamp("2026-07-06 22:27:51,185\tWARNING utils.py:1 -- x"),
            At(2026, 7, 6, 22, 27, 51, 185));
  EXPECT_EQ(ParseStamp("2026-07-06 22:27:51,185 INFO worker.py:1"),
            At(2026, 7, 6, 22, 27, 51, 185));
  EXPECT_EQ(ParseStamp("WARNING 07-29 15:01:15 [cuda.py:96] x"),
            At(0, 7, 29, 15, 1, 15));
  EXPECT_EQ(ParseStamp("[FullyAsyncTrainer] global_steps: 3 local_trigger_step:"
                       " 1 trigger_parameter_sync_step: 4 23:59:07.042"),
            At(0, 0, 0, 23, 59, 7, 42));
}

TEST(StampTest, WhatIsNoStamp) {
  for (const char* text : {"",
                           "INFO",
                           "INFO:2026-13-16 18:46:48,452:x",
                           "INFO:2026-07-16 24:46:48,452:x",
                           "INFO:2026-07-32 18:46:48:x",
                           "INFO:2026-07-16T18:46:48,452:x",
                           "INFO:2026-07-16 18:46:4",
                           "INFO:2026-07-16 18:46:480:x",
                           "INFO 7-29 15:01:15 x",
                           "info 07-29 15:01:15 x",
                           "IN 07-29 15:01:15 xxxx",
                           "VERYLONGLEVEL 07-29 15:01:15",
                           "[2026-01-02 03:04:05",
                           "[2026-01-02 03:04:05,12x y]",
                           "2026-07-06 22:27:51,185 lower case",
                           "2026-07-06 22:27:51,185",
                           "[FullyAsyncTrainer] global_steps: 3",
                           "[FullyAsyncTrainer] global_steps: 23:59:07.042 x",
                           "[OtherActor] global_steps: 3 23:59:07.042",
                           "step:3 - a:1 - b:2222"}) {
    EXPECT_FALSE(ParseStamp(text)) << text;
  }
}

constexpr double kHour = 3600;
constexpr double kMidnight = 1783987200;  // 2026-07-14 00:00:00 UTC

TEST(StampTest, ZoneThatBringsTheLastStampNearestToMtime) {
  const Stamp last = At(2026, 7, 14, 8, 0, 0);
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 8 * kHour),
            kMidnight + 8 * kHour);
  // Written at 00:00:05 UTC: the clock is 8 hours ahead.
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 5), kMidnight);
  // 5 hours 30 ahead.
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 2.5 * kHour),
            kMidnight + 2.5 * kHour);
  // 7 hours behind.
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 15 * kHour),
            kMidnight + 15 * kHour);
}

TEST(StampTest, TheSameZoneIsUsedForEveryStampOfTheFile) {
  const Stamp last = At(2026, 7, 14, 8, 0, 0);
  EXPECT_EQ(ResolveStamps(At(2026, 7, 13, 8, 0, 1, 250), last, kMidnight),
            kMidnight - 24 * kHour + 1.25);
}

TEST(StampTest, CopyWithAMuchLaterMtimeTakesTheLastZone) {
  const Stamp last = At(2026, 7, 14, 0, 0, 0);
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 900 * kHour),
            kMidnight + 12 * kHour);
}

TEST(StampTest, YearThatBringsTheLastStampNearest) {
  const Stamp last = At(0, 7, 14, 0, 0, 0);
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 10), kMidnight);
  // A file of December 31, written on in January.
  const double new_year = 1767225600;  // 2026-01-01 00:00:00 UTC
  const Stamp eve = At(0, 12, 31, 23, 59, 0);
  EXPECT_EQ(ResolveStamps(eve, eve, new_year + 1), new_year - 60);
}

TEST(StampTest, RunOverTheNewYearGoesBackOneYear) {
  const double new_year = 1767225600;
  const Stamp last = At(0, 1, 1, 1, 0, 0);
  EXPECT_EQ(ResolveStamps(At(0, 12, 31, 23, 0, 0), last, new_year + kHour),
            new_year - kHour);
}

TEST(StampTest, StampWithoutYearBesideOneWithAYear) {
  EXPECT_EQ(
      ResolveStamps(At(0, 7, 13, 0, 0, 0), At(2026, 7, 14, 0, 0, 0), kMidnight),
      kMidnight - 24 * kHour);
}

TEST(StampTest, TimeOfDayTakesTheDateAtOrBeforeItsNeighbour) {
  const Stamp last = At(2026, 7, 14, 1, 0, 0);
  const double mtime = kMidnight + kHour;
  EXPECT_EQ(ResolveStamps(At(0, 0, 0, 0, 30, 0), last, mtime),
            kMidnight + kHour / 2);
  EXPECT_EQ(ResolveStamps(At(0, 0, 0, 1, 0, 0), last, mtime), mtime);
  EXPECT_EQ(ResolveStamps(At(0, 0, 0, 23, 0, 0), last, mtime),
            kMidnight - kHour);
  EXPECT_EQ(
      ResolveStamps(At(0, 0, 0, 23, 0, 0), last, mtime, kMidnight - 2 * kHour),
      kMidnight - 25 * kHour);
}

TEST(StampTest, LastStampWithATimeOfDayOnlyIsNearMtime) {
  const Stamp last = At(0, 0, 0, 23, 59, 0);
  EXPECT_EQ(ResolveStamps(last, last, kMidnight + 30), kMidnight - 60);
}

TEST(StampTest, DatesThatDoNotExist) {
  EXPECT_FALSE(ResolveStamps(At(2026, 2, 30, 0, 0, 0), At(2026, 7, 14, 0, 0, 0),
                             kMidnight));
  EXPECT_FALSE(ChooseStampClock(At(2026, 2, 29, 0, 0, 0), kMidnight));
  EXPECT_FALSE(ChooseStampClock(At(2026, 7, 14, 0, 0, 0), 1e300));
  // The last February 29 before the last stamp.
  EXPECT_EQ(
      ResolveStamps(At(0, 2, 29, 0, 0, 0), At(2026, 7, 14, 0, 0, 0), kMidnight),
      1709164800);
}

TEST(StampTest, FileSilentForFortyMinutesIsNoHalfHourZone) {
  // Printed in UTC, last line forty minutes before the mtime.
  const auto clock = ChooseStampClock(At(2026, 7, 13, 23, 20, 0), kMidnight);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->utc_offset, 0);
}

TEST(StampTest, LineIsNotWrittenBehindItsFilesMtime) {
  // Fifty minutes old; an hour further west it would lie ten minutes ahead.
  const auto clock = ChooseStampClock(At(2026, 7, 13, 23, 10, 0), kMidnight);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->utc_offset, 0);
  // Clocks of two machines may disagree by a minute.
  const auto skewed = ChooseStampClock(At(2026, 7, 14, 0, 1, 0), kMidnight);
  ASSERT_TRUE(skewed);
  EXPECT_EQ(skewed->utc_offset, 0);
}

TEST(SecondsBetweenTest, OfOneDayOverMidnightAndOverNewYear) {
  const auto between = [](std::string_view older, std::string_view newer) {
    return SecondsBetween(*ParseStamp(older), *ParseStamp(newer));
  };
  EXPECT_EQ(between("INFO 03-02 09:00:00 x", "INFO 03-02 10:01:02 x"), 3662.0);
  EXPECT_EQ(between("INFO 03-02 10:00:00 x", "INFO 03-02 09:00:00 x"), 0.0);
  EXPECT_EQ(between("INFO 03-02 23:59:00 x", "INFO 03-03 00:00:30 x"), 90.0);
  EXPECT_EQ(between("INFO 12-31 23:59:00 x", "INFO 01-01 00:00:30 x"), 90.0);
  EXPECT_EQ(between("INFO:2026-03-02 09:00:00,250:x",
                    "INFO:2026-03-02 09:00:01,500:x"),
            1.25);
  EXPECT_EQ(between("INFO:2026-03-02 09:00:00,000:x",
                    "INFO:2027-03-02 09:00:00,000:x"),
            365 * 86400.0);
  EXPECT_EQ(between("INFO 03-02 09:00:00 x", "INFO:2026-03-02 09:00:00,000:x"),
            std::nullopt);
}

}  // namespace
}  // namespace rlrun
