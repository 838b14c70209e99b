#include "exporter/app/reader_threads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

bool WaitUntil(const std::function<bool()>& condition) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

class ReaderThreadsTest : public ::testing::Test {
 protected:
  // 40 roots with a log each.
  void Start() {
    options_.age_limits = false;
    options_.tail.use_inotify = false;
    options_.tail.active_interval = options_.tail.idle_interval = 0.01;
    options_.tail.directory_interval = 0.01;
    for (int i = 0; i < 40; ++i) {
      RootOptions root;
      root.path = "/r" + std::to_string(i);
      files_.Write(Log(i), "step:1 - a:1\n");
      readers_.push_back(std::make_shared<RootReader>(root, options_, &files_));
    }
    threads_.Match(readers_, false);
  }
  static std::string Log(int i) { return "/r" + std::to_string(i) + "/a.log"; }
  // Takes the news of all until each of `roots` has brought step `step`.
  bool AllBring(std::set<int> roots, std::int64_t step) {
    return WaitUntil([&] {
      for (int i = 0; i < 40; ++i) {
        for (const FileUpdate& u :
             readers_[static_cast<std::size_t>(i)]->Take().updates) {
          for (const StepRecord& r : u.facts.steps) {
            if (r.step == step) roots.erase(i);
          }
        }
      }
      return roots.empty();
    });
  }
  static std::set<int> All() {
    std::set<int> all;
    for (int i = 0; i < 40; ++i) all.insert(i);
    return all;
  }

  InMemoryFileSource files_;
  ReaderOptions options_;
  std::vector<std::shared_ptr<RootReader>> readers_;
  ReaderThreads threads_{std::make_shared<TickSignal>()};
};

TEST_F(ReaderThreadsTest, FortyRootsShareSixteenThreads) {
  Start();
  EXPECT_EQ(threads_.size(), 16u);
  EXPECT_TRUE(AllBring(All(), 1));
  for (int i = 0; i < 40; ++i) files_.Append(Log(i), "step:2 - a:1\n");
  EXPECT_TRUE(AllBring(All(), 2));
  threads_.RequestStop();
  EXPECT_TRUE(threads_.Join());
}

TEST_F(ReaderThreadsTest, BlockedRootCostsThoseOfItsThreadOnly) {
  Start();
  ASSERT_TRUE(AllBring(All(), 1));
  files_.Block("/r20");
  files_.WaitUntilBlocked("/r20");
  std::set<int> others = All();
  for (int i = 20 % 16; i < 40; i += 16) others.erase(i);
  for (int i = 0; i < 40; ++i) files_.Append(Log(i), "step:2 - a:1\n");
  EXPECT_TRUE(AllBring(others, 2));
  // Those that share the thread are known to wait too.
  for (const std::size_t i : {4u, 20u, 36u}) {
    EXPECT_GT(readers_[i]->WaitingSince(), 0) << i;
  }
  files_.Release("/r20");
  EXPECT_TRUE(AllBring({4, 20, 36}, 2));
}

TEST_F(ReaderThreadsTest, RootsComeAndGo) {
  Start();
  ASSERT_TRUE(AllBring(All(), 1));
  // All but one of each thread, and one more thread entirely.
  const std::vector<std::shared_ptr<RootReader>> few(readers_.begin(),
                                                     readers_.begin() + 15);
  threads_.Match(few, false);
  EXPECT_EQ(threads_.size(), 15u);
  files_.Append(Log(0), "step:2 - a:1\n");
  EXPECT_TRUE(AllBring({0}, 2));
  threads_.Match(readers_, false);
  EXPECT_EQ(threads_.size(), 16u);
  for (int i = 0; i < 40; ++i) files_.Append(Log(i), "step:3 - a:1\n");
  EXPECT_TRUE(AllBring(All(), 3));
}

TEST_F(ReaderThreadsTest, StopWaitsForTheOthersAndLeavesABlockedOneBehind) {
  static InMemoryFileSource* const files = new InMemoryFileSource;
  for (const char* root : {"/r0", "/r1"}) {
    RootOptions options;
    options.path = root;
    files->Mkdir(root);
    readers_.push_back(std::make_shared<RootReader>(options, options_, files));
  }
  files->Block("/r1");
  threads_.Match(readers_, false);
  files->WaitUntilBlocked("/r1");
  threads_.RequestStop();
  EXPECT_FALSE(threads_.Join());
  const std::weak_ptr<RootReader> left = readers_[1];
  readers_.clear();
  EXPECT_FALSE(left.expired());
  files->Release("/r1");
  EXPECT_TRUE(WaitUntil([&] { return left.expired(); }));
}

}  // namespace
}  // namespace rlrun
