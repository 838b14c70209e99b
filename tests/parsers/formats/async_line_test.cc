#include "parsers/formats/async_line.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

using Role = AsyncLine::Role;

TEST(AsyncLineTest, Samples) {
  const AsyncLine first =
      ParseAsyncLine("[FullyAsyncTrainer] Requesting 64 samples from queue");
  EXPECT_TRUE(first.is_first);
  EXPECT_EQ(first.required, 64);
  const AsyncLine some =
      ParseAsyncLine("[FullyAsyncTrainer] Collected 8/64 samples. mq_len: 1");
  EXPECT_EQ(some.role, Role::kSamples);
  EXPECT_EQ(some.collected, 8);
  EXPECT_FALSE(some.is_complete);
  EXPECT_TRUE(ParseAsyncLine("[FullyAsyncTrainer] Loop collection completed: "
                             "64/64 samples, total")
                  .is_complete);
}

TEST(AsyncLineTest, DamagedCountsAreNone) {
  for (const std::string payload :
       {"[FullyAsyncTrainer] Requesting no samples",
        "[FullyAsyncTrainer] Collected 8 samples",
        "[FullyAsyncTrainer] Collected 8/0 samples",
        "[FullyAsyncTrainer] Collected -8/9 samples", "[FullyAsyncTrainer]",
        "[FullyAsyncRollouter][MonitorLoop][Statistics] soon",
        "[OtherTrainer] Collected 8/64 samples"}) {
    EXPECT_EQ(ParseAsyncLine(payload).role, Role::kNone) << payload;
  }
}

TEST(AsyncLineTest, StatisticsOnOneLine) {
  const AsyncLine line = ParseAsyncLine(
      "[FullyAsyncRollouter][MonitorLoop][Statistics] {'a/b': 1, 'c': 'x', "
      "'d': nan}");
  ASSERT_EQ(line.role, Role::kStatistics);
  QueueStatistics statistics;
  EXPECT_TRUE(ParseStatistics(line.rest, &statistics));
  ASSERT_EQ(statistics.values.size(), 2u);
  EXPECT_EQ(statistics.values[0].first, "a/b");
  EXPECT_EQ(statistics.values[1].first, "d");
}

TEST(AsyncLineTest, StatisticsWithoutAnEndAreBounded) {
  QueueStatistics statistics;
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(ParseStatistics("'a': 1,", &statistics));
  }
  EXPECT_EQ(statistics.values.size(), kMaxQueueValues);
}

}  // namespace
}  // namespace rlrun
