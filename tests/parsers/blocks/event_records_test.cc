#include "parsers/blocks/event_records.h"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/growing_file.h"
#include "tests/support/metric_files.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Texts = std::vector<std::string>;

Texts ReadAll(EventRecords* reader, std::string_view text,
              std::size_t piece = std::string_view::npos) {
  Texts out;
  ReadInPieces(
      reader, text, [piece] { return piece; },
      [&](const RecordBytes& r) { out.emplace_back(r.bytes); });
  return out;
}

TEST(EventRecordsTest, RecordsComeWholeByteByByte) {
  const std::string text =
      EventRecord("one") + EventRecord("") + EventRecord("three");
  EventRecords reader;
  EXPECT_THAT(ReadAll(&reader, text, 1), ElementsAre("one", "", "three"));
  EXPECT_EQ(reader.complete_end(), text.size());
  EXPECT_EQ(reader.counts().damaged, 0u);
}

TEST(EventRecordsTest, CutTailWaits) {
  const std::string text = EventRecord("one") + EventRecord("two");
  for (std::size_t cut = EventRecord("one").size(); cut < text.size(); ++cut) {
    EventRecords reader;
    GrowingFile<EventRecords> growing(&reader);
    Texts read;
    const auto keep = [&](const RecordBytes& r) { read.emplace_back(r.bytes); };
    growing.Append(text.substr(0, cut), keep);
    EXPECT_THAT(read, ElementsAre("one"));
    growing.Append(text.substr(cut), keep);
    EXPECT_THAT(read, ElementsAre("one", "two"));
    EXPECT_EQ(reader.counts().damaged, 0u);
  }
}

TEST(EventRecordsTest, DamagedPayloadCostsOnlyItself) {
  std::string text = EventRecord("one") + EventRecord("two") + EventRecord("3");
  text[EventRecord("one").size() + 12] ^= 4;
  EventRecords reader;
  EXPECT_THAT(ReadAll(&reader, text, 5), ElementsAre("one", "3"));
  EXPECT_EQ(reader.counts().damaged, 1u);
}

TEST(EventRecordsTest, DamagedLengthIsSoughtOver) {
  for (std::size_t byte = 0; byte < 12; ++byte) {
    std::string text =
        EventRecord("one") + EventRecord("two") + EventRecord("3");
    text[EventRecord("one").size() + byte] ^= 1;
    EventRecords reader;
    EXPECT_THAT(ReadAll(&reader, text, 3), ElementsAre("one", "3"));
    EXPECT_EQ(reader.counts().damaged, 1u);
  }
}

TEST(EventRecordsTest, ZerosAreSoughtOver) {
  const std::string text =
      EventRecord("one") + std::string(5000, '\0') + EventRecord("two");
  EventRecords reader;
  EXPECT_THAT(ReadAll(&reader, text, 100), ElementsAre("one", "two"));
  EXPECT_EQ(reader.counts().damaged, 1u);
}

TEST(EventRecordsTest, TooLongRecordIsPassedOverAndNotHeld) {
  const std::string text = EventRecord("one") +
                           EventRecord(std::string(100000, 'g')) +
                           EventRecord("two");
  EventRecords reader(5000);
  Texts read;
  GrowingFile<EventRecords> growing(&reader);
  for (std::size_t i = 0; i < text.size(); i += 100) {
    growing.Append(std::string_view(text).substr(i, 100),
                   [&](const RecordBytes& r) { read.emplace_back(r.bytes); });
    ASSERT_LE(growing.rest().size(), 5000u);
  }
  EXPECT_THAT(read, ElementsAre("one", "two"));
  EXPECT_EQ(reader.counts().too_long, 1u);
}

TEST(EventRecordsTest, TextGivesNothing) {
  EventRecords reader;
  EXPECT_THAT(ReadAll(&reader, std::string(3000, 'x')), IsEmpty());
  EXPECT_EQ(reader.counts().damaged, 1u);
}

TEST(EventRecordsTest, AnyGrowthGivesTheSameRecords) {
  std::mt19937_64 random(3);
  const auto pick = [&random](std::size_t below) {
    return static_cast<std::size_t>(random() % below);
  };
  for (int seed = 0; seed < 3000; ++seed) {
    Texts expected;
    std::string text;
    const std::size_t n = 1 + pick(40);
    for (std::size_t i = 0; i < n; ++i) {
      expected.emplace_back(pick(300), static_cast<char>('a' + i % 26));
      text += EventRecord(expected.back());
    }
    EventRecords reader;
    Texts read;
    ReadInPieces(
        &reader, text, [&] { return 1 + pick(400); },
        [&](const RecordBytes& r) { read.emplace_back(r.bytes); });
    ASSERT_EQ(read, expected) << seed;
  }
}

TEST(EventRecordsTest, PageThatComesLateIsReadThen) {
  Texts expected;
  std::string good;
  for (int i = 0; i < 500; ++i) {
    expected.push_back("event " + std::to_string(i));
    good += EventRecord(expected.back());
  }
  for (const char c : {'\0', 'x'}) {
    std::string text = good;
    text.replace(4096, 4096, 4096, c);
    EventRecords reader;
    GrowingFile<EventRecords> growing(&reader);
    Texts read;
    const auto keep = [&](const RecordBytes& r) { read.emplace_back(r.bytes); };
    growing.Append(text, keep);
    EXPECT_TRUE(reader.damaged());
    EXPECT_LT(read.size(), 200u);
    growing.Rewrite(good.substr(text.size() - growing.rest().size()), keep);
    EXPECT_EQ(read, expected);
    EXPECT_EQ(reader.counts().damaged, 0u);
  }
}

TEST(EventRecordsTest, ZerosThatAreFilledInAreNoDamage) {
  std::mt19937_64 random(13);
  for (int seed = 0; seed < 100; ++seed) {
    Texts expected;
    std::string whole;
    for (int i = 0; i < 20; ++i) {
      expected.push_back(std::string(random() % 60, 'e') + "!");
      whole += EventRecord(expected.back());
    }
    EventRecords reader;
    Texts read;
    ASSERT_FALSE(ReadFilledIn(
        &reader, whole, 5000, [&] { return random() % 50; },
        [&](const RecordBytes& r) { read.emplace_back(r.bytes); }))
        << seed;
    ASSERT_EQ(read, expected) << seed;
  }
}

TEST(EventRecordsTest, JunkWithoutEndIsNotHeld) {
  EventRecords reader;
  GrowingFile<EventRecords> growing(&reader);
  Texts read;
  const auto keep = [&](const RecordBytes& r) { read.emplace_back(r.bytes); };
  for (int i = 0; i < 100; ++i) {
    growing.Append(std::string(10000, 'x'), keep);
    growing.Settle(keep);
    ASSERT_LE(growing.rest().size(), 75000u);
  }
  growing.Append(EventRecord("good"), keep);
  EXPECT_THAT(read, ElementsAre("good"));
  EXPECT_EQ(reader.counts().damaged, 1u);
}

TEST(EventRecordsTest, DamageAnywhereCostsOneRecord) {
  std::mt19937_64 random(5);
  Texts expected;
  std::string good;
  for (int i = 0; i < 50; ++i) {
    expected.push_back("event " + std::to_string(i));
    good += EventRecord(expected.back());
  }
  for (int seed = 0; seed < 2000; ++seed) {
    std::string text = good;
    const std::size_t at = random() % text.size();
    text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
    EventRecords reader;
    const Texts read = ReadAll(&reader, text, 64);
    ASSERT_EQ(read.size(), expected.size() - 1) << at;
    ASSERT_EQ(reader.counts().damaged, 1u) << at;
  }
}

}  // namespace
}  // namespace rlrun
