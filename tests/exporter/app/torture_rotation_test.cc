// What log shippers were reported to get wrong about rotation, truncation and
// the identity of files, T1..T26, here from the file to the exposition. The
// tailer's own tests of the same ids, with injected faults, are in
// tests/exporter/tail.
#include "tests/exporter/app/torture_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using RotationTorture = Torture;

TEST_P(RotationTorture, T1_UnreadableForTwoSecondsAfterRotation) {
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  world_->Rename("exp.log", "exp.log.1");
  world_->Append("exp.log", Steps(2));
  world_->SetReadable("exp.log", false);
  ReadThrough(0.5, 2, 0.5);
  EXPECT_EQ(Self("rlrun_exporter_files{outcome=\"unreadable\"}"), "1");
  world_->SetReadable("exp.log", true);
  ReadThrough(10, 20);
  ExpectSteps(2, 2);
  EXPECT_EQ(Self("rlrun_exporter_files{outcome=\"unreadable\"}"), "0");
}

TEST_P(RotationTorture, T2_CopytruncateEverySecond) {
  for (int i = 0; i < 30; ++i) {
    world_->Append("exp.log", Steps(3 * i + 1, 3));
    ReadAt(i);
    world_->CopyTruncate("exp.log", "exp.log.1");
  }
  ReadAt(31);
  ExpectSteps(90, 90);
  EXPECT_EQ(Value("rlrun_rewinds_total"), "0");
}

TEST_P(RotationTorture, T3_TruncatedByShellRedirection) {
  world_->Append("exp.log", Steps(1, 5));
  ReadAt(0);
  world_->Write("exp.log", "");
  ReadAt(1);
  world_->Append("exp.log", Steps(6));
  ReadAt(2);
  ExpectSteps(6, 6);
  EXPECT_EQ(Value("rlrun_exporter_log_truncations_total"), "1");
}

TEST_P(RotationTorture, T4_EditorAddsOneLineToTen) {
  world_->Append("exp.log", Steps(1, 10));
  ReadAt(0);
  world_->Copy("exp.log", "exp.log~");
  world_->Append("exp.log~", Steps(11));
  world_->Rename("exp.log~", "exp.log");
  ReadAt(10);
  ExpectSteps(11, 11);
  EXPECT_EQ(Value("rlrun_rewinds_total"), "0");
}

TEST_P(RotationTorture, T5_CopytruncateThenTenIdleMinutes) {
  for (int i = 0; i < 3; ++i) {
    const double t = 1000 * i;
    world_->Append("exp.log", Steps(2 * i + 1, 2));
    ReadThrough(t, t + 20);
    world_->CopyTruncate("exp.log", "exp.log.1");
    ReadThrough(t + 30, t + 630);
  }
  world_->Append("exp.log", Steps(7));
  ReadThrough(3000, 3010);
  ExpectSteps(7, 7);
}

TEST_P(RotationTorture, T7_HandleOfTheOldFileIsLeft) {
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  for (int i = 2; i < 12; ++i) {
    world_->Rename("exp.log", "exp.log." + std::to_string(i));
    world_->Append("exp.log", Steps(i));
    ReadThrough(10 * i, 10 * i + 9, 3);
    ExpectSteps(i, i);
    EXPECT_EQ(world_->OpenFiles(), 1u);
  }
  EXPECT_EQ(Value("rlrun_exporter_log_rotations_total"), "10");
}

TEST_P(RotationTorture, T8_UnreadableFileCostsNoOtherFile) {
  world_->Append("exp.log", Steps(1));
  world_->Append("other.log", "(TaskRunner pid=7) step:1 - a:0.5\n");
  ReadAt(0);
  world_->Rename("exp.log", "exp.log.1");
  world_->Append("exp.log", Steps(2));
  world_->SetReadable("exp.log", false);
  for (int i = 2; i < 10; ++i) {
    world_->Append("other.log", Steps(i));
    ReadAt(10 * i);
    ExpectSteps(i, i, "other");
  }
  EXPECT_EQ(Self("rlrun_exporter_root_up{root=\"" + world_->root() + "\"}"),
            "1");
  ExpectSteps(1, 1);  // the unreadable one keeps what it had
}

TEST_P(RotationTorture, T9_RunMovedIntoAnotherDirectoryOfTheRoot) {
  world_->Append("run/exp.log", Steps(1, 3));
  ReadAt(0);
  world_->Mkdir("archive");
  world_->Rename("run", "archive/run");
  world_->Append("archive/run/exp.log", Steps(4));
  ReadThrough(10, 200);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  EXPECT_EQ(Value("rlrun_step_a"), "4");
  world_->Append("archive/run/exp.log", Steps(5));
  ReadAt(210);
  ExpectSteps(5, 5);
}

TEST_P(RotationTorture, T10_ParentDirectoryReplaced) {
  world_->Append("run/exp.log", Steps(1, 3));
  ReadAt(0);
  world_->Remove("run");
  ReadAt(10);
  world_->Append("run/exp.log", Steps(4, 2));
  ReadThrough(20, 30);
  ExpectSteps(5, 5);
  world_->Append("run/exp.log", Steps(6));
  ReadAt(40);
  ExpectSteps(6, 6);
}

// Times, and the count of series with theirs, aside: what was seen live has
// another time than what was found.
std::string WithoutTimes(const std::string& text) {
  std::string out;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    const std::string line = text.substr(at, end - at + 1);
    if (line.find("_timestamp_seconds") == line.npos &&
        line.find("_duration_seconds") == line.npos &&
        line.find("rlrun_exporter_series ") == line.npos) {
      out += line;
    }
  }
  return out;
}

TEST_P(RotationTorture, T11_RestartInMidFileEqualsAnUninterruptedRun) {
  for (int i = 0; i < 10; ++i) {
    world_->Append("exp.log",
                   Steps(i + 1) + "progress " + Steps(7).substr(0, 9));
    ReadAt(10 * i);
    const std::string uninterrupted = WithoutTimes(Text());
    std::unique_ptr<App> first = std::move(app_);
    ReadAt(10 * i);
    EXPECT_EQ(WithoutTimes(Text()), uninterrupted);
    if (i % 2 == 0) app_ = std::move(first);
    world_->Append("exp.log", "\n");
  }
  ExpectSteps(10, 10);
}

TEST_P(RotationTorture, T12_BytesReadAreBytesWritten) {
  std::size_t written = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string text = Steps(10 * i + 1, 10);
    world_->Append("exp.log", text);
    written += text.size();
    ReadThrough(100 * i, 100 * i + 90);
    if (i % 3 == 0) world_->Rename("exp.log", "exp.log.1");
    if (i % 3 == 1) world_->CopyTruncate("exp.log", "exp.log.1");
  }
  ReadThrough(2000, 2100);
  EXPECT_EQ(Value("rlrun_exporter_log_bytes_read_total"),
            std::to_string(written));
  ExpectSteps(200, 200);
}

TEST_P(RotationTorture, T13_GoesOnAfterATruncationToTheMiddle) {
  world_->Append("exp.log", Steps(1, 9));
  ReadAt(0);
  world_->Truncate("exp.log", Steps(1, 4).size());
  ReadAt(10);
  for (int i = 5; i < 8; ++i) {
    world_->Append("exp.log", Steps(i));
    ReadAt(10 * i);
    EXPECT_EQ(Value("rlrun_step_a"), std::to_string(i));
  }
  EXPECT_EQ(Value("rlrun_exporter_log_truncations_total"), "1");
  EXPECT_EQ(Lines("step"), "16");  // nine, the four again, three
}

TEST_P(RotationTorture, T14_TruncatedAndGrownPastTheOffset) {
  world_->Append("exp.log", Steps(1, 3));
  ReadAt(0);
  world_->Write("exp.log", Steps(4, 8));
  ReadAt(10);
  ExpectSteps(11, 11);
  // The same while nobody looks.
  app_.reset();
  world_->Write("exp.log", Steps(20, 30));
  ReadAt(20);
  ExpectSteps(49, 30);
}

TEST_P(RotationTorture, T15_SameNumberAndSameFirstBytesAreAnotherText) {
  world_->Append("exp.log", Banner() + Steps(1, 3));
  ReadAt(0);
  world_->Remove("exp.log");
  ReadAt(10);
  world_->Append("exp.log", Banner() + Steps(4, 9));
  ReadThrough(20, 30);
  ExpectSteps(12, 12);
}

TEST_P(RotationTorture, T16_TwoLogsWithTheSameFirstKilobyte) {
  world_->Append("one.log", Banner() + Steps(1, 3));
  world_->Append("two.log", Banner() + Steps(4, 4));
  ReadAt(0);
  world_->Append("one.log", Steps(10));
  world_->Append("two.log", Steps(20));
  ReadAt(10);
  ExpectSteps(10, 4, "one");
  ExpectSteps(20, 5, "two");
}

TEST_P(RotationTorture, T17_HundredEmptyFilesFilledOneByOne) {
  const auto name = [](int i) { return "run" + std::to_string(i); };
  for (int i = 100; i < 200; ++i) world_->Append(name(i) + ".log", "");
  ReadAt(0);
  EXPECT_THAT(Runs(), IsEmpty());
  for (int i = 100; i < 200; ++i) {
    world_->Append(name(i) + ".log", Steps(i));
    ReadAt(10 * (i - 99));
    EXPECT_EQ(Runs().size(), static_cast<std::size_t>(i - 99));
    ExpectSteps(i, 1, name(i));
  }
}

TEST_P(RotationTorture, T18_TwoRunsOfOneScript) {
  for (const char* run : {"a", "b"}) {
    world_->Append(std::string(run) + "/" + run + "-7b.log", Banner());
  }
  ReadAt(0);
  world_->Append("a/a-7b.log", Steps(1, 2));
  world_->Append("b/b-7b.log", Steps(3, 4));
  ReadAt(10);
  EXPECT_THAT(Runs(), ElementsAre("a-7b", "b-7b"));
  ExpectSteps(2, 2, "a-7b");
  ExpectSteps(6, 4, "b-7b");
}

TEST_P(RotationTorture, T19_CopytruncateAndTheSameBannerAgain) {
  world_->Append("exp.log", Banner() + Steps(1, 3));
  ReadAt(0);
  world_->CopyTruncate("exp.log", "exp.log.1");
  world_->Append("exp.log", Banner() + Steps(4, 5));
  ReadAt(10);
  ExpectSteps(8, 8);
}

TEST_P(RotationTorture, T20_FirstBytesGrowWithTheFile) {
  const std::string text = "\n" + Banner(200) + Steps(1, 60);
  for (std::size_t at = 0; at < text.size(); at += 7) {
    world_->Append("exp.log", text.substr(at, 7));
    ReadAt(static_cast<double>(at));
  }
  ExpectSteps(60, 60);
  EXPECT_EQ(Value("rlrun_exporter_log_bytes_read_total"),
            std::to_string(text.size()));
}

TEST_P(RotationTorture, T21_CompressedCopyIsNoRun) {
  world_->Append("exp.log", Steps(1));
  world_->Append("exp.log.1.gz", "\x1f\x8b" + Steps(1));
  world_->Append("exp-20260101.log.zst", Steps(1));
  ReadThrough(0, 100);
  EXPECT_THAT(Runs(), ElementsAre("exp"));
  ExpectSteps(1, 1);
  EXPECT_EQ(Self("rlrun_exporter_files{outcome=\"side_file\"}"), "2");
}

TEST_P(RotationTorture, T22_DeletedAndCreatedAgainAndAgain) {
  int step = 0;
  for (int i = 0; i < 20; ++i) {
    world_->Append("exp.log", Steps(step + 1, i + 1));
    step += i + 1;
    ReadThrough(100 * i, 100 * i + 10);
    ExpectSteps(step, step);
    world_->Remove("exp.log");
    if (i % 2 == 0) ReadAt(100 * i + 20);
  }
}

TEST_P(RotationTorture, T23_MegabyteWrittenAndRotatedAtOnce) {
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  world_->Append("exp.log", Steps(2, 40000));
  world_->Rename("exp.log", "exp.log.1");
  world_->Append("exp.log", Steps(40002));
  ReadThrough(10, 20);
  ExpectSteps(40002, 40002);
}

TEST_P(RotationTorture, T24_LinesBetweenRenameAndReopen) {
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  world_->Append("exp.log", Steps(2));
  world_->Rename("exp.log", "exp.log.1");
  ReadAt(10);
  world_->Append("exp.log.1", Steps(3));  // the writer has not noticed yet
  ReadAt(20);
  world_->Append("exp.log.1", Steps(4));
  world_->Append("exp.log", Steps(5));
  ReadThrough(30, 40);
  ExpectSteps(5, 5);
}

TEST_P(RotationTorture, T25_CopytruncateBehindASymlink) {
  world_->Append("data/.exp-0", Steps(1, 2));
  world_->Symlink("data/.exp-0", "exp.log");
  for (int i = 1; i < 6; ++i) {
    ReadAt(10 * i);
    world_->CopyTruncate("data/.exp-0", "data/.exp-0.1");
    world_->Append("data/.exp-0", Steps(2 * i + 1, 2));
  }
  ReadAt(60);
  ASSERT_EQ(Runs().size(), 1u);
  ExpectSteps(12, 12, Runs()[0]);
}

TEST_P(RotationTorture, T26_DeletedFileIsNotReadForEver) {
  world_->Append("other.log", Steps(100));
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  world_->Remove("exp.log");
  ReadThrough(10, 200);
  EXPECT_THAT(Runs(), ElementsAre("other"));
  EXPECT_EQ(world_->OpenFiles(), 1u);
  world_->Append("exp.log", Steps(7));
  ReadThrough(210, 220);
  EXPECT_THAT(Runs(), ElementsAre("exp", "other"));
  ExpectSteps(7, 1);
}

INSTANTIATE_TEST_SUITE_P(On, RotationTorture, EveryPlace(), PlaceName);

}  // namespace
}  // namespace rlrun
