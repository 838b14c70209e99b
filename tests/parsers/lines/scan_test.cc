#include "parsers/lines/scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rlrun {
namespace {

using namespace std::string_literals;

std::vector<std::uint32_t> Hits(ScanLevel level, std::string_view text,
                                std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> hits(end - begin);
  hits.resize(Scan(level, text, begin, end, hits.data()));
  return hits;
}

TEST(ScanTest, TerminatorsNulRunsAndStepColons) {
  const std::string text = "a\n\r:p:\0\0\0x\0step:ep:"s;
  const std::vector<std::uint32_t> want = {1, 2, 6, 10, 15};
  EXPECT_EQ(Hits(ScanLevel::kBytes, text, 0, text.size()), want);
}

TEST(ScanTest, StepThatBeginsBeforeTheSlice) {
  const std::vector<std::uint32_t> want = {1};
  EXPECT_EQ(Hits(ScanLevel::kBytes, "step:x", 3, 6), want);
}

TEST(ScanTest, EveryLevelGivesTheSamePositions) {
  std::mt19937 random(13);
  const std::string bytes = "\n\r\0\0\0:p:step:xyz\x8a\x8d\x80\x1a\x4d\xba"s;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    while (text.size() < 40 + random() % 200) {
      if (random() % 4 == 0) {
        text += "step:";
      } else {
        text += bytes[random() % bytes.size()];
      }
    }
    const std::size_t begin = random() % 40;
    const std::size_t end = begin + random() % (text.size() - begin + 1);
    const auto want = Hits(ScanLevel::kBytes, text, begin, end);
    for (const ScanLevel level : {ScanLevel::kSse2, ScanLevel::kAvx2}) {
      if (!HasScanLevel(level)) continue;
      ASSERT_EQ(Hits(level, text, begin, end), want)
          << "level " << static_cast<int>(level) << " round " << round;
    }
  }
}

TEST(ScanTest, TheBestLevelIsOneOfThisCpu) {
  EXPECT_TRUE(HasScanLevel(BestScanLevel()));
  EXPECT_TRUE(HasScanLevel(ScanLevel::kBytes));
}

}  // namespace
}  // namespace rlrun
