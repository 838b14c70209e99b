#include "exporter/app/root_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <thread>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Call = InMemoryFileSource::Call;

class RootReaderTest : public ::testing::Test {
 protected:
  RootReaderTest() {
    root_.path = "/r";
    files_.Mkdir("/r");
  }
  // The times of the file system in memory begin here.
  Now At(double t) const { return {1000 + t, 1750000000 + t}; }
  RootReader Reader() { return RootReader(root_, options_, &files_); }
  static std::size_t Count(const RootNews& news, FileOutcome outcome) {
    return news.status.files[static_cast<std::size_t>(outcome)];
  }
  static std::size_t Steps(const RootNews& news) {
    std::size_t n = 0;
    for (const FileUpdate& u : news.updates) n += u.facts.steps.size();
    return n;
  }

  InMemoryFileSource files_;
  RootOptions root_;
  ReaderOptions options_;
};

TEST_F(RootReaderTest, NewsAreTakenOnce) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  RootReader reader = Reader();
  EXPECT_FALSE(reader.Take().status.listed);
  reader.Pass(At(0));
  const RootNews news = reader.Take();
  EXPECT_TRUE(news.status.listed);
  EXPECT_TRUE(news.status.up);
  EXPECT_TRUE(news.status.caught_up);
  EXPECT_EQ(Steps(news), 1u);
  EXPECT_EQ(Count(news, FileOutcome::kRun), 1u);
  EXPECT_THAT(reader.Take().updates, IsEmpty());
  EXPECT_THAT(reader.directories(), ElementsAre("/r"));
}

TEST_F(RootReaderTest, IdlePassHasNoNews) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  RootReader reader = Reader();
  EXPECT_FALSE(reader.HasNews());
  reader.Pass(At(0));
  EXPECT_TRUE(reader.HasNews());
  reader.Take();
  reader.Pass(At(15));  // listed again, looked at again
  EXPECT_FALSE(reader.HasNews());
}

TEST_F(RootReaderTest, LostRootIsNewsWithoutUpdates) {
  RootReader reader = Reader();
  reader.Pass(At(0));
  reader.Take();
  files_.Fail(Call::kStat, "/r", EIO);
  reader.Pass(At(15));
  EXPECT_TRUE(reader.HasNews());
  EXPECT_THAT(reader.Take().updates, IsEmpty());
  EXPECT_FALSE(reader.HasNews());
}

TEST_F(RootReaderTest, TellsWhenSomethingIsDueAgain) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  RootReader reader = Reader();
  EXPECT_DOUBLE_EQ(reader.Pass(At(0)), options_.tail.active_interval);
  const auto calls = files_.counts().all();
  EXPECT_GT(reader.Pass(At(0.25)), 0);
  EXPECT_EQ(files_.counts().all(), calls);  // nothing was due
}

TEST_F(RootReaderTest, EmptyRootIsListedAtTheInterval) {
  RootReader reader = Reader();
  EXPECT_DOUBLE_EQ(reader.Pass(At(0)), options_.tail.directory_interval);
}

TEST_F(RootReaderTest, NetworkFileSystemsAreAskedLessOften) {
  files_.SetNetwork("/r");
  RootReader reader = Reader();
  EXPECT_DOUBLE_EQ(reader.Pass(At(0)), options_.tail.directory_interval *
                                           options_.tail.network_factor);
  files_.Write("/r/a.log", "step:1 - a:1\n");
  EXPECT_DOUBLE_EQ(reader.Pass(At(40)), options_.tail.active_interval *
                                            options_.tail.network_factor);
}

TEST_F(RootReaderTest, WakeLooksAtOnce) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  RootReader reader = Reader();
  reader.Pass(At(0));
  reader.Take();
  files_.Append("/r/a.log", "step:2 - a:1\n");
  files_.Write("/r/b.log", "step:1 - a:1\n");
  reader.Wake(nullptr);
  reader.Pass(At(0.01));
  EXPECT_EQ(Steps(reader.Take()), 1u);
  EXPECT_EQ(Steps(reader.Take()), 0u);
}

TEST_F(RootReaderTest, EntriesThatCameAreListedWithinASecond) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  RootReader reader = Reader();
  reader.Pass(At(0));
  reader.Take();
  files_.Write("/r/b.log", "step:1 - a:1\n");
  reader.WakeListing();
  EXPECT_LE(reader.Pass(At(0.1)), 0.9);  // not more than once a second
  EXPECT_EQ(Steps(reader.Take()), 0u);
  reader.Pass(At(1));
  EXPECT_EQ(Steps(reader.Take()), 1u);
}

TEST_F(RootReaderTest, HugeBacklogLeavesOtherFilesTheirTurn) {
  std::string backlog;
  for (int i = 0; i < 1000; ++i) backlog += "step:1 - a:1\n";
  files_.Write("/r/a.log", backlog);
  files_.Write("/r/b.log", "step:1 - a:1\n");
  options_.tail.bytes_per_turn = 1300;
  RootReader reader = Reader();
  EXPECT_EQ(reader.Pass(At(0)), 0);
  const RootNews news = reader.Take();
  EXPECT_EQ(Steps(news), 101u);
  EXPECT_FALSE(news.status.caught_up);
}

TEST_F(RootReaderTest, PausesUntilTheNewsAreTaken) {
  std::string backlog;
  for (int i = 0; i < 80000; ++i) backlog += "step:1 - a:1\n";
  files_.Write("/r/a.log", backlog);
  options_.tail.bytes_per_turn = 130000;
  RootReader reader = Reader();
  for (int i = 0; i < 100 && !reader.Full(); ++i) reader.Pass(At(0));
  ASSERT_TRUE(reader.Full());
  const auto read = files_.counts().bytes_read;
  EXPECT_LT(read, backlog.size());
  EXPECT_EQ(reader.Pass(At(0)), 0);
  EXPECT_EQ(files_.counts().bytes_read, read);
  std::size_t steps = Steps(reader.Take());
  EXPECT_FALSE(reader.Full());
  while (reader.Pass(At(0)) == 0) steps += Steps(reader.Take());
  steps += Steps(reader.Take());
  EXPECT_EQ(steps, 80000u);
}

TEST_F(RootReaderTest, UnreadableFileIsCountedAndTriedAgain) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  files_.Fail(Call::kOpen, "/r/a.log", EACCES);
  RootReader reader = Reader();
  reader.Pass(At(0));
  RootNews news = reader.Take();
  EXPECT_EQ(Count(news, FileOutcome::kUnreadable), 1u);
  EXPECT_TRUE(news.status.caught_up);  // nobody waits for it
  files_.ClearFaults("/r/a.log");
  reader.Pass(At(10));
  news = reader.Take();
  EXPECT_EQ(Count(news, FileOutcome::kUnreadable), 0u);
  EXPECT_EQ(Steps(news), 1u);
}

TEST_F(RootReaderTest, WhatIsNoRegularFileIsNotFollowed) {
  files_.MakeFifo("/r/pipe.log");
  RootReader reader = Reader();
  reader.Pass(At(0));
  EXPECT_EQ(files_.counts().open, 0u);
  EXPECT_THAT(reader.Take().updates, IsEmpty());
}

TEST_F(RootReaderTest, SideFilesAndCappedOnesAreCounted) {
  files_.Write("/r/a.log", "step:1 - a:1\n");
  files_.Write("/r/a_vllm.log", "");
  files_.Write("/r/b.log", "");
  root_.max_files = 1;
  RootReader reader = Reader();
  reader.Pass(At(0));
  const RootNews news = reader.Take();
  EXPECT_EQ(Count(news, FileOutcome::kSideFile), 1u);
  EXPECT_EQ(Count(news, FileOutcome::kCapped), 1u);
}

TEST_F(RootReaderTest, NotMoreFilesThanAllowedStayOpen) {
  for (const char c : {'a', 'b', 'c', 'd'}) {
    files_.Write(std::string("/r/") + c + ".log", "step:1 - a:1\n");
  }
  options_.tail.max_open_files = 2;
  RootReader reader = Reader();
  reader.Pass(At(0));
  EXPECT_EQ(Steps(reader.Take()), 4u);
  EXPECT_LE(files_.open_files(), 2u);
  files_.Append("/r/d.log", "step:2 - a:1\n");
  reader.Pass(At(10));
  EXPECT_EQ(Steps(reader.Take()), 1u);
}

TEST_F(RootReaderTest, FormatOfTheRootHoldsForEveryFile) {
  files_.Write("/r/a.log", "{\"step\": 1, \"data\": {\"a\": 1}}\n");
  root_.format = "verl";
  RootReader console = Reader();
  console.Pass(At(0));
  EXPECT_EQ(Steps(console.Take()), 0u);
  root_.format = "jsonl";
  RootReader jsonl = Reader();
  jsonl.Pass(At(0));
  EXPECT_EQ(Steps(jsonl.Take()), 1u);
}

TEST_F(RootReaderTest, LineThatIsCutInTwoByTwoReadsIsOneLine) {
  files_.Write("/r/a.log", "step:1 - a");
  RootReader reader = Reader();
  reader.Pass(At(0));
  EXPECT_EQ(Steps(reader.Take()), 0u);
  files_.Append("/r/a.log", "b:1\n");
  reader.Pass(At(10));
  const RootNews news = reader.Take();
  ASSERT_EQ(Steps(news), 1u);
  const StepRecord& record = news.updates.back().facts.steps[0];
  EXPECT_EQ(record.Key(record.pairs[0]), "ab");
  EXPECT_TRUE(news.updates.back().live);
}

TEST_F(RootReaderTest, TruncationStartsANewText) {
  files_.Write("/r/a.log", "step:1 - a:1\nstep:2 - a:1\nstep:3");
  RootReader reader = Reader();
  reader.Pass(At(0));
  EXPECT_FALSE(reader.Take().updates.back().new_text);
  files_.Write("/r/a.log", " - b:1\nstep:1 - a:2\n");
  reader.Pass(At(10));
  const RootNews news = reader.Take();
  EXPECT_TRUE(news.updates.back().new_text);
  EXPECT_EQ(Steps(news), 1u);  // the held half line is not glued to it
  EXPECT_EQ(news.updates.back().progress.truncations, 1u);
}

TEST_F(RootReaderTest, ANewTextMayHaveAnotherFormat) {
  files_.Write("/r/a.log", "{\"step\": 1, \"data\": {\"a\": 1}}\n");
  RootReader reader = Reader();
  reader.Pass(At(0));
  EXPECT_TRUE(reader.Take().updates.back().jsonl);
  files_.Write("/r/a.log", "step:1 - a:1\n");
  reader.Pass(At(10));
  const RootNews news = reader.Take();
  EXPECT_EQ(Steps(news), 1u);
  EXPECT_FALSE(news.updates.back().jsonl);
}

TEST_F(RootReaderTest, FilesBelowALinkAreNotResolvedAtEveryListing) {
  files_.Write("/data/a.log", "step:1 - a:1\n");
  files_.Symlink("/data", "/r/link");
  RootReader reader = Reader();
  reader.Pass(At(0));
  const auto resolved = files_.counts().canonical;
  for (int t = 10; t < 100; t += 10) reader.Pass(At(t));
  EXPECT_EQ(files_.counts().canonical, resolved);
}

TEST_F(RootReaderTest, OptionsTakeEffectWithTheNextPass) {
  RootReader reader = Reader();
  options_.tail.directory_interval = 3;
  reader.SetOptions(options_);
  EXPECT_DOUBLE_EQ(reader.Pass(At(0)), 3);
}

TEST_F(RootReaderTest, WaitingIsSeenFromOutside) {
  RootReader reader = Reader();
  EXPECT_EQ(reader.WaitingSince(), 0);
  files_.Block("/r");
  std::thread thread([&] { reader.Pass(At(0)); });
  files_.WaitUntilBlocked("/r");
  EXPECT_GT(reader.WaitingSince(), 0);
  EXPECT_FALSE(reader.Take().status.listed);  // nobody waits here
  files_.Release("/r");
  thread.join();
  EXPECT_EQ(reader.WaitingSince(), 0);
}

}  // namespace
}  // namespace rlrun
