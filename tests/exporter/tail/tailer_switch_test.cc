// Leaving a file: rotation, deletion, rewriting by rename, symbolic links.
#include <cerrno>

#include "tests/exporter/tail/tail_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TailerSwitchTest : public TailFixture {
 protected:
  // log.1 -> log.2, log -> log.1, and a new log with `text`.
  void Rotate(const std::string& text) {
    for (int i = 8; i >= 1; --i) {
      const std::string from = log_ + "." + std::to_string(i);
      if (fs_.Exists(from)) {
        fs_.Rename(from, log_ + "." + std::to_string(i + 1));
      }
    }
    fs_.Rename(log_, log_ + ".1");
    fs_.Append(log_, text);
  }
};

// T7, T23, T24
TEST_F(TailerSwitchTest, T7_RenamedAndCreated) {
  fs_.Append(log_, Lines(1, 3));
  Poll();
  fs_.Append(log_, Lines(4, 3));
  Rotate(Lines(7, 2));
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 6), Lines(7, 2)));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kRotated));
  EXPECT_EQ(state().rotations, 1u);
  EXPECT_EQ(state().id, fs_.StatOf(log_).id);
  fs_.Append(log_, Lines(9, 1));
  Poll();
  EXPECT_EQ(sink_.all(), Lines(1, 9));
}

// T23
TEST_F(TailerSwitchTest, T23_MegabyteWrittenAndRotatedAtOnce) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, Lines(1, 50000));
  Rotate("b\n");
  TailOutcome outcome;
  int turns = 0;
  while ((outcome = Poll(1, 100000)) == TailOutcome::kMore) ++turns;
  EXPECT_EQ(outcome, TailOutcome::kRead);
  EXPECT_GT(turns, 10);
  EXPECT_EQ(sink_.all(), "a\n" + Lines(1, 50000) + "b\n");
}

// T24
TEST_F(TailerSwitchTest, T24_LinesBetweenRenameAndReopen) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Rename(log_, log_ + ".1");
  Poll();
  fs_.Append(log_ + ".1", "b\n");
  EXPECT_EQ(Poll(), TailOutcome::kGone);
  EXPECT_EQ(sink_.all(), "a\nb\n");
  fs_.Append(log_ + ".1", "c\n");
  fs_.Append(log_, "d\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\nc\n", "d\n"));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kRotated));
}

// T24: longer than the handle is kept.
TEST_F(TailerSwitchTest, T24_PathMissingForAnHourWhileTheOldFileGrows) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Rename(log_, log_ + ".1");
  Poll();
  Poll(60);
  EXPECT_FALSE(tailer_.open());
  fs_.Append(log_ + ".1", "b\n");
  Poll(3600);
  fs_.Append(log_, "c\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

TEST_F(TailerSwitchTest, LateWritesAreDeliveredWhileTheNewFileIsEmpty) {
  fs_.Append(log_, "a\n");
  Poll();
  Rotate("");
  Poll();
  fs_.Append(log_ + ".1", "late\n");
  Poll();
  EXPECT_THAT(sink_.reasons, IsEmpty());
  fs_.Append(log_ + ".1", "later\n");
  fs_.Append(log_, "new\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nlate\nlater\n", "new\n"));
  EXPECT_EQ(state().bytes_lost, 0u);
}

TEST_F(TailerSwitchTest, WritesToTheOldFileAfterTheNewOneBeganAreCounted) {
  fs_.Append(log_, "a\n");
  Poll();
  Rotate("new\n");
  Poll();
  fs_.Append(log_ + ".1", "too late\n");
  Poll();
  EXPECT_EQ(sink_.all(), "a\nnew\n");
  EXPECT_EQ(state().bytes_lost, 9u);
  Poll(options_.rotate_wait);
  EXPECT_EQ(fs_.open_files(fs_.StatOf(log_ + ".1").id), 0u);
  // It is newer than the new file now, but no file in between.
  fs_.Append(log_ + ".1", "much too late\n");
  Rotate("newest\n");
  Poll();
  EXPECT_EQ(sink_.all(), "a\nnew\nnewest\n");
}

TEST_F(TailerSwitchTest, EmptyNewFileDoesNotHoldTheOldOneForEver) {
  fs_.Append(log_, "a\n");
  Poll(3600);
  Rotate("");
  Poll();
  EXPECT_EQ(fs_.open_files(fs_.StatOf(log_ + ".1").id), 1u);
  Poll(options_.rotate_wait);
  Poll(options_.rotate_wait);
  EXPECT_EQ(fs_.open_files(fs_.StatOf(log_ + ".1").id), 0u);
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kRotated));
}

TEST_F(TailerSwitchTest, UnfinishedLastLineOfTheOldFileIsDroppedNotGlued) {
  fs_.Append(log_, "a\nhalf");
  Poll();
  Rotate("b\n");
  Poll();
  EXPECT_EQ(sink_.all(), "a\nhalfb\n");
  EXPECT_THAT(sink_.lines, ElementsAre("a", "b"));
}

TEST_F(TailerSwitchTest, OldFileIsFoundUnderItsNewNameWhenClosed) {
  for (const std::string suffix :
       {".1", ".old", "-20261129", ".2026-11-29_14-00-00", ".bak"}) {
    fs_.Write(log_, "");
    Tailer tailer(log_, options_);
    RecordingSink sink;
    fs_.Append(log_, "a" + suffix + "\n");
    (void)tailer.Poll(fs_, 1, kPlenty, &sink);
    tailer.Close();
    fs_.Append(log_, "b\n");
    fs_.Rename(log_, log_ + suffix);
    fs_.Append(log_, "c\n");
    (void)tailer.Poll(fs_, 2, kPlenty, &sink);
    EXPECT_THAT(sink.texts, ElementsAre("a" + suffix + "\nb\n", "c\n"));
    EXPECT_THAT(sink.reasons, ElementsAre(RestartReason::kRotated));
    fs_.Remove(log_ + suffix);
  }
}

TEST_F(TailerSwitchTest, NumberInFrontOfTheExtension) {
  fs_.Append(log_, "a\n");
  Poll();
  tailer_.Close();
  fs_.Append(log_, "b\n");
  fs_.Rename(log_, "/run/train.1.log");
  fs_.Append(log_, "c\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

// T45
TEST_F(TailerSwitchTest, T45_TwoRotationsInOneInterval) {
  fs_.Append(log_ + ".1", "an older rotation\n");
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  Rotate("c\n");
  Rotate("d\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n", "d\n"));
  EXPECT_EQ(state().rotations, 2u);
}

TEST_F(TailerSwitchTest, T45_FourRotationsWithSmallTurnsAndNothingOpen) {
  fs_.Append(log_, Lines(0, 5));
  Poll(1, 10);
  tailer_.Close();
  for (int i = 1; i <= 4; ++i) Rotate(Lines(i * 5, 5));
  for (int i = 0; i < 200; ++i) {
    if (i % 3 == 0) tailer_.Close();
    Poll(0.1, 10);
  }
  EXPECT_EQ(sink_.all(), Lines(0, 25));
  EXPECT_EQ(state().rotations, 4u);
}

// T21
TEST_F(TailerSwitchTest, T21_CompressedCopyAndOtherLogsAreNotReadInBetween) {
  fs_.Append(log_, "a\n");
  Poll();
  Rotate("b\n");
  fs_.Append(log_ + ".2.gz", "binary");
  fs_.Append(log_ + ".err", "stderr\n");
  fs_.Append("/run/train-2.log", "another run\n");
  fs_.Append("/run/train.log1", "another run\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\n", "b\n"));
}

// T1
TEST_F(TailerSwitchTest, T1_NewFileUnreadableForTwoSecondsAfterRotation) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  Rotate("c\n");
  fs_.Fail(Call::kOpen, log_, EACCES, 2);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(sink_.all(), "a\nb\n");
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

TEST_F(TailerSwitchTest, NewFileUnreadableForLongDoesNotHoldTheOldOne) {
  fs_.Append(log_, "a\n");
  Poll();
  Rotate("c\n");
  fs_.Fail(Call::kOpen, log_, EACCES);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(fs_.open_files(), 0u);
  fs_.ResetCounts();
  Poll();
  EXPECT_LE(fs_.counts().all(), 2u);  // no listing each time
  fs_.ClearFaults(log_);
  Poll();
  EXPECT_EQ(sink_.all(), "a\nc\n");
}

TEST_F(TailerSwitchTest, NoDescriptorForTheNewFileFreesTheOldOne) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  Rotate("c\n");
  fs_.Fail(Call::kOpen, log_, EMFILE, 1);
  EXPECT_EQ(Poll(), TailOutcome::kTooManyFiles);
  EXPECT_EQ(fs_.open_files(), 0u);
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kRotated));
}

// T4
TEST_F(TailerSwitchTest, T4_EditorRewritesTheFileWithOneMoreLine) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Replace(log_, Lines(1, 101));
  Poll();
  EXPECT_EQ(sink_.all(), Lines(1, 101));
  EXPECT_THAT(sink_.reasons, IsEmpty());
  EXPECT_EQ(state().id, fs_.StatOf(log_).id);
}

// T4: rsync replaces a log and its rotated files, every inode is new.
TEST_F(TailerSwitchTest, T4_MirrorOfARotationIsNotReadTwice) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Replace(log_ + ".1", Lines(1, 120));
  fs_.Replace(log_, Lines(121, 5));
  Poll();
  EXPECT_EQ(sink_.all(), Lines(1, 125));
}

// A mirror that does not keep times makes old rotations look new.
TEST_F(TailerSwitchTest, ContinuationIsNotLookedForInBetween) {
  fs_.Append(log_ + ".1", Lines(1, 50));
  fs_.Append(log_, Lines(51, 50));
  Poll();
  fs_.Replace(log_ + ".1", Lines(1, 50));
  fs_.Replace(log_, Lines(51, 60));
  Poll();
  EXPECT_EQ(sink_.all(), Lines(51, 60));
}

TEST_F(TailerSwitchTest, CopyThatIsStillBeingWrittenIsWaitedFor) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Replace(log_, Lines(1, 60));
  Poll();
  EXPECT_THAT(sink_.reasons, IsEmpty());
  fs_.Append(log_, Lines(61, 50));
  Poll();
  EXPECT_EQ(sink_.all(), Lines(1, 110));
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

TEST_F(TailerSwitchTest, ShorterCopyIsTakenWhenNothingElseComes) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Replace(log_, Lines(1, 60));
  Poll();
  Poll(options_.rotate_wait);
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 100), Lines(1, 60)));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kReplaced));
}

TEST_F(TailerSwitchTest, EditorChangedALine) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Replace(log_, "changed\n" + Lines(2, 100));
  Poll();
  EXPECT_EQ(sink_.text(), "changed\n" + Lines(2, 100));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kReplaced));
  EXPECT_EQ(state().replacements, 1u);
}

// T26, T42
TEST_F(TailerSwitchTest, T42_DeletedFileIsReadToItsEndAndLetGo) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Remove(log_);
  EXPECT_EQ(Poll(), TailOutcome::kGone);
  EXPECT_EQ(sink_.all(), "a\nb\n");
  EXPECT_EQ(fs_.open_files(), 1u);
  Poll(options_.rotate_wait);
  EXPECT_EQ(fs_.open_files(), 0u);
  fs_.ResetCounts();
  EXPECT_EQ(Poll(), TailOutcome::kGone);
  EXPECT_LE(fs_.counts().stat, 1u);
}

TEST_F(TailerSwitchTest, BacklogOfADeletedFileIsReadInTurns) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, Lines(1, 1000));
  fs_.Remove(log_);
  EXPECT_EQ(Poll(1, 1000), TailOutcome::kMore);
  EXPECT_GT(state().bytes_behind, 0u);
  while (Poll(1, 1000) == TailOutcome::kMore) {
  }
  EXPECT_EQ(sink_.all(), "a\n" + Lines(1, 1000));
}

// T31
TEST_F(TailerSwitchTest, T31_DeletedAndRecreatedIsReadFromItsBeginning) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.Remove(log_);
  Poll();
  fs_.Append(log_, Lines(50, 30));
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 10), Lines(50, 30)));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kReplaced));
}

TEST_F(TailerSwitchTest, DeletedAndRecreatedBetweenTwoPolls) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Remove(log_);
  fs_.Append(log_, "c\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kReplaced));
}

TEST_F(TailerSwitchTest, RecreatedWithTheSameTextContinues) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Remove(log_);
  Poll(60);
  fs_.Append(log_, Lines(1, 120));
  Poll();
  EXPECT_EQ(sink_.all(), Lines(1, 120));
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

TEST_F(TailerSwitchTest, MovedAwayAndBack) {
  fs_.Append(log_, Lines(1, 100));
  Poll();
  fs_.Rename(log_, "/elsewhere.log");
  Poll(60);
  fs_.Append("/elsewhere.log", Lines(101, 2));
  fs_.Rename("/elsewhere.log", log_);
  Poll();
  EXPECT_EQ(sink_.all(), Lines(1, 102));
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

// T15, T22
TEST_F(TailerSwitchTest, T22_InodeReusedByTheNewFile) {
  fs_.ReuseInodes(true);
  fs_.Append(log_, Lines(1, 10));
  Poll();
  tailer_.Close();
  const FileId old = fs_.StatOf(log_).id;
  fs_.Remove(log_);
  fs_.Append(log_, Lines(50, 30));
  ASSERT_EQ(fs_.StatOf(log_).id, old);
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre(Lines(1, 10), Lines(50, 30)));
}

TEST_F(TailerSwitchTest, T22_InodeReusedAfterTheFileWasSeenMissing) {
  fs_.ReuseInodes(true);
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.Remove(log_);
  Poll(60);
  Poll(60);
  fs_.Append(log_, Lines(50, 10));  // of the same length
  Poll();
  EXPECT_EQ(sink_.text(), Lines(50, 10));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kReplaced));
}

// T22: some file systems do it while we still hold the old file.
TEST_F(TailerSwitchTest, T22_InodeReusedWhileTheOldFileIsOpen) {
  fs_.Append(log_, Lines(10, 10));
  Poll();
  const FileId old = fs_.StatOf(log_).id;
  for (const int count : {5, 10, 20}) {
    fs_.Remove(log_);
    fs_.Append(log_, Lines(50 + count, count));
    fs_.ForceInode(log_, old.inode);
    Poll();
    EXPECT_EQ(sink_.text(), Lines(50 + count, count));
  }
}

// T10
TEST_F(TailerSwitchTest, T10_ParentDirectoryReplaced) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  fs_.Remove("/run");
  Poll();
  fs_.Mkdir("/run");
  Poll();
  fs_.Append(log_, "c\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

// T9
TEST_F(TailerSwitchTest, T9_DirectoryMovedIsGoneHereAndWholeThere) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Rename("/run", "/moved");
  EXPECT_EQ(Poll(), TailOutcome::kGone);
  Tailer there("/moved/train.log", options_);
  RecordingSink sink;
  (void)there.Poll(fs_, now_, kPlenty, &sink);
  EXPECT_EQ(sink.all(), "a\n");
}

// T25, T50
TEST_F(TailerSwitchTest, T50_SymlinkPointedElsewhere) {
  fs_.Append("/run41/train.log", "a\n");
  fs_.Append("/run42/train.log", "c\n");
  fs_.Append("/run42/train.log.1", "not in between\n");
  fs_.Symlink("/run41/train.log", "/latest.log");
  Tailer tailer("/latest.log", options_);
  (void)tailer.Poll(fs_, 1, kPlenty, &sink_);
  fs_.Append("/run41/train.log", "b\n");
  fs_.Remove("/latest.log");
  fs_.Symlink("/run42/train.log", "/latest.log");
  (void)tailer.Poll(fs_, 2, kPlenty, &sink_);
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kRotated));
}

TEST_F(TailerSwitchTest, RotationBehindASymlinkIsFoundAtItsRealPlace) {
  fs_.Append(log_, "a\n");
  fs_.Symlink(log_, "/latest.log");
  Tailer tailer("/latest.log", options_);
  (void)tailer.Poll(fs_, 1, kPlenty, &sink_);
  tailer.Close();
  fs_.Append(log_, "b\n");
  Rotate("c\n");
  (void)tailer.Poll(fs_, 2, kPlenty, &sink_);
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

TEST_F(TailerSwitchTest, SymlinkLoopIsUnreadable) {
  fs_.Symlink(log_, log_);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  EXPECT_EQ(state().status.code, IoCode::kLoop);
}

TEST_F(TailerSwitchTest, TruncatedAndRotatedInOneInterval) {
  fs_.Append(log_, Lines(1, 10));
  Poll();
  fs_.Write(log_, Lines(20, 30));
  Rotate(Lines(50, 2));
  Poll();
  EXPECT_THAT(sink_.texts,
              ElementsAre(Lines(1, 10), Lines(20, 30), Lines(50, 2)));
  EXPECT_THAT(sink_.reasons,
              ElementsAre(RestartReason::kTruncated, RestartReason::kRotated));
}

TEST_F(TailerSwitchTest, StaleHandleOfTheOldFileIsFoundAgainByName) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "b\n");
  Rotate("c\n");
  fs_.Fail(Call::kFileStat, log_, ESTALE, 1);
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

TEST_F(TailerSwitchTest, OldFileThatCannotBeReadIsGivenUpAndCounted) {
  fs_.Append(log_, "a\n");
  Poll();
  fs_.Append(log_, "bb\n");
  Rotate("");
  fs_.Fail(Call::kRead, log_, EIO);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  fs_.ClearFaults(log_);
  tailer_.Close();
  fs_.Fail(Call::kOpen, log_ + ".1", EIO);
  fs_.Append(log_, "c\n");
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  Poll(options_.rotate_wait);
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\n", "c\n"));
  EXPECT_EQ(state().bytes_lost, 3u);
}

TEST_F(TailerSwitchTest, RotationCostsOneListingAndFewStats) {
  for (int i = 0; i < 300; ++i) {  // T35: siblings that are nobody's business
    fs_.Append("/run/other" + std::to_string(i) + ".log", "x");
  }
  fs_.Append(log_, Lines(1, 100));
  Poll();
  Rotate("b\n");
  fs_.ResetCounts();
  Poll();
  EXPECT_EQ(fs_.counts().list, 1u);
  EXPECT_LE(fs_.counts().stat, 3u);
  EXPECT_LE(fs_.counts().all(), 20u);
}

}  // namespace
}  // namespace rlrun
