#include "exporter/tail/change_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Long enough that no test ends by it.
constexpr double kLong = 60;

void Append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

class ChangeHintsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!hints_.available()) {
      GTEST_SKIP() << "no inotify here: " << hints_.status().Message();
    }
  }
  TempFolder folder_;
  ChangeHints hints_;
};

TEST_F(ChangeHintsTest, NothingChangedIsAnEmptyAnswer) {
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  const ChangeHints::Changes changes = hints_.Wait(0);
  EXPECT_FALSE(changes.everything);
  EXPECT_FALSE(changes.interrupted);
  EXPECT_THAT(changes.directories, IsEmpty());
}

TEST_F(ChangeHintsTest, EntriesComeByNewNamesNotByGrowth) {
  Append(folder_ / "train.log", "x\n");
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  Append(folder_ / "train.log", "y\n");
  EXPECT_FALSE(hints_.Wait(kLong).entries);
  Append(folder_ / "new.log", "x\n");
  EXPECT_TRUE(hints_.Wait(kLong).entries);
}

TEST_F(ChangeHintsTest, ManyChangesAreOneDirectory) {
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  for (int i = 0; i < 100; ++i) Append(folder_ / "train.log", "x\n");
  Append(folder_ / "other.log", "x\n");
  EXPECT_THAT(hints_.Wait(kLong).directories, ElementsAre(folder_.path()));
  EXPECT_THAT(hints_.Wait(0).directories, IsEmpty());
}

TEST_F(ChangeHintsTest, ReadingIsNoChange) {
  Append(folder_ / "train.log", "x\n");
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  std::string text;
  std::ifstream(folder_ / "train.log") >> text;
  EXPECT_THAT(hints_.Wait(0).directories, IsEmpty());
}

TEST_F(ChangeHintsTest, RenamedAndDeletedFiles) {
  Append(folder_ / "a.log", "x\n");
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  std::filesystem::rename(folder_ / "a.log", folder_ / "b.log");
  EXPECT_THAT(hints_.Wait(kLong).directories, ElementsAre(folder_.path()));
  std::filesystem::remove(folder_ / "b.log");
  EXPECT_THAT(hints_.Wait(kLong).directories, ElementsAre(folder_.path()));
}

TEST_F(ChangeHintsTest, UnwatchedDirectoryIsSilent) {
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  hints_.Unwatch(folder_.path());
  hints_.Unwatch(folder_.path());
  Append(folder_ / "train.log", "x\n");
  EXPECT_THAT(hints_.Wait(0).directories, IsEmpty());
}

TEST_F(ChangeHintsTest, ReplacedDirectoryIsWatchedAgain) {
  const std::string run = folder_ / "run";
  std::filesystem::create_directory(run);
  ASSERT_TRUE(hints_.Watch(run));
  std::filesystem::remove(run);
  EXPECT_THAT(hints_.Wait(kLong).directories, ElementsAre(run));
  std::filesystem::create_directory(run);
  ASSERT_TRUE(hints_.Watch(run));
  Append(run + "/train.log", "x\n");
  EXPECT_THAT(hints_.Wait(kLong).directories, ElementsAre(run));
}

TEST_F(ChangeHintsTest, OneDirectoryUnderTwoPaths) {
  const std::string link = folder_ / "link";
  std::filesystem::create_directory(folder_ / "run");
  std::filesystem::create_symlink(folder_ / "run", link);
  ASSERT_TRUE(hints_.Watch(folder_ / "run"));
  ASSERT_TRUE(hints_.Watch(link));
  Append(link + "/train.log", "x\n");
  EXPECT_THAT(hints_.Wait(kLong).directories,
              ElementsAre(link, folder_ / "run"));
  hints_.Unwatch(link);
  Append(link + "/train.log", "x\n");
  EXPECT_THAT(hints_.Wait(kLong).directories, ElementsAre(folder_ / "run"));
}

TEST_F(ChangeHintsTest, MissingDirectoryAndFileAreRefusedWithAStatus) {
  EXPECT_FALSE(hints_.Watch(folder_ / "missing"));
  EXPECT_EQ(hints_.status().code, IoCode::kNotFound);
  Append(folder_ / "file", "x");
  EXPECT_FALSE(hints_.Watch(folder_ / "file"));
}

// T37
TEST_F(ChangeHintsTest, T37_OverflowMeansThatEverythingChanged) {
  int limit = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> limit;
  if (limit <= 0 || limit > 200000) GTEST_SKIP() << "queue of " << limit;
  ASSERT_TRUE(hints_.Watch(folder_.path()));
  std::ofstream a(folder_ / "a"), b(folder_ / "b");
  for (int i = 0; i <= limit; ++i) {
    (i % 2 == 0 ? a : b) << 'x' << std::flush;
  }
  EXPECT_TRUE(hints_.Wait(kLong).everything);
}

TEST_F(ChangeHintsTest, InterruptFromAnotherThreadEndsTheWait) {
  std::thread other([&] { hints_.Interrupt(); });
  EXPECT_TRUE(hints_.Wait(kLong).interrupted);
  other.join();
  EXPECT_FALSE(hints_.Wait(0).interrupted);
}

TEST(ChangeHintsDisabledTest, WaitIsAnInterruptibleSleep) {
  ChangeHints hints(false);
  EXPECT_FALSE(hints.available());
  EXPECT_TRUE(hints.status().ok());
  EXPECT_FALSE(hints.Watch("/"));
  std::thread other([&] { hints.Interrupt(); });
  EXPECT_TRUE(hints.Wait(kLong).interrupted);
  other.join();
}

// T38, T43
TEST(ChangeHintsDisabledTest, T38_NoDescriptorForInotify) {
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit none = {0, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  ChangeHints hints;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_FALSE(hints.available());
  EXPECT_EQ(hints.status().code, IoCode::kTooManyFiles);
  EXPECT_FALSE(hints.Watch("/"));
  std::thread other([&] { hints.Interrupt(); });
  EXPECT_TRUE(hints.Wait(kLong).interrupted);
  other.join();
}

}  // namespace
}  // namespace rlrun
