// The real file system: calls, kinds of files, errors, and the tailer on it.
#include "exporter/tail/real_file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "exporter/tail/tailer.h"
#include "tests/support/recording_sink.h"
#include "tests/support/root_rights.h"
#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

void Append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}
void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

class RealFileSourceTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  RealFileSource source_;
};

TEST_F(RealFileSourceTest, StatTellsSizeTimeAndLinks) {
  Append(folder_ / "a", "12345");
  fs::create_hard_link(folder_ / "a", folder_ / "b");
  FileStat stat, twin;
  ASSERT_TRUE(source_.Stat(folder_ / "a", &stat).ok());
  ASSERT_TRUE(source_.Stat(folder_ / "b", &twin).ok());
  EXPECT_EQ(stat.kind, FileKind::kRegular);
  EXPECT_EQ(stat.size, 5u);
  EXPECT_EQ(stat.links, 2u);
  EXPECT_EQ(stat.id, twin.id);
  EXPECT_GT(stat.mtime_ns, 1600000000000000000);
}

TEST_F(RealFileSourceTest, MissingIsNotDeniedIsNotALoop) {
  FileStat stat;
  EXPECT_EQ(source_.Stat(folder_ / "a", &stat).code, IoCode::kNotFound);
  Append(folder_ / "a", "x");
  EXPECT_EQ(source_.Stat(folder_ / "a/b", &stat).code, IoCode::kNotFound);
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_EQ(source_.Stat(folder_ / "loop", &stat).code, IoCode::kLoop);
  EXPECT_EQ(source_.Stat(folder_ / std::string(300, 'x'), &stat).code,
            IoCode::kError);
}

TEST_F(RealFileSourceTest, ListTellsKindsOfTheEntriesThemselves) {
  Append(folder_ / "file", "x");
  fs::create_directory(folder_ / "dir");
  fs::create_symlink("file", folder_ / "link");
  fs::create_symlink("nowhere", folder_ / "dangling");
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  std::vector<DirEntry> entries = {{"stale", FileKind::kOther}};
  ASSERT_TRUE(source_.List(folder_.path(), &entries).ok());
  std::vector<std::pair<std::string, FileKind>> got;
  for (const DirEntry& e : entries) got.emplace_back(e.name, e.kind);
  using P = std::pair<std::string, FileKind>;
  EXPECT_THAT(got, UnorderedElementsAre(P("file", FileKind::kRegular),
                                        P("dir", FileKind::kDirectory),
                                        P("link", FileKind::kSymlink),
                                        P("dangling", FileKind::kSymlink),
                                        P("fifo", FileKind::kOther)));
}

TEST_F(RealFileSourceTest, ListOfAFileOrNothingFails) {
  std::vector<DirEntry> entries;
  Append(folder_ / "file", "x");
  EXPECT_EQ(source_.List(folder_ / "file", &entries).code, IoCode::kNotFound);
  EXPECT_EQ(source_.List(folder_ / "gone", &entries).code, IoCode::kNotFound);
}

// T49
TEST_F(RealFileSourceTest, T49_NamesOfAnyBytes) {
  const std::string name = "a [x]=,*?\xff\xfe\n'\"";
  Append(folder_ / name, "x");
  std::vector<DirEntry> entries;
  ASSERT_TRUE(source_.List(folder_.path(), &entries).ok());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, name);
}

TEST_F(RealFileSourceTest, OpenReadsAtOffsetsAndOutlivesTheName) {
  Append(folder_ / "a", "0123456789");
  std::unique_ptr<OpenFile> file;
  ASSERT_TRUE(source_.Open(folder_ / "a", &file).ok());
  fs::remove(folder_ / "a");
  char buffer[16];
  std::size_t got = 0;
  ASSERT_TRUE(file->Read(7, buffer, sizeof buffer, &got).ok());
  EXPECT_EQ(std::string(buffer, got), "789");
  ASSERT_TRUE(file->Read(10, buffer, sizeof buffer, &got).ok());
  EXPECT_EQ(got, 0u);
  FileStat stat;
  ASSERT_TRUE(file->Stat(&stat).ok());
  EXPECT_EQ(stat.links, 0u);
}

TEST_F(RealFileSourceTest, OnlyRegularFilesAreOpened) {
  std::unique_ptr<OpenFile> file;
  EXPECT_EQ(source_.Open(folder_.path(), &file).error, EISDIR);
  ASSERT_EQ(::mkfifo((folder_ / "train.log").c_str(), 0600), 0);
  EXPECT_EQ(source_.Open(folder_ / "train.log", &file).error, ESPIPE);
  EXPECT_EQ(source_.Open("/dev/null", &file).error, ESPIPE);
  EXPECT_EQ(source_.Open(folder_ / "gone", &file).code, IoCode::kNotFound);
  EXPECT_EQ(file, nullptr);
}

TEST_F(RealFileSourceTest, UnreadableIsDenied) {
  Append(folder_ / "a", "x");
  ASSERT_EQ(::chmod((folder_ / "a").c_str(), 0), 0);
  const WithoutRootRights guard;
  std::unique_ptr<OpenFile> file;
  EXPECT_EQ(source_.Open(folder_ / "a", &file).code, IoCode::kDenied);
}

// T43
TEST_F(RealFileSourceTest, T43_NoDescriptorLeft) {
  Append(folder_ / "a", "x");
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "this sanitizer needs descriptors itself";
#endif
  std::unique_ptr<OpenFile> file;
  std::vector<DirEntry> entries;
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit none = {0, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const IoStatus open = source_.Open(folder_ / "a", &file);
  const IoStatus list = source_.List(folder_.path(), &entries);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_EQ(open.code, IoCode::kTooManyFiles);
  EXPECT_EQ(list.code, IoCode::kTooManyFiles);
}

TEST_F(RealFileSourceTest, CanonicalFollowsLinksAndGivesBackWhatIsMissing) {
  fs::create_directory(folder_ / "run");
  Append(folder_ / "run/a", "x");
  fs::create_symlink("run", folder_ / "latest");
  const std::string real = fs::canonical(folder_ / "run/a").string();
  EXPECT_EQ(source_.Canonical(folder_ / "latest/../latest/a"), real);
  EXPECT_EQ(source_.Canonical(folder_ / "gone/a"), folder_ / "gone/a");
}

// T39
TEST(NetworkFileSystemTest, T39_ByTheNumberOfStatfs) {
  EXPECT_TRUE(IsNetworkFileSystem(0x6969));      // NFS
  EXPECT_TRUE(IsNetworkFileSystem(0x0BD00BD0));  // Lustre
  EXPECT_TRUE(IsNetworkFileSystem(0x65735546));  // FUSE
  // As a signed 32-bit f_type comes out of the kernel.
  EXPECT_TRUE(
      IsNetworkFileSystem(static_cast<unsigned long>(int{-11317950})));  // CIFS
  EXPECT_FALSE(IsNetworkFileSystem(0xEF53));                             // ext4
  EXPECT_FALSE(IsNetworkFileSystem(0x01021994));  // tmpfs
  EXPECT_FALSE(IsNetworkFileSystem(0x794C7630));  // overlayfs
  RealFileSource source;
  EXPECT_FALSE(source.IsNetwork("/dev"));
  EXPECT_FALSE(source.IsNetwork("/no/such/place"));
}

// The tailer on a disk and on a tmpfs, which uses inode numbers differently.
class RealTailTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string parent = GetParam();
    if (!fs::is_directory(parent) || ::access(parent.c_str(), W_OK) != 0) {
      GTEST_SKIP() << parent << " cannot be written to";
    }
    folder_ = std::make_unique<TempFolder>(parent);
    log_ = *folder_ / "train.log";
    tailer_ = std::make_unique<Tailer>(log_, TailOptions{});
  }
  TailOutcome Poll(double seconds = 1) {
    now_ += seconds;
    return tailer_->Poll(source_, now_, 1u << 30, &sink_);
  }

  std::unique_ptr<TempFolder> folder_;
  RealFileSource source_;
  RecordingSink sink_;
  std::string log_;
  std::unique_ptr<Tailer> tailer_;
  double now_ = 1000;
};

TEST_P(RealTailTest, Appends) {
  EXPECT_EQ(Poll(), TailOutcome::kGone);
  std::string all;
  for (int i = 0; i < 20; ++i) {
    const std::string text(static_cast<std::size_t>(1 + i * i * 1000), 'a');
    Append(log_, text + "\n");
    all += text + "\n";
    EXPECT_EQ(Poll(), TailOutcome::kRead);
    EXPECT_EQ(Poll(), TailOutcome::kIdle);
  }
  EXPECT_EQ(sink_.all(), all);
}

TEST_P(RealTailTest, T7_RotationByRename) {
  Append(log_, "a\n");
  Poll();
  Append(log_, "b\n");
  fs::rename(log_, log_ + ".1");
  Append(log_, "c\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kRotated));
}

TEST_P(RealTailTest, RotationWhileClosed) {
  Append(log_, "a\n");
  Poll();
  tailer_->Close();
  Append(log_, "b\n");
  fs::rename(log_, log_ + ".1");
  Append(log_, "c\n");
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\nb\n", "c\n"));
}

TEST_P(RealTailTest, T2_CopyTruncate) {
  Append(log_, "a\nb\n");
  Poll();
  fs::copy_file(log_, log_ + ".1");
  fs::resize_file(log_, 0);
  Append(log_, "a longer text than before\n");
  Poll();
  EXPECT_THAT(sink_.texts,
              ElementsAre("a\nb\n", "a longer text than before\n"));
  EXPECT_THAT(sink_.reasons, ElementsAre(RestartReason::kTruncated));
}

TEST_P(RealTailTest, T3_Truncation) {
  Append(log_, "a\nhalf");
  Poll();
  Write(log_, "");
  Poll();
  Append(log_, "b\n");
  Poll();
  EXPECT_THAT(sink_.lines, ElementsAre("a", "b"));
}

TEST_P(RealTailTest, T22_DeletedAndRecreated) {
  for (int i = 0; i < 20; ++i) {  // numbers are used again here, or not
    if (i % 3 == 0) tailer_->Close();
    const std::string text = "run " + std::to_string(i) + "\n" +
                             std::string(static_cast<std::size_t>(i % 5), 'x');
    fs::remove(log_);
    if (i % 2 == 0) Poll(60);
    Append(log_, text);
    Poll();
    EXPECT_EQ(sink_.text(), text);
  }
}

TEST_P(RealTailTest, T4_RewrittenByRename) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n";
  Append(log_, text);
  Poll();
  Append(log_ + ".tmp", text + "one more\n");
  fs::rename(log_ + ".tmp", log_);
  Poll();
  EXPECT_EQ(sink_.all(), text + "one more\n");
  EXPECT_THAT(sink_.reasons, IsEmpty());
}

TEST_P(RealTailTest, T50_SymlinkPointedElsewhere) {
  Append(*folder_ / "run1.log", "a\n");
  Append(*folder_ / "run2.log", "b\n");
  fs::create_symlink("run1.log", log_);
  Poll();
  fs::create_symlink("run2.log", log_ + ".new");
  fs::rename(log_ + ".new", log_);
  Poll();
  EXPECT_THAT(sink_.texts, ElementsAre("a\n", "b\n"));
}

TEST_P(RealTailTest, T1_Unreadable) {
  const WithoutRootRights guard;
  Append(log_, "a\n");
  ASSERT_EQ(::chmod(log_.c_str(), 0), 0);
  EXPECT_EQ(Poll(), TailOutcome::kUnreadable);
  ASSERT_EQ(::chmod(log_.c_str(), 0600), 0);
  EXPECT_EQ(Poll(), TailOutcome::kRead);
}

const std::string& DiskFolder() {
  static const std::string path = fs::temp_directory_path().string();
  return path;
}

INSTANTIATE_TEST_SUITE_P(Disk, RealTailTest,
                         ::testing::Values(DiskFolder().c_str()));
INSTANTIATE_TEST_SUITE_P(Tmpfs, RealTailTest, ::testing::Values("/dev/shm"));

}  // namespace
}  // namespace rlrun
