#include "parsers/blocks/block_records.h"

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
using ::testing::SizeIs;

using Texts = std::vector<std::string>;
constexpr std::size_t kBlock = BlockRecords::kBlock;

struct Read {
  Texts records;
  BlockRecords::Counts counts;
};

Read ReadAll(BlockRecords* reader, std::string_view text,
             std::size_t piece = std::string_view::npos) {
  Read out;
  ReadInPieces(
      reader, text, [piece] { return piece; },
      [&](const RecordBytes& r) { out.records.emplace_back(r.bytes); });
  out.counts = reader->counts();
  return out;
}

Read ReadAll(std::string_view text,
             std::size_t piece = std::string_view::npos) {
  BlockRecords reader;
  return ReadAll(&reader, text, piece);
}

std::string Text(std::size_t size, char c) { return std::string(size, c); }

TEST(BlockRecordsTest, RecordsComeWholeByteByByte) {
  WandbFileWriter file;
  file.Add("one");
  file.Add("");
  file.Add("three");
  const Read read = ReadAll(file.text(), 1);
  EXPECT_THAT(read.records, ElementsAre("one", "", "three"));
  EXPECT_EQ(read.counts.records, 3u);
  EXPECT_EQ(read.counts.damaged + read.counts.cut, 0u);
}

TEST(BlockRecordsTest, HeaderAloneAndEmptyFileWait) {
  BlockRecords reader;
  EXPECT_THAT(ReadAll(&reader, "").records, IsEmpty());
  WandbFileWriter file;
  EXPECT_THAT(ReadAll(&reader, file.text()).records, IsEmpty());
  EXPECT_FALSE(reader.foreign());
  EXPECT_EQ(reader.complete_end(), 7u);
}

TEST(BlockRecordsTest, AnotherFileIsPassedOver) {
  for (const std::string text :
       {"step:1 - a:1\n", ":W&B\xE1\xBE\x01 later", ":W&C", "\x89PNG\r\n"}) {
    BlockRecords reader;
    EXPECT_THAT(ReadAll(&reader, text, 1).records, IsEmpty());
    EXPECT_TRUE(reader.foreign());
    EXPECT_EQ(reader.held(), 0u);
  }
}

TEST(BlockRecordsTest, RecordOverSeveralBlocksHasItsPlace) {
  WandbFileWriter file;
  file.Add("first");
  const std::size_t begin = file.text().size();
  const std::string big = Text(3 * kBlock, 'x');
  file.Add(big);
  const std::size_t end = file.text().size();
  BlockRecords reader;
  std::vector<RecordBytes> seen;
  reader.Feed(file.text(), [&](const RecordBytes& r) {
    if (r.bytes == big) seen.push_back(r);
  });
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].begin, begin);
  EXPECT_EQ(seen[0].end, end);
  EXPECT_EQ(reader.complete_end(), end);
}

TEST(BlockRecordsTest, TailWithoutItsEndWaitsForIt) {
  WandbFileWriter file;
  file.Add("kept");
  file.Add(Text(2 * kBlock, 'y'));
  BlockRecords reader;
  GrowingFile<BlockRecords> growing(&reader);
  Texts records;
  const auto keep = [&](const RecordBytes& r) {
    records.emplace_back(r.bytes);
  };
  growing.Append(file.text().substr(0, kBlock), keep);
  EXPECT_THAT(records, ElementsAre("kept"));
  growing.Append(file.text().substr(kBlock), keep);
  EXPECT_THAT(records, SizeIs(2));
  EXPECT_EQ(reader.counts().cut, 0u);
}

// Every place at which a record can end near the end of a block, for both
// bases: padding of 1 to 6 bytes, and an empty FIRST in exactly 7.
TEST(BlockRecordsTest, EveryFillOfABlockInBothBases) {
  for (const std::size_t base : {0u, 7u}) {
    for (std::size_t left = 0; left < 40; ++left) {
      WandbFileWriter file(base);
      const std::size_t used = base == 0 ? 7 : 0;
      file.Add(Text(kBlock - used - 7 - left, 'a'));
      file.Add("behind");
      file.Add(Text(kBlock, 'b'));
      file.Add("end");
      for (const std::size_t piece : {std::size_t{1000}, std::size_t{40000}}) {
        const Read read = ReadAll(file.text(), piece);
        ASSERT_THAT(read.records, SizeIs(4)) << base << " " << left;
        EXPECT_EQ(read.records[1], "behind");
        EXPECT_EQ(read.records[3], "end");
        EXPECT_EQ(read.counts.damaged, 0u);
        EXPECT_EQ(read.counts.cut, 0u);
      }
    }
  }
}

TEST(BlockRecordsTest, OldBaseIsFoundAtTheEndOfTheFirstBlock) {
  WandbFileWriter file(7);
  for (int i = 0; i < 200; ++i) file.Add(Text(1000, 'c'));
  BlockRecords reader;
  EXPECT_THAT(ReadAll(&reader, file.text(), 511).records, SizeIs(200));
  EXPECT_EQ(reader.base(), 7u);
  EXPECT_EQ(reader.counts().damaged, 0u);
}

TEST(BlockRecordsTest, DamagedChunkCostsTheRestOfItsBlockAndIsCounted) {
  WandbFileWriter file;
  for (int i = 0; i < 100; ++i) file.Add(Text(1000, 'd'));
  std::string text = file.text();
  text[kBlock + 100] ^= 1;
  const Read whole = ReadAll(file.text());
  const Read read = ReadAll(text, 777);
  EXPECT_THAT(whole.records, SizeIs(100));
  EXPECT_EQ(read.counts.damaged, 1u);
  // Its block holds 33 records or parts of them.
  EXPECT_GE(read.records.size(), 100u - 34u);
  EXPECT_LT(read.records.size(), 100u);
  for (const std::string& r : read.records) EXPECT_EQ(r, Text(1000, 'd'));
}

TEST(BlockRecordsTest, ZerosEndABlockWithoutBeingDamage) {
  WandbFileWriter file;
  file.Add("one");
  std::string text = file.text();
  text.resize(kBlock, '\0');
  WandbFileWriter next;
  next.Add("two");
  text += next.text().substr(7);  // its chunk, at the front of a block
  const Read read = ReadAll(text, 100);
  EXPECT_THAT(read.records, ElementsAre("one", "two"));
  EXPECT_EQ(read.counts.damaged, 0u);
}

TEST(BlockRecordsTest, TooLongRecordIsCountedAndNotHeld) {
  WandbFileWriter file;
  file.Add("before");
  file.Add(Text(10 * kBlock, 'z'));
  file.Add("after");
  BlockRecords reader(4 * kBlock);
  std::size_t most = 0;
  Texts records;
  GrowingFile<BlockRecords> growing(&reader);
  for (std::size_t i = 0; i < file.text().size(); i += 4096) {
    growing.Append(
        std::string_view(file.text()).substr(i, 4096),
        [&](const RecordBytes& r) { records.emplace_back(r.bytes); });
    most = std::max(most, reader.held() + growing.rest().size());
  }
  EXPECT_THAT(records, ElementsAre("before", "after"));
  EXPECT_EQ(reader.counts().too_long, 1u);
  EXPECT_LE(most, 6 * kBlock);
}

TEST(BlockRecordsTest, ChunksThatContinueNothingAreCountedOnce) {
  WandbFileWriter file;
  file.Add(Text(3 * kBlock, 'q'));
  file.Add("good");
  std::string text = file.text();
  text[20] ^= 1;  // its FIRST
  const Read read = ReadAll(text);
  EXPECT_THAT(read.records, ElementsAre("good"));
  EXPECT_EQ(read.counts.damaged, 1u);
  EXPECT_EQ(read.counts.cut, 0u);
}

// Section 3.4 of the format notes: the file as it grows, in random steps.
TEST(BlockRecordsTest, AnyGrowthGivesTheSameRecords) {
  std::mt19937_64 random(7);
  const auto pick = [&random](std::size_t below) {
    return static_cast<std::size_t>(random() % below);
  };
  for (int seed = 0; seed < 400; ++seed) {
    WandbFileWriter file(seed % 4 == 0 ? 7 : 0);
    Texts expected;
    const std::size_t n = 1 + pick(30);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t size = pick(8) == 0 ? pick(3 * kBlock) : pick(4000);
      expected.push_back(Text(size, static_cast<char>('a' + i % 26)));
      file.Add(expected.back());
    }
    BlockRecords reader;
    Texts read;
    const std::size_t most = pick(3) == 0 ? 50 : 20000;
    ReadInPieces(
        &reader, file.text(), [&] { return 1 + pick(most); },
        [&](const RecordBytes& r) { read.emplace_back(r.bytes); });
    ASSERT_EQ(read, expected) << seed;
    ASSERT_EQ(reader.counts().damaged, 0u) << seed;
    ASSERT_EQ(reader.complete_end(), file.text().size()) << seed;
  }
}

TEST(BlockRecordsTest, PageThatComesLateIsReadThen) {
  WandbFileWriter file;
  for (int i = 0; i < 100; ++i) file.Add(Text(1000, 'd'));
  for (const char c : {'\0', 'x'}) {
    std::string text = file.text();
    text.replace(kBlock + 4096, 4096, 4096, c);
    BlockRecords reader;
    GrowingFile<BlockRecords> growing(&reader);
    Texts records;
    const auto keep = [&](const RecordBytes& r) {
      records.emplace_back(r.bytes);
    };
    growing.Append(text, keep);
    EXPECT_TRUE(reader.damaged());
    EXPECT_LT(records.size(), 40u);
    growing.Append("", keep);
    EXPECT_TRUE(reader.damaged());
    growing.Rewrite(file.text().substr(text.size() - growing.rest().size()),
                    keep);
    EXPECT_THAT(records, SizeIs(100));
    EXPECT_EQ(reader.counts().damaged + reader.counts().cut, 0u);
  }
}

TEST(BlockRecordsTest, DamageAtTheEndIsCountedAndMayStillTurnGood) {
  WandbFileWriter file;
  file.Add("one");
  file.Add("two");
  std::string text = file.text();
  text.back() ^= 1;
  BlockRecords reader;
  Texts records;
  const auto keep = [&](const RecordBytes& r) {
    records.emplace_back(r.bytes);
  };
  GrowingFile<BlockRecords> growing(&reader);
  growing.Append(text, keep);
  growing.Settle(keep);
  EXPECT_EQ(reader.counts().damaged, 1u);
  growing.Append("", keep);
  EXPECT_FALSE(reader.damaged()) << "it is counted once";
  growing.Rewrite(file.text().substr(file.text().size() - 10), keep);
  EXPECT_THAT(records, ElementsAre("one", "two"));
}

// Nothing is behind what was written so far but zeros, wherever that ends.
TEST(BlockRecordsTest, ZerosThatAreFilledInAreNoDamage) {
  std::mt19937_64 random(13);
  for (int seed = 0; seed < 100; ++seed) {
    WandbFileWriter file(seed % 4 == 0 ? 7 : 0);
    Texts expected;
    for (int i = 0; i < 6; ++i) {
      expected.push_back(Text(random() % 12000, 'z'));
      file.Add(expected.back());
    }
    const std::string& whole = file.text();
    BlockRecords reader;
    Texts records;
    ASSERT_FALSE(ReadFilledIn(
        &reader, whole, 5000, [&] { return random() % 9000; },
        [&](const RecordBytes& r) { records.emplace_back(r.bytes); }))
        << seed;
    ASSERT_EQ(records, expected) << seed;
    ASSERT_EQ(reader.counts().all(), expected.size());
  }
}

// Bits fall over anywhere: nothing is invented, and the count says so.
TEST(BlockRecordsTest, DamageAnywhereInventsNoRecord) {
  std::mt19937_64 random(11);
  WandbFileWriter file;
  Texts expected;
  for (int i = 0; i < 120; ++i) {
    expected.push_back("record " + std::to_string(i) + Text(900, 'r'));
    file.Add(expected.back());
  }
  for (int seed = 0; seed < 2000; ++seed) {
    std::string text = file.text();
    const std::size_t at = 7 + random() % (text.size() - 7);
    text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
    const Read read = ReadAll(text, 5000);
    ASSERT_LT(read.records.size(), expected.size()) << at;
    ASSERT_GT(read.records.size(), expected.size() - 40) << at;
    ASSERT_GE(read.counts.damaged, 1u) << at;
    std::size_t from = 0;
    for (const std::string& r : read.records) {
      while (from < expected.size() && expected[from] != r) ++from;
      ASSERT_LT(from, expected.size()) << at;
      ++from;
    }
  }
}

}  // namespace
}  // namespace rlrun
