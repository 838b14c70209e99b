#include "exporter/app/step_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::Optional;

// 2026-01-02T03:04:05Z
constexpr double kMtime = 1767323045;

Stamp At(int hour, int minute, int second, std::uint64_t offset) {
  Stamp stamp;
  stamp.year = 2026;
  stamp.month = 1;
  stamp.day = 2;
  stamp.hour = hour;
  stamp.minute = minute;
  stamp.second = second;
  stamp.offset = offset;
  return stamp;
}

StepRecord Record(std::uint64_t begin, std::uint64_t end) {
  StepRecord record;
  record.step = 1;
  record.begin_offset = begin;
  record.end_offset = end;
  return record;
}

LogFacts Stamps(const Stamp& first, const Stamp& last) {
  LogFacts facts;
  facts.first_stamp = first;
  facts.last_stamp = last;
  return facts;
}

TEST(StepClockTest, WithoutAStepThereIsNoTime) {
  StepClock clock;
  EXPECT_EQ(clock.LastStep(kMtime, 100), std::nullopt);
}

TEST(StepClockTest, ArrivalComesFirst) {
  StepClock clock;
  StepRecord record = Record(50, 100);
  record.stamp_before = At(3, 0, 0, 0);
  clock.NoteStep(record, 1234.5);
  clock.NoteFacts(Stamps(At(3, 0, 0, 0), At(3, 0, 0, 0)));
  EXPECT_THAT(clock.LastStep(kMtime, 100), Optional(1234.5));
}

TEST(StepClockTest, NearestStampOfThoseBesideTheStep) {
  StepRecord record = Record(50, 100);
  record.stamp_before = At(3, 4, 0, 40);
  record.stamp_behind = At(3, 4, 4, 130);
  const LogFacts facts = Stamps(At(3, 4, 0, 40), At(3, 4, 4, 130));
  StepClock clock;
  clock.NoteStep(record, std::nullopt);
  clock.NoteFacts(facts);
  EXPECT_THAT(clock.LastStep(kMtime, 200), Optional(kMtime - 5));
  record.stamp_behind = At(3, 4, 4, 105);
  clock.NoteStep(record, std::nullopt);
  EXPECT_THAT(clock.LastStep(kMtime, 200), Optional(kMtime - 1));
}

TEST(StepClockTest, StampBehindTheStepMayComeWithLaterFacts) {
  StepClock clock;
  clock.NoteStep(Record(50, 100), std::nullopt);
  clock.NoteFacts({});
  EXPECT_EQ(clock.LastStep(kMtime, 130), std::nullopt);
  LogFacts later = Stamps(At(3, 4, 3, 100), At(3, 4, 3, 100));
  later.stamp_behind_previous = At(3, 4, 3, 100);
  clock.NoteFacts(later);
  EXPECT_THAT(clock.LastStep(kMtime, 130), Optional(kMtime - 2));
}

TEST(StepClockTest, StampBehindAnOlderStepSaysNothingOfANewerOne) {
  StepClock clock;
  clock.NoteStep(Record(0, 50), std::nullopt);
  clock.NoteFacts({});
  LogFacts later = Stamps(At(3, 4, 3, 50), At(3, 4, 3, 50));
  later.stamp_behind_previous = At(3, 4, 3, 50);
  later.steps.push_back(Record(80, 120));
  clock.NoteStep(later.steps[0], std::nullopt);
  clock.NoteFacts(later);
  EXPECT_EQ(clock.LastStep(kMtime, 200), std::nullopt);
}

TEST(StepClockTest, MtimeOnlyIfTheStepIsTheLastCompleteLine) {
  StepClock clock;
  clock.NoteStep(Record(50, 100), std::nullopt);
  EXPECT_THAT(clock.LastStep(kMtime, 100), Optional(kMtime));
  EXPECT_EQ(clock.LastStep(kMtime, 130), std::nullopt);
  EXPECT_EQ(clock.LastStep(std::nullopt, 100), std::nullopt);
}

TEST(StepClockTest, BarsAndBlanksBehindTheStepDoNotAge) {
  StepClock clock;
  clock.NoteStep(Record(50, 100), std::nullopt);
  LogFacts facts;
  facts.quiet_end = 130;
  clock.NoteFacts(facts);
  EXPECT_THAT(clock.LastStep(kMtime, 130), Optional(kMtime));
}

TEST(StepClockTest, ANewTextKeepsTheArrivalAlone) {
  StepClock clock;
  StepRecord record = Record(50, 100);
  record.stamp_before = At(3, 4, 0, 40);
  clock.NoteStep(record, std::nullopt);
  clock.NoteFacts(Stamps(At(3, 4, 0, 40), At(3, 4, 0, 40)));
  ASSERT_TRUE(clock.FirstStamp(kMtime));
  clock.StartNewText();
  EXPECT_EQ(clock.LastStep(kMtime, 0), std::nullopt);
  EXPECT_EQ(clock.LastStep(kMtime, 100), std::nullopt);
  EXPECT_EQ(clock.FirstStamp(kMtime), std::nullopt);
  clock.NoteStep(record, 77.0);
  clock.StartNewText();
  EXPECT_THAT(clock.LastStep(kMtime, 0), Optional(77.0));
}

TEST(StepClockTest, LastStampIsTheEndOnlyBesideTheNewestStep) {
  StepClock clock;
  clock.NoteFacts(Stamps(At(2, 0, 0, 0), At(3, 4, 5, 30)));
  EXPECT_THAT(clock.LastStamp(kMtime), Optional(kMtime));
  StepRecord record = Record(50, 100);
  record.stamp_before = At(3, 4, 5, 30);
  clock.NoteStep(record, std::nullopt);
  EXPECT_THAT(clock.LastStamp(kMtime), Optional(kMtime));
  clock.NoteStep(Record(150, 200), std::nullopt);
  EXPECT_EQ(clock.LastStamp(kMtime), std::nullopt);
  LogFacts behind = Stamps(At(3, 4, 5, 210), At(3, 4, 5, 210));
  behind.stamp_behind_previous = behind.first_stamp;
  clock.NoteFacts(behind);
  EXPECT_THAT(clock.LastStamp(kMtime), Optional(kMtime));
  EXPECT_EQ(clock.LastStamp(std::nullopt), std::nullopt);
}

TEST(StepClockTest, FirstStampIsOfTheWholeText) {
  StepClock clock;
  clock.NoteFacts(Stamps(At(2, 0, 0, 0), At(2, 30, 0, 10)));
  clock.NoteFacts(Stamps(At(2, 40, 0, 20), At(3, 4, 5, 30)));
  EXPECT_THAT(clock.FirstStamp(kMtime), Optional(kMtime - 3600 - 4 * 60 - 5));
  EXPECT_EQ(clock.FirstStamp(std::nullopt), std::nullopt);
}

}  // namespace
}  // namespace rlrun
