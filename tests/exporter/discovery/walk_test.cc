#include "exporter/discovery/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Call = InMemoryFileSource::Call;

class WalkTest : public ::testing::Test {
 protected:
  Listing Walk(const std::string& path) {
    root_.path = path;
    return rlrun::Walk(files_, root_);
  }

  InMemoryFileSource files_;
  RootOptions root_;
};

TEST_F(WalkTest, LogsOfAllDirectoriesAreListedInOrder) {
  files_.Write("/r/b/x.log", "");
  files_.Write("/r/a.out", "");
  files_.Write("/r/b/c/y.jsonl", "");
  files_.Write("/r/notes.txt", "");
  const Listing listing = Walk("/r");
  EXPECT_TRUE(listing.root.ok());
  EXPECT_THAT(listing.logs,
              ElementsAre("/r/a.out", "/r/b/c/y.jsonl", "/r/b/x.log"));
  EXPECT_THAT(listing.directories, ElementsAre("/r", "/r/b", "/r/b/c"));
}

TEST_F(WalkTest, DirectoriesBelowTheDepthAreNotEntered) {
  files_.Write("/r/0.log", "");
  files_.Write("/r/a/1.log", "");
  files_.Write("/r/a/b/2.log", "");
  root_.max_depth = 1;
  EXPECT_THAT(Walk("/r").logs, ElementsAre("/r/0.log", "/r/a/1.log"));
  root_.max_depth = 0;
  EXPECT_THAT(Walk("/r").logs, ElementsAre("/r/0.log"));
}

TEST_F(WalkTest, FilesBeyondTheCapAreCounted) {
  for (const char c : {'a', 'b', 'c', 'd', 'e'}) {
    files_.Write(std::string("/r/") + c + ".log", "");
  }
  root_.max_files = 2;
  const Listing listing = Walk("/r");
  EXPECT_THAT(listing.logs, ElementsAre("/r/a.log", "/r/b.log"));
  EXPECT_EQ(listing.capped, 3u);
}

TEST_F(WalkTest, SideFilesAreCountedAndNotListed) {
  files_.Write("/r/exp.log", "");
  files_.Write("/r/exp_vllm.log", "");
  files_.Write("/r/launch_20260101-000000.log", "");
  files_.Write("/r/old.log.gz", "");
  const Listing listing = Walk("/r");
  EXPECT_THAT(listing.logs,
              ElementsAre("/r/exp.log", "/r/launch_20260101-000000.log"));
  EXPECT_EQ(listing.side_files, 2u);
}

TEST_F(WalkTest, PrunedDirectoriesAreNotEntered) {
  for (const char* name : {"step_0001", "global_step_20", ".git", "_dropped",
                           "node_modules", "checkpoints"}) {
    files_.Write(std::string("/r/") + name + "/x.log", "");
  }
  files_.Write("/r/step_x/x.log", "");
  EXPECT_THAT(Walk("/r").logs, ElementsAre("/r/step_x/x.log"));
}

TEST_F(WalkTest, ALoopOfLinksEnds) {
  files_.Write("/r/a/x.log", "");
  files_.Symlink("/r", "/r/a/up");
  files_.Symlink(".", "/r/a/self");
  files_.Symlink("/r/a/b2", "/r/a/b1");
  files_.Symlink("/r/a/b1", "/r/a/b2");
  EXPECT_THAT(Walk("/r").logs, ElementsAre("/r/a/x.log"));
}

TEST_F(WalkTest, LinksToFilesAndDirectoriesAreFollowed) {
  files_.Write("/data/run/x.log", "");
  files_.Mkdir("/r");
  files_.Symlink("/data/run", "/r/latest");
  files_.Symlink("/data/run/x.log", "/r/current.log");
  files_.Symlink("/data/none", "/r/dangling.log");
  EXPECT_THAT(Walk("/r").logs,
              ElementsAre("/r/current.log", "/r/latest/x.log"));
}

TEST_F(WalkTest, UnreadableDirectoryIsNamedAndTheOthersAreListed) {
  files_.Write("/r/a/x.log", "");
  files_.Write("/r/b/y.log", "");
  files_.Fail(Call::kList, "/r/a", EACCES);
  const Listing listing = Walk("/r");
  EXPECT_TRUE(listing.root.ok());
  EXPECT_THAT(listing.logs, ElementsAre("/r/b/y.log"));
  EXPECT_THAT(listing.unreadable, ElementsAre("/r/a"));
}

TEST_F(WalkTest, DirectoryThatCannotBeLookedAtIsNamedToo) {
  files_.Write("/r/a/x.log", "");
  files_.Fail(Call::kStat, "/r/a", EIO);
  EXPECT_THAT(Walk("/r").unreadable, ElementsAre("/r/a"));
}

TEST_F(WalkTest, DirectoryThatVanishesBetweenTwoCallsIsNoError) {
  files_.Write("/r/a/x.log", "");
  files_.Before(Call::kList, "/r/a", [this] { files_.Remove("/r/a"); });
  const Listing listing = Walk("/r");
  EXPECT_THAT(listing.logs, IsEmpty());
  EXPECT_THAT(listing.unreadable, IsEmpty());
}

TEST_F(WalkTest, UnreadableRootIsNotAnEmptyOne) {
  files_.Write("/r/x.log", "");
  files_.Fail(Call::kList, "/r", EACCES);
  EXPECT_EQ(Walk("/r").root.code, IoCode::kDenied);
  EXPECT_EQ(Walk("/none").root.code, IoCode::kNotFound);
}

TEST_F(WalkTest, AFileOfAnyNameCanBeARoot) {
  files_.Write("/r/notes.txt", "");
  files_.Write("/r/x_vllm.log", "");
  EXPECT_THAT(Walk("/r/notes.txt").logs, ElementsAre("/r/notes.txt"));
  EXPECT_THAT(Walk("/r/x_vllm.log").logs, ElementsAre("/r/x_vllm.log"));
}

TEST_F(WalkTest, DirectoryOfAFileRootCanBeWatched) {
  files_.Write("/r/a.log", "");
  EXPECT_THAT(Walk("/r/a.log").directories, ElementsAre("/r"));
}

TEST_F(WalkTest, StarStaysInsideOneName) {
  files_.Write("/r/a/logs/x.log", "");
  files_.Write("/r/b/logs/y.log", "");
  files_.Write("/r/b/c/logs/z.log", "");
  EXPECT_THAT(Walk("/r/*/logs").logs,
              ElementsAre("/r/a/logs/x.log", "/r/b/logs/y.log"));
  EXPECT_THAT(Walk("/r/[b-z]/logs/?.log").logs, ElementsAre("/r/b/logs/y.log"));
}

TEST_F(WalkTest, TwoStarsStandForAnyNumberOfDirectories) {
  files_.Write("/r/train.txt", "");
  files_.Write("/r/a/train.txt", "");
  files_.Write("/r/a/b/train.txt", "");
  files_.Write("/r/a/b/other.txt", "");
  EXPECT_THAT(
      Walk("/r/**/train.txt").logs,
      ElementsAre("/r/a/b/train.txt", "/r/a/train.txt", "/r/train.txt"));
  files_.Write("/r/a/b/x.log", "");
  EXPECT_THAT(Walk("/r/**").logs, ElementsAre("/r/a/b/x.log"));
}

TEST_F(WalkTest, AFileThatAPatternReachesTwiceIsCountedOnce) {
  files_.Write("/r/a/x.log", "");
  files_.Write("/r/a/y.log", "");
  files_.Write("/r/a/x_vllm.log", "");
  root_.max_files = 2;
  const Listing listing = Walk("/r/**/*");
  EXPECT_THAT(listing.logs, ElementsAre("/r/a/x.log", "/r/a/y.log"));
  EXPECT_EQ(listing.capped, 0u);
  EXPECT_EQ(listing.side_files, 1u);
}

TEST_F(WalkTest, ASideFileThatAPatternMatchesIsNoLog) {
  files_.Write("/r/exp.log", "");
  files_.Write("/r/exp_vllm.log", "");
  const Listing listing = Walk("/r/*.log");
  EXPECT_THAT(listing.logs, ElementsAre("/r/exp.log"));
  EXPECT_EQ(listing.side_files, 1u);
}

TEST_F(WalkTest, GlobCharactersOfARealPathAreLiteral) {
  files_.Write("/r/run[1]/x.log", "");
  files_.Write("/r/run1/y.log", "");
  files_.Write("/r/what?.log", "");
  files_.Write("/r/whatX.log", "");
  EXPECT_THAT(Walk("/r/run[1]").logs, ElementsAre("/r/run[1]/x.log"));
  EXPECT_THAT(Walk("/r/what?.log").logs, ElementsAre("/r/what?.log"));
}

TEST_F(WalkTest, APatternWithoutAMatchIsEmptyAndOk) {
  files_.Mkdir("/r");
  EXPECT_TRUE(Walk("/r/*.log").root.ok());
  EXPECT_THAT(Walk("/r/*.log").logs, IsEmpty());
  EXPECT_EQ(Walk("/none/*.log").root.code, IoCode::kNotFound);
}

}  // namespace
}  // namespace rlrun
