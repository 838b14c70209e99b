#include "exporter/report/report_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace rlrun {
namespace {

using std::chrono::milliseconds;

std::shared_ptr<const ReportSet> SetOf(double time) {
  auto set = std::make_shared<ReportSet>();
  set->made_at = time;
  return set;
}

TEST(ReportBoard, NobodyAsksNothingIsWanted) {
  ReportBoard board;
  EXPECT_FALSE(board.wanted());
}

TEST(ReportBoard, NothingPublishedIsNull) {
  ReportBoard board;
  EXPECT_EQ(board.Get(milliseconds(0)), nullptr);
  EXPECT_TRUE(board.wanted());
}

TEST(ReportBoard, WhoAsksWakesTheOtherThreadAndGetsWhatItMakes) {
  std::atomic<int> wakes = 0;
  ReportBoard* other = nullptr;
  ReportBoard board([&] {
    ++wakes;
    other->Publish(SetOf(7));  // as if the other thread were at once there
  });
  other = &board;
  const auto set = board.Get(milliseconds(60000));
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->made_at, 7);
  EXPECT_EQ(wakes, 1);
  EXPECT_FALSE(board.wanted());
  // Fresh ones are given again without a word.
  EXPECT_EQ(board.Get(milliseconds(60000)), set);
  EXPECT_EQ(wakes, 1);
}

TEST(ReportBoard, ManyWaitAndAllGetIt) {
  ReportBoard board;
  std::atomic<int> got = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto set = board.Get(milliseconds(60000));
      if (set != nullptr && set->made_at == 9) ++got;
    });
  }
  while (!board.wanted()) std::this_thread::yield();
  board.Publish(SetOf(9));
  threads.clear();
  EXPECT_EQ(got, 4);
}

}  // namespace
}  // namespace rlrun
