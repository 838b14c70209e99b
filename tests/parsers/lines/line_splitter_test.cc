#include "parsers/lines/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rlrun {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct Got {
  std::string text;
  std::uint64_t offset = 0;
  std::uint64_t end_offset = 0;
  bool may_have_step = false;
  bool continues_line = false;
  bool operator==(const Got&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Got& g) {
  return out << '"' << g.text << "\" [" << g.offset << ',' << g.end_offset
             << ") step=" << g.may_have_step << " cont=" << g.continues_line;
}

std::vector<Got> Feed(LineSplitter* splitter, std::string_view bytes) {
  std::vector<Got> got;
  splitter->Feed(bytes, [&](std::span<const Line> lines) {
    EXPECT_FALSE(lines.empty());
    for (const Line& l : lines) {
      got.push_back({std::string(l.text), l.offset, l.end_offset,
                     l.may_have_step, l.continues_line});
    }
  });
  return got;
}

std::vector<std::string> Texts(LineSplitter* splitter, std::string_view bytes) {
  std::vector<std::string> texts;
  for (const Got& g : Feed(splitter, bytes)) texts.push_back(g.text);
  return texts;
}

TEST(LineSplitterTest, LfCrlfAndLoneCrAllTerminate) {
  LineSplitter s;
  EXPECT_THAT(
      Feed(&s, "a\nb\r\nc\rd\n"),
      ElementsAre(Got{"a", 0, 2, false, false}, Got{"b", 2, 5, false, false},
                  Got{"c", 5, 7, false, false}, Got{"d", 7, 9, false, true}));
}

TEST(LineSplitterTest, EmptyLinesAreLines) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "\n\n\r\r\n"), ElementsAre("", "", "", ""));
}

TEST(LineSplitterTest, LfOfACrlfInTheNextChunkBelongsToTheCr) {
  LineSplitter s;
  EXPECT_THAT(Feed(&s, "a\r"), ElementsAre(Got{"a", 0, 2, false, false}));
  EXPECT_THAT(Feed(&s, "\nb\n"), ElementsAre(Got{"b", 3, 5, false, false}));
}

TEST(LineSplitterTest, CrAtTheChunkEndTerminatesAtOnceAndContinues) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "bar 1\r"), ElementsAre("bar 1"));
  EXPECT_FALSE(s.has_tail());
  EXPECT_THAT(Feed(&s, "bar 2\n"),
              ElementsAre(Got{"bar 2", 6, 12, false, true}));
}

TEST(LineSplitterTest, LoneLfAfterACrlfOverTwoChunksIsAnEmptyLine) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "a\r"), ElementsAre("a"));
  EXPECT_THAT(Texts(&s, "\n\n"), ElementsAre(""));
}

// T27.
TEST(LineSplitterTest, PartialLastLineIsHeld) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "a\nstep:3 - x:0.1"), ElementsAre("a"));
  EXPECT_TRUE(s.has_tail());
  EXPECT_EQ(s.held_bytes(), 14u);
  EXPECT_THAT(Feed(&s, "25\n"),
              ElementsAre(Got{"step:3 - x:0.125", 2, 19, true, false}));
  EXPECT_FALSE(s.has_tail());
  EXPECT_EQ(s.held_bytes(), 0u);
}

// T28.
TEST(LineSplitterTest, ResetGluesNothingToTheNextText) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "step:3 - lr:1"), IsEmpty());
  s.Reset();
  EXPECT_THAT(Feed(&s, "e-06\n"), ElementsAre(Got{"e-06", 0, 5, false, false}));
}

TEST(LineSplitterTest, ResetForgetsTheCr) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "a\r"), ElementsAre("a"));
  s.Reset(100);
  EXPECT_THAT(Feed(&s, "\nb\n"), ElementsAre(Got{"", 100, 101, false, false},
                                             Got{"b", 101, 103, false, false}));
}

TEST(LineSplitterTest, ResetInsideASkippedLineStopsSkipping) {
  LineSplitter s(4);
  EXPECT_THAT(Texts(&s, "123456"), IsEmpty());
  s.Reset();
  EXPECT_THAT(Texts(&s, "ab\n"), ElementsAre("ab"));
  EXPECT_EQ(s.too_long_lines(), 0u);
}

// T29.
TEST(LineSplitterTest, OneMebibyteLineIsSkippedAndTheNextRead) {
  const std::string line(LineSplitter::kDefaultMaxLineBytes + 1, 'x');
  LineSplitter whole;
  EXPECT_THAT(Texts(&whole, line + "\nstep:1 - a:1\n"),
              ElementsAre("step:1 - a:1"));
  EXPECT_EQ(whole.too_long_lines(), 1u);
  LineSplitter chunked;
  EXPECT_THAT(Texts(&chunked, line), IsEmpty());
  EXPECT_EQ(chunked.held_bytes(), 0u);
  EXPECT_THAT(Texts(&chunked, line + "\nstep:1 - a:1\n"),
              ElementsAre("step:1 - a:1"));
  EXPECT_EQ(chunked.too_long_lines(), 1u);
}

TEST(LineSplitterTest, LineOfExactlyTheLimitIsKept) {
  LineSplitter s(4);
  EXPECT_THAT(Texts(&s, "abcd\nabcde\n"), ElementsAre("abcd"));
  EXPECT_THAT(Texts(&s, "ab"), IsEmpty());
  EXPECT_THAT(Texts(&s, "cd\n"), ElementsAre("abcd"));
  EXPECT_EQ(s.too_long_lines(), 1u);
}

TEST(LineSplitterTest, FragmentBehindASkippedOneContinuesNothing) {
  LineSplitter s(4);
  EXPECT_THAT(Feed(&s, "abcdef\rgh\n"),
              ElementsAre(Got{"gh", 7, 10, false, false}));
}

TEST(LineSplitterTest, HoleOfNulsInFrontCostsNothing) {
  const std::string hole(100'000, '\0');
  LineSplitter s(64);
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(Texts(&s, hole), IsEmpty());
    EXPECT_EQ(s.held_bytes(), 0u);
  }
  EXPECT_THAT(Feed(&s, "\0\0step:7\n"s),
              ElementsAre(Got{"step:7", 2'000'002, 2'000'009, true, false}));
  EXPECT_EQ(s.too_long_lines(), 0u);
}

TEST(LineSplitterTest, NulsInsideAndBehindAreRemoved) {
  LineSplitter s(8);
  EXPECT_THAT(Feed(&s, "st\0ep:\0\0 1\0\nb\0\n\0\n"s),
              ElementsAre(Got{"step: 1", 0, 12, true, false},
                          Got{"b", 12, 15, false, false},
                          Got{"", 16, 17, false, false}));
}

TEST(LineSplitterTest, ByteOrderMarkIsRemovedAlsoInPieces) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "\xEF\xBB\xBFstep:1\n"), ElementsAre("step:1"));
  EXPECT_THAT(Texts(&s, "\xEF\xBB"), IsEmpty());
  EXPECT_THAT(Texts(&s, "\xBFstep:2\na\xEF\xBB\xBF\n"),
              ElementsAre("step:2", "a\xEF\xBB\xBF"));
}

TEST(LineSplitterTest, StepMarkAcrossChunksIsSeen) {
  LineSplitter s;
  EXPECT_THAT(Texts(&s, "x ste"), IsEmpty());
  EXPECT_THAT(Feed(&s, "p:4\nstep\n:\n"),
              ElementsAre(Got{"x step:4", 0, 9, true, false},
                          Got{"step", 9, 14, false, false},
                          Got{":", 14, 16, false, false}));
}

// T33.
TEST(LineSplitterTest, TenThousandCrUpdatesAreTenThousandFragments) {
  std::string bytes;
  for (int i = 0; i < 10'000; ++i) bytes += "bar " + std::to_string(i) + "\r";
  bytes += "step:1 - a:1\n";
  LineSplitter s;
  const std::vector<Got> got = Feed(&s, bytes);
  ASSERT_EQ(got.size(), 10'001u);
  EXPECT_EQ(got.back().text, "step:1 - a:1");
  EXPECT_TRUE(got.back().may_have_step);
  EXPECT_TRUE(got.back().continues_line);
  EXPECT_FALSE(got.front().continues_line);
}

// The same by the book: byte after byte, no chunks, no vectors.
std::vector<Got> NaiveSplit(std::string_view bytes, std::size_t max) {
  std::vector<Got> lines;
  Got line;
  bool has_text = false;
  bool continues = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c != '\n' && c != '\r') {
      if (c == '\0') continue;
      if (!has_text) line.offset = i;
      has_text = true;
      line.text += c;
      continue;
    }
    if (!has_text) line.offset = i;
    const bool crlf = c == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
    const bool lone_cr = c == '\r' && !crlf;
    i += crlf ? 1 : 0;
    const bool too_long = line.text.size() > max;
    line.end_offset = i + 1;
    line.continues_line = continues;
    line.may_have_step = line.text.find("step:") != std::string::npos;
    if (line.text.starts_with("\xEF\xBB\xBF")) line.text.erase(0, 3);
    if (!too_long) lines.push_back(line);
    continues = lone_cr && !too_long;
    line = {};
    has_text = false;
  }
  return lines;
}

std::string RandomBytes(std::mt19937* random) {
  static const std::vector<std::string> kParts = {
      "\n",
      "\r",
      "\r\n",
      "\0"s,
      "\0\0\0\0\0\0\0\0\0"s,
      "step:",
      "p:",
      "step",
      ":",
      "\xEF\xBB\xBF",
      "\xEF\xBB",
      "a",
      "\xFF",
      "0123456789abcdef0123456789abcdef",
      "st\0ep:"s};
  std::string bytes;
  const std::size_t parts = (*random)() % 60;
  for (std::size_t i = 0; i < parts; ++i) {
    bytes += kParts[(*random)() % kParts.size()];
  }
  return bytes;
}

// The LF of a CRLF that has not come yet is behind the end of its line.
void DropLateLf(std::vector<Got>* lines, std::string_view bytes) {
  for (Got& g : *lines) {
    const std::size_t last = g.end_offset - 1;
    if (bytes[last] == '\n' && last > 0 && bytes[last - 1] == '\r' &&
        last > g.offset) {
      --g.end_offset;
    }
  }
}

class EveryLevel : public testing::TestWithParam<ScanLevel> {};

TEST_P(EveryLevel, RandomBytesInEveryChunkingGiveTheNaiveLines) {
  if (!HasScanLevel(GetParam())) GTEST_SKIP() << "this CPU lacks the level";
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::string bytes = RandomBytes(&random);
    std::vector<Got> naive = NaiveSplit(bytes, 40);
    {
      LineSplitter s(40, GetParam());
      ASSERT_EQ(Feed(&s, bytes), naive) << "round " << round;
    }
    DropLateLf(&naive, bytes);
    const std::size_t size = 1 + random() % 40;
    LineSplitter s(40, GetParam());
    std::vector<Got> got;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      for (Got& g : Feed(&s, std::string_view(bytes).substr(at, size))) {
        got.push_back(std::move(g));
      }
    }
    DropLateLf(&got, bytes);
    ASSERT_EQ(got, naive) << "round " << round << " chunks of " << size;
    ASSERT_EQ(s.offset(), bytes.size());
  }
}

TEST_P(EveryLevel, ManyLinesOverManySlicesAndBatches) {
  if (!HasScanLevel(GetParam())) GTEST_SKIP() << "this CPU lacks the level";
  std::mt19937 random(11);
  std::string bytes;
  while (bytes.size() < 200'000) {
    bytes.append(random() % 300, 'x');
    if (random() % 3 == 0) bytes += "step:";
    if (random() % 9 == 0) bytes.append(random() % 9, '\0');
    bytes.append(random() % 90, 'y');
    bytes += random() % 5 == 0 ? "\r" : random() % 5 == 0 ? "\r\n" : "\n";
  }
  LineSplitter s(1000, GetParam());
  EXPECT_EQ(Feed(&s, bytes), NaiveSplit(bytes, 1000));
}

INSTANTIATE_TEST_SUITE_P(LineSplitterTest, EveryLevel,
                         testing::Values(ScanLevel::kBytes, ScanLevel::kSse2,
                                         ScanLevel::kAvx2));

}  // namespace
}  // namespace rlrun
