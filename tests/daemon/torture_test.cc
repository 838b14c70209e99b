// Reported troubles of log shippers that need the real binary: descriptors,
// file systems without notifications, files of positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"

namespace rlrun::daemon {
namespace {

using ::testing::Optional;

std::string Step(int step) {
  const std::string n = std::to_string(step);
  return "(TaskRunner pid=7) step:" + n + " - k:" + n + "\n";
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++n) ++at;
  return n;
}

class Descriptors : public ::testing::Test {
 protected:
  // `files` logs; waits until each shows its first step, then its second.
  void Follow(int files, bool each_a_root) {
    std::vector<std::string> roots;
    for (int i = 0; i < files; ++i) {
      WriteFile(Log(i), Step(1));
      if (each_a_root) roots.push_back(Log(i));
    }
    if (!each_a_root) roots.push_back(dir_.path());
    ExporterProcess exporter(roots, WithDescriptors(64));
    const auto all_show = [&](int step) {
      const std::string part = ",line=\"train\"} " + std::to_string(step);
      return WaitUntil([&] {
        return !exporter.Running() || Count(exporter.Metrics(), part) ==
                                          static_cast<std::size_t>(files);
      });
    };
    EXPECT_TRUE(all_show(1));
    for (int i = 0; i < files; ++i) AppendFile(Log(i), Step(2));
    EXPECT_TRUE(all_show(2));
    ASSERT_TRUE(exporter.Running()) << exporter.Err();
    const std::string metrics = exporter.Metrics();
    constexpr char kFiles[] = "rlrun_exporter_files";
    EXPECT_THAT(SampleValue(metrics, "rlrun_exporter_runs"), Optional(files));
    EXPECT_THAT(SampleValue(metrics, kFiles, "outcome=\"run\""),
                Optional(files));
    EXPECT_THAT(SampleValue(metrics, kFiles, "outcome=\"unreadable\""),
                Optional(0));
    EXPECT_EQ(Count(metrics, "outcome=\"step\"} 2\n"),
              static_cast<std::size_t>(files));  // each line once
    EXPECT_THAT(SampleValue(metrics, "process_max_fds"), Optional(64));
    exporter.Signal(SIGTERM);
    EXPECT_THAT(exporter.Wait(), Optional(0)) << exporter.Err();
  }

  std::string Log(int i) const {
    return dir_.File("r" + std::to_string(1000 + i) + ".log");
  }
  const TempDir dir_;
};

TEST_F(Descriptors, T43_FiveHundredFilesWithSixtyFour) { Follow(500, false); }

TEST_F(Descriptors, T43_HundredRootsWithSixtyFour) { Follow(100, true); }

TEST(Polling, AppendedLineIsShownWithoutInotify) {
  const TempDir dir;
  WriteFile(dir.File("logs.log"), Step(1));
  WriteFile(dir.File("config.yaml"),
            "roots:\n- path: " + dir.path() + "\npoll: {inotify: false}\n");
  ExporterProcess exporter({"--config.file=" + dir.File("config.yaml")});
  ASSERT_TRUE(exporter.WaitForSample("rlrun_step_k", 1)) << exporter.Err();
  for (int step = 2; step < 5; ++step) {
    AppendFile(dir.File("logs.log"), Step(step));
    EXPECT_TRUE(WaitUntil(
        [&] { return SampleValue(exporter.Metrics(), "rlrun_step_k") == step; },
        10));
  }
}

// What the files say, without clocks and what only this process did.
std::string OfFiles(const std::string& metrics) {
  std::string out;
  for (std::size_t at = 0, end; at < metrics.size(); at = end + 1) {
    end = metrics.find('\n', at);
    const std::string line = metrics.substr(at, end - at + 1);
    if (line.starts_with("rlrun_") && line.find("_seconds") == line.npos) {
      out += line;
    }
  }
  return out;
}

std::map<std::string, std::string> Contents(const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory)) {
    all[entry.path().native()] =
        entry.is_regular_file() ? ReadFile(entry.path().native()) : "";
  }
  return all;
}

TEST(Positions, T61_JunkBesideTheLogAndInTheWorkingDirectoryChangesNothing) {
  const TempDir logs;
  const TempDir work;
  WriteFile(logs.File("sums.log"), Step(1) + Step(2));
  std::string first;
  for (int restart = 0; restart < 3; ++restart) {
    const auto before = Contents(work.path());
    ExporterProcess exporter({logs.path()}, InDirectory(work.path()));
    ASSERT_TRUE(exporter.WaitForSample("rlrun_step_k", 2)) << exporter.Err();
    const std::string text = OfFiles(exporter.Metrics());
    if (restart == 0) first = text;
    EXPECT_EQ(text, first);
    exporter.Signal(restart == 1 ? SIGKILL : SIGTERM);
    exporter.Wait();
    EXPECT_EQ(Contents(work.path()), before);  // and it writes none itself
    for (const TempDir* dir : {&logs, &work}) {
      WriteFile(dir->File("positions.yaml"), "positions:\n  sums.log: \"");
      WriteFile(dir->File("sums.log.pos"), "");
      WriteFile(dir->File("checkpoint"), std::string("\0\xff\x01", 3));
    }
  }
}

}  // namespace
}  // namespace rlrun::daemon
