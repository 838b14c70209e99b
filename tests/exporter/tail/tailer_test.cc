// Reading on: appends, budgets, truncation, rewriting, unreadable spells.
#include "exporter/tail/tailer.h"

#include <cerrno>

#include "tests/exporter/tail/tail_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using TailerTest = TailFixture;

TEST_F(TailerTest, ReadsFromTheBeginningAndThenWhatIsAppended) {
  fs_.Append(log_, Lines(1, 3));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(Poll(), TailOutcome::kIdle);
  fs_.Append(log_, Lines(4, 2));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), Lines(1, 5));
  EXPECT_THAT(sink_.reasons, IsEmpty());
  EXPECT_EQ(state().bytes_read_total, Lines(1, 5).size());
  EXPECT_EQ(state().offset, Lines(1, 5).size());
  EXPECT_EQ(state().last_growth, now_);
  EXPECT_EQ(state().id, fs_.StatOf(log_).id);
}

TEST_F(TailerTest, MissingFileIsGoneAndReadWhenItComes) {
  EXPECT_EQ(Poll(), TailOutcome::kGone);
  EXPECT_FALSE(state().readable);
  fs_.Append(log_, "a\n");
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), "a\n");
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

TEST_F(TailerTest, EmptyFileIsReadableAndIdle) {
  fs_.Write(log_, "");
  EXPECT_EQ(Poll(), TailOutcome::kIdle);
  EXPECT_TRUE(state().readable);
}

TEST_F(TailerTest, BudgetBoundsATurnAndMoreIsSaid) {
  fs_.Append(log_, Lines(1, 100));
  const std::uint64_t size = Lines(1, 100).size();
  EXPECT_EQ(Poll(1, 1000), TailOutcome::kMore);
  EXPECT_EQ(sink_.bytes_total, 1000u);
  EXPECT_EQ(state().bytes_behind, size - 1000);
  while (Poll(1, 1000) == TailOutcome::kMore) {
  }
  EXPECT_EQ(sink_.all(), Lines(1, 100));
  EXPECT_EQ(state().bytes_behind, 0u);
}

TEST_F(TailerTest, BacklogLargerThanTheBufferIsReadInOneTurn) {
  fs_.Append(log_, Lines(1, 100000));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), Lines(1, 100000));
  const std::uint64_t chunk = 256 * 1024 - 256;
  EXPECT_LE(fs_.counts().read, Lines(1, 100000).size() / chunk + 2);
}

// T35
TEST_F(TailerTest, T35_IdlePollIsOneStatAndGrowthTwoMoreReads) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.ResetCounts();
  Poll();
  EXPECT_EQ(fs_.counts().all(), 1u);
  EXPECT_EQ(fs_.counts().stat, 1u);
  fs_.Append(log_, "x\n");
  fs_.ResetCounts();
  Poll();
  EXPECT_EQ(fs_.counts().stat, 1u);
  EXPECT_EQ(fs_.counts().read, 2u);  // the head, and the tail with the news
  EXPECT_EQ(fs_.counts().all(), 3u);
}

// T3, T13
TEST_F(TailerTest, T3_TruncatedToNothingThenAppended) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.Truncate(log_);
  Poll();
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kTruncated));
  fs_.Append(log_, Lines(11, 2));
  Poll();
  EXPECT_EQ(sink_.text(), Lines(11, 2));
  EXPECT_EQ(state().truncations, 1u);
}

// T28
TEST_F(TailerTest, T28_HeldPartialIsNotGluedToTheNewText) {
  fs_.Append(log_, "whole\nhalf of a li");
  Poll();
  fs_.Truncate(log_);
  fs_.Append(log_, "new\n");
  Poll();
  EXPECT_THAT(sink_.lines, ElementsAre("whole", "new"));
}

TEST_F(TailerTest, ShorterTextAfterTruncationIsReadFromItsBeginning) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.Write(log_, Lines(50, 2));
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 10), Lines(50, 2)));
}

// T14
TEST_F(TailerTest, T14_GrownPastOffsetAfterTruncation) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.Write(log_, Lines(50, 40));
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 10), Lines(50, 40)));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kTruncated));
}

// T14: the same while nothing was held open.
TEST_F(TailerTest, T14_GrownPastOffsetWhileClosed) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  tailer_.Close();
  fs_.Write(log_, Lines(50, 40));
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 10), Lines(50, 40)));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kTruncated));
}

// T19: the run prints the same configuration again, more than the hashed head.
TEST_F(TailerTest, T19_RestartWithTheSameFirstKilobyte) {
  const std::string banner = Lines(0, 100);
  ASSERT_GT(banner.size(), TextMark::kHead + TextMark::kTail);
  fs_.Append(log_, banner + Lines(1000, 10));
  Poll();
  fs_.Write(log_, banner + Lines(2000, 30));
  Poll();
  EXPECT_EQ(sink_.text(), banner + Lines(2000, 30));
  EXPECT_EQ(state().truncations, 1u);
}

// The window alone would not see it: the last bytes are the same.
TEST_F(TailerTest, SameLastBytesBeforeTheOffsetButAnotherHead) {
  const std::string dots(600, '.');
  fs_.Append(log_, "run one \n" + dots);
  Poll();
  fs_.Write(log_, "run two \n" + dots + dots);
  Poll();
  EXPECT_EQ(sink_.text(), "run two \n" + dots + dots);
}

TEST_F(TailerTest, RewrittenToTheSameSize) {
  fs_.Append(log_, "step:1 a\n");
  Poll();
  fs_.Write(log_, "step:1 b\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("step:1 a\n", "step:1 b\n"));
}

TEST_F(TailerTest, TouchedFileIsNotReadAgain) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.SetMtime(log_, 1800000000000000000);
  EXPECT_EQ(Poll(), TailOutcome::kIdle);
  EXPECT_EQ(sink_.all(), Lines(1, 10));
  EXPECT_EQ(state().mtime_ns, 1800000000000000000);
  fs_.ResetCounts();
  Poll();
  EXPECT_EQ(fs_.counts().all(), 1u);
}

// T2, T5, T12
TEST_F(TailerTest, T2_CopytruncateEverySecond) {
  std::string written;
  for (int i = 0; i < 20; ++i) {
    const std::string text = Lines(i * 10, 1 + i % 7);
    fs_.Append(log_, text);
    written += text;
    Poll();
    if (i % 5 == 4) Poll(60);  // T5: an idle gap
    fs_.CopyTruncate(log_, log_ + ".1");
    if (i % 2 == 0) Poll();
  }
  EXPECT_EQ(sink_.all(), written);
  EXPECT_EQ(state().truncations, 19u);  // the last was not looked at
  EXPECT_LE(fs_.counts().bytes_read, 3 * written.size() + 20 * 1024);
}

// T12
TEST_F(TailerTest, T12_ReadOncePerTruncationHoweverOftenPolled) {
  std::uint64_t written = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string text = Lines(i * 1000, 500);
    fs_.Write(log_, text);
    written += text.size();
    for (int k = 0; k < 5; ++k) Poll();
  }
  EXPECT_EQ(sink_.bytes_total, written);
  EXPECT_EQ(state().bytes_read_total, written);
}

// T11
TEST_F(TailerTest, T11_FreshTailerReadsWhatAnUninterruptedOneRead) {
  for (int i = 0; i < 10; ++i) {
    fs_.Append(log_, Lines(i * 10, 10));
    Poll();
  }
  Tailer fresh(log_, options_);
  RecordingSink sink;
  (void)fresh.Poll(fs_, 1, kPlenty, &sink);
  EXPECT_EQ(sink.all(), sink_.all());
}

// T20
TEST_F(TailerTest, T20_HeadGrowsWithTheFileWithoutReadingAgain) {
  std::string written;
  for (int i = 0; i < 300; ++i) {
    const std::string text = i == 0 ? "\n" : Lines(i, 1);
    fs_.Append(log_, text);
    written += text;
    Poll();
  }
  EXPECT_EQ(sink_.all(), written);
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

// T27
TEST_F(TailerTest, T27_RunKilledInMidLine) {
  fs_.Append(log_, "step:1 - a:1\nstep:2 - a");
  Poll();
  Poll(3600);
  EXPECT_THAT(sink_.lines, ElementsAre("step:1 - a:1"));
}

// T29 and the like are lines; the tailer has no limit of its own.
TEST_F(TailerTest, T29_LineLongerThanEveryBuffer) {
  const std::string line(3u << 20, 'x');
  fs_.Append(log_, line);
  Poll();
  fs_.Append(log_, "\nnext\n");
  Poll();
  EXPECT_THAT(sink_.lines, ElementsAre(line, "next"));
}

// T30
TEST_F(TailerTest, T30_AnyBytesPassUnchanged) {
  std::string bytes;
  for (int i = 0; i < 70000; ++i) bytes += static_cast<char>(i * 7919 >> 3);
  fs_.Append(log_, bytes);
  Poll(1, 33333);
  while (Poll(1, 33333) == TailOutcome::kMore) {
  }
  EXPECT_EQ(sink_.all(), bytes);
}

// T1, T8
TEST_F(TailerTest, T1_UnreadableSpellKeepsTheOffset) {
  fs_.Append(log_, "a\n");
  Poll();
  tailer_.Close();
  fs_.Fail(Call::kOpen, log_, EACCES);
  fs_.Append(log_, "b\n");
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_FALSE(state().readable);
  EXPECT_EQ(state().status.code, IoCode::kDenied);
  EXPECT_EQ(state().offset, 2u);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  fs_.ClearFaults(log_);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), "a\nb\n");
  EXPECT_THAT(sink_.reasons, IsEmpty());
  EXPECT_TRUE(state().readable);
}

TEST_F(TailerTest, UnreadableFromTheStart) {
  fs_.Append(log_, "a\n");
  fs_.Fail(Call::kOpen, log_, EACCES, 2);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), "a\n");
}

TEST_F(TailerTest, StatErrorIsUnreadableNotGone) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Fail(Call::kStat, log_, EIO, 1);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  fs_.Append(log_, "b\n");
  Poll();
  EXPECT_EQ(sink_.all(), "a\nb\n");
}

TEST_F(TailerTest, ReadErrorIsUnreadableAndNotATruncation) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Fail(Call::kRead, log_, EIO, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), Lines(1, 100) + "b\n");
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

// T6
TEST_F(TailerTest, T6_StaleHandleIsReopenedAtTheOffset) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Fail(Call::kRead, log_, ESTALE, 1);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), Lines(1, 100) + "b\n");
  EXPECT_THAT(sink_.reasons, IsEmpty());
  EXPECT_EQ(fs_.counts().open, 2u);
}

// T6: the export was moved, device and inode are new, the text is the same.
TEST_F(TailerTest, T6_StaleForAWhileThenAnotherDevice) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Fail(Call::kStat, log_, ESTALE, 2);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  const std::string text = fs_.Content(log_);
  fs_.Remove(log_);
  fs_.Append(log_, text);
  fs_.SetDevice("/run", 7);
  Poll();
  EXPECT_EQ(sink_.all(), text);
  EXPECT_THAT(sink_.reasons, IsEmpty());
  EXPECT_EQ(state().id.device, 7u);
}

TEST_F(TailerTest, AlwaysStaleIsUnreadableNotALoop) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Fail(Call::kRead, log_, ESTALE);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_LT(fs_.counts().all(), 20u);
}

// T43
TEST_F(TailerTest, T43_NoDescriptorIsFree) {
  fs_.Append(log_, "a\n");
  fs_.Fail(Call::kOpen, log_, EMFILE, 2);
  EXPECT_EQ(Poll(), TailOutcome::kTooManyFiles);
  EXPECT_EQ(Poll(), TailOutcome::kTooManyFiles);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
}

TEST_F(TailerTest, ClosedFileIsNotReopenedUntilItGrows) {
  fs_.Append(log_, Lines(1, 20));
  Poll();
  EXPECT_TRUE(tailer_.open());
  tailer_.Close();
  EXPECT_FALSE(tailer_.open());
  EXPECT_EQ(fs_.open_files(), 0u);
  EXPECT_EQ(Poll(), TailOutcome::kIdle);
  EXPECT_EQ(fs_.open_files(), 0u);
  fs_.Append(log_, Lines(21, 1));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), Lines(1, 21));
}

TEST_F(TailerTest, ShortReadsAreNoEnd) {
  fs_.ShortReads(log_, 7);
  fs_.Append(log_, Lines(1, 60));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  fs_.Append(log_, Lines(61, 60));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_EQ(sink_.all(), Lines(1, 120));
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

TEST_F(TailerTest, GrowthBetweenStatAndRead) {
  fs_.Append(log_, "a\n");
  fs_.Before(Call::kRead, log_, [&] { fs_.Append(log_, "b\n"); });
  Poll();
  Poll();
  EXPECT_EQ(sink_.all(), "a\nb\n");
}

TEST_F(TailerTest, ShrinkingBetweenStatAndRead) {
  fs_.Append(log_, Lines(1, 50));
  Poll();
  fs_.Append(log_, Lines(51, 50));
  fs_.Before(Call::kRead, log_, [&] { fs_.Write(log_, "new\n"); });
  Poll();
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 50), "new\n"));
}

TEST_F(TailerTest, RewrittenBeforeEveryReadStillEndsTheTurn) {
  fs_.Append(log_, Lines(1, 50));
  Poll();
  int n = 1000;
  std::function<void()> rewrite = [&] {
    fs_.Write(log_, Lines(n += 50, 50));
    fs_.Before(Call::kRead, log_, rewrite);
  };
  rewrite();
  for (int i = 0; i < 5; ++i) Poll();
  EXPECT_LT(fs_.counts().all(), 100u);
}

TEST_F(TailerTest, PathOfAFifoOrDirectoryIsUnreadable) {
  fs_.MakeFifo(log_);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(fs_.counts().open, 0u);
  fs_.Remove(log_);
  fs_.Mkdir(log_);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
}

// T49
TEST_F(TailerTest, T49_PathWithEverySpecialCharacter) {
  const std::string path = "/run/a [x]=,*?\xc3\xa9\n'\"/b {1}.log";
  fs_.Append(path, "a\n");
  Tailer tailer(path, options_);
  EXPECT_EQ(tailer.Poll(fs_, 1, kPlenty, &sink_), TailOutcome::kRead);
  fs_.Rename(path, path + ".1");
  fs_.Append(path + ".1", "late\n");
  fs_.Append(path, "b\n");
  tailer.Close();
  EXPECT_EQ(tailer.Poll(fs_, 2, kPlenty, &sink_), TailOutcome::kRead);
  EXPECT_THAT(sink_.texts, ElementsAre("a\nlate\n", "b\n"));
}

// A writer without O_APPEND goes on at its old place after a truncation.
TEST_F(TailerTest, HoleOfZerosAfterTruncation) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  const std::size_t size = Lines(1, 10).size();
  fs_.Truncate(log_);
  fs_.Append(log_, std::string(size, '\0') + Lines(11, 1));
  Poll();
  EXPECT_EQ(sink_.text(), std::string(size, '\0') + Lines(11, 1));
}

// Takes whole records of ten bytes, but none that has a question mark.
class TenBytesSink : public TailSink {
 public:
  std::size_t Text(std::uint64_t offset, std::string_view bytes) override {
    EXPECT_EQ(offset, text.size());
    std::size_t taken = 0;
    while (taken + 10 <= bytes.size() &&
           bytes.substr(taken, 10).find('?') == std::string_view::npos) {
      taken += 10;
    }
    text += bytes.substr(0, taken);
    return taken;
  }
  void Restart(RestartReason) override { ++restarts; }
  std::string text;
  int restarts = 0;
};

TEST_F(TailerTest, WhatIsNotTakenComesAgainAsItIsThen) {
  TenBytesSink sink;
  const auto poll = [&](std::size_t budget) {
    return tailer_.Poll(fs_, now_ += 1, budget, &sink);
  };
  fs_.Append(log_, "0123456789abc");
  EXPECT_EQ(poll(kPlenty), TailOutcome::kRead);
  EXPECT_EQ(sink.text, "0123456789");
  EXPECT_EQ(poll(kPlenty), TailOutcome::kIdle);
  EXPECT_EQ(state().bytes_behind, 0u) << "nobody is behind";
  EXPECT_EQ(state().bytes_read_total, 10u);
  fs_.Append(log_, "?????????????????");
  EXPECT_EQ(poll(kPlenty), TailOutcome::kIdle);
  EXPECT_EQ(state().last_growth, now_) << "the file is written";
  fs_.Overwrite(log_, 13, "defghijklmnopqrst");
  EXPECT_EQ(poll(kPlenty), TailOutcome::kRead);
  EXPECT_EQ(sink.text, "0123456789abcdefghijklmnopqrst");
  EXPECT_EQ(sink.restarts, 0);
  // Less than a record at a time.
  fs_.Append(log_, "----------++++++++++");
  for (int i = 0; i < 10 && poll(3) == TailOutcome::kMore; ++i) {
  }
  EXPECT_EQ(sink.text.size(), 50u);
}

// T16, T17, T18
TEST_F(TailerTest, T17_HundredEmptyFilesFilledOneByOne) {
  std::vector<Tailer> tailers;
  std::vector<RecordingSink> sinks(100);
  const auto path = [](int i) { return "/run/" + std::to_string(i) + ".log"; };
  for (int i = 0; i < 100; ++i) {
    fs_.Write(path(i), "");
    tailers.emplace_back(path(i), options_);
  }
  const auto poll_all = [&] {
    for (std::size_t i = 0; i < 100; ++i) {
      (void)tailers[i].Poll(fs_, now_, kPlenty, &sinks[i]);
    }
  };
  poll_all();
  for (int i = 0; i < 100; ++i) {
    fs_.Append(path(i), Lines(0, 50) + Lines(1000 + i, 1));  // T16: same head
    if (i % 10 == 0) poll_all();
  }
  poll_all();
  for (int i = 0; i < 100; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(sinks[k].all(), Lines(0, 50) + Lines(1000 + i, 1));
    EXPECT_THAT(sinks[k].reasons, IsEmpty());
  }
}

}  // namespace
}  // namespace rlrun
