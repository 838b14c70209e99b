// The twin must behave like the real file system where the other tests rely on
// it.
#include "tests/support/in_memory_file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using Call = InMemoryFileSource::Call;

std::string Read(OpenFile& file) {
  std::string text(100, '\0');
  std::size_t got = 0;
  EXPECT_TRUE(file.Read(0, text.data(), text.size(), &got).ok());
  text.resize(got);
  return text;
}

TEST(InMemoryFileSourceTest, OpenFileOutlivesItsNameAndKeepsItsNumber) {
  InMemoryFileSource fs;
  fs.ReuseInodes(true);
  fs.Write("/a", "text");
  const FileId id = fs.StatOf("/a").id;
  std::unique_ptr<OpenFile> file;
  ASSERT_TRUE(fs.Open("/a", &file).ok());
  fs.Remove("/a");
  fs.Write("/a", "other");
  EXPECT_NE(fs.StatOf("/a").id, id);
  EXPECT_EQ(Read(*file), "text");
  FileStat stat;
  ASSERT_TRUE(file->Stat(&stat).ok());
  EXPECT_EQ(stat.links, 0u);
  file.reset();
  fs.Write("/b", "");
  EXPECT_EQ(fs.StatOf("/b").id, id);
}

TEST(InMemoryFileSourceTest, HardLinksAndRenames) {
  InMemoryFileSource fs;
  fs.Write("/dir/a", "text");
  fs.Link("/dir/a", "/dir/b");
  EXPECT_EQ(fs.StatOf("/dir/a").links, 2u);
  fs.Rename("/dir", "/moved");
  fs.Append("/moved/a", "more");
  EXPECT_EQ(fs.Content("/moved/b"), "textmore");
  FileStat stat;
  EXPECT_EQ(fs.Stat("/dir/a", &stat).code, IoCode::kNotFound);
  EXPECT_EQ(fs.Stat("/moved/a/x", &stat).code, IoCode::kNotFound);
}

TEST(InMemoryFileSourceTest, SymlinksAreFollowedRelativeAndAbsolute) {
  InMemoryFileSource fs;
  fs.Write("/runs/one/log", "1");
  fs.Symlink("one", "/runs/latest");
  fs.Symlink("/runs/latest/../one/log", "/log");
  EXPECT_EQ(fs.Content("/runs/latest/log"), "1");
  EXPECT_EQ(fs.Canonical("/log"), "/runs/one/log");
  std::vector<DirEntry> entries;
  ASSERT_TRUE(fs.List("/runs", &entries).ok());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].kind, FileKind::kSymlink);
}

TEST(InMemoryFileSourceTest, FaultsComeAsOftenAsAskedFor) {
  InMemoryFileSource fs;
  fs.Write("/a", "");
  fs.Fail(Call::kStat, "/a", EIO, 2);
  FileStat stat;
  EXPECT_EQ(fs.Stat("/a", &stat).error, EIO);
  EXPECT_EQ(fs.Stat("/a", &stat).error, EIO);
  EXPECT_TRUE(fs.Stat("/a", &stat).ok());
  EXPECT_EQ(fs.counts().stat, 3u);
}

// T40
TEST(InMemoryFileSourceTest, BlockedCallWaitsForItsRelease) {
  InMemoryFileSource fs;
  fs.Write("/mount/a", "");
  fs.Block("/mount");
  FileStat stat;
  std::thread reader([&] { EXPECT_TRUE(fs.Stat("/mount/a", &stat).ok()); });
  fs.WaitUntilBlocked("/mount");
  FileStat other;
  EXPECT_TRUE(fs.Stat("/", &other).ok());  // other paths go on
  fs.Release("/mount");
  reader.join();
}

TEST(InMemoryFileSourceTest, DevicesAndNetworks) {
  InMemoryFileSource fs;
  fs.Write("/mnt/nfs/a", "");
  fs.SetDevice("/mnt/nfs", 9);
  fs.SetNetwork("/mnt/nfs");
  EXPECT_EQ(fs.StatOf("/mnt/nfs/a").id.device, 9u);
  EXPECT_TRUE(fs.IsNetwork("/mnt/nfs/a"));
  EXPECT_FALSE(fs.IsNetwork("/mnt/nfs2"));
}

TEST(InMemoryFileSourceTest, LoadsARealFolder) {
  TempFolder folder;
  boost::filesystem::create_directories(folder / "run");
  std::ofstream(folder / "run/train.log") << "a\n";
  boost::filesystem::create_symlink("run", folder / "latest");
  InMemoryFileSource fs;
  fs.LoadFolder(folder.path(), "/root");
  EXPECT_EQ(fs.Content("/root/latest/train.log"), "a\n");
}

}  // namespace
}  // namespace rlrun
