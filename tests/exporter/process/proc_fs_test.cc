#include "exporter/process/proc_fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/exporter/process/fake_proc.h"
#include "tests/support/root_rights.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class ProcFsTest : public ::testing::Test {
 protected:
  std::vector<std::int64_t> List() {
    std::vector<ProcFs::Pid> pids;
    EXPECT_EQ(fs_.List(&pids), ProcCode::kOk);
    std::vector<std::int64_t> numbers;
    for (const ProcFs::Pid& pid : pids) numbers.push_back(pid.pid);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  FakeProc proc_;
  ProcFs fs_{proc_.options()};
};

TEST_F(ProcFsTest, OnlyNumbersAreProcesses) {
  proc_.Put(20, {});
  std::filesystem::create_directory(proc_.root() + "/20x");
  std::filesystem::create_directory(proc_.root() + "/sys");
  std::filesystem::create_directory(proc_.root() + "/99999999999999999999");
  EXPECT_THAT(List(), ElementsAre(1, 20));
}

TEST_F(ProcFsTest, WeOurselvesAreLeftOut) {
  proc_.Put(20, {});
  std::filesystem::create_symlink("20", proc_.root() + "/self");
  EXPECT_THAT(List(), ElementsAre(1));
  EXPECT_TRUE(fs_.saw_first());
}

TEST_F(ProcFsTest, WithoutProcessOneOthersAreHidden) {
  proc_.Put(20, {});
  proc_.Remove(1);
  List();
  EXPECT_FALSE(fs_.saw_first());
  // As process 1 of a container we see all there is.
  std::filesystem::create_symlink("1", proc_.root() + "/self");
  List();
  EXPECT_TRUE(fs_.saw_first());
}

TEST_F(ProcFsTest, GoneIsNotDenied) {
  const WithoutRootRights without;
  PidStat stat;
  std::vector<std::string> arguments;
  EXPECT_EQ(fs_.Stat(20, &stat), ProcCode::kGone);
  EXPECT_EQ(fs_.Command(20, &arguments), ProcCode::kGone);
  proc_.Put(20, {.arguments = {"a"}});
  proc_.Deny(20, "cmdline");
  EXPECT_EQ(fs_.Stat(20, &stat), ProcCode::kOk);
  EXPECT_EQ(fs_.Command(20, &arguments), ProcCode::kDenied);
  proc_.Deny(20, "fd");
  std::vector<OpenDescriptor> descriptors;
  bool cut = false;
  EXPECT_EQ(fs_.Descriptors(20, &descriptors, &cut), ProcCode::kDenied);
  std::optional<OpenDescriptor> descriptor;
  EXPECT_EQ(fs_.Descriptor(20, 1, &descriptor), ProcCode::kDenied);
}

TEST_F(ProcFsTest, TextThatIsNoStatIsAFailure) {
  proc_.Put(20, {});
  proc_.Write("20/stat", "nonsense");
  PidStat stat;
  EXPECT_EQ(fs_.Stat(20, &stat), ProcCode::kFailed);
}

TEST_F(ProcFsTest, LongCommandIsCutAtAnArgument) {
  ProcessOptions options = proc_.options();
  options.max_command_bytes = 5000;
  ProcFs fs(options);
  proc_.Put(20, {.arguments = {"python", std::string(4000, 'a'),
                               std::string(4000, 'b')}});
  std::vector<std::string> arguments;
  EXPECT_EQ(fs.Command(20, &arguments), ProcCode::kOk);
  EXPECT_THAT(arguments, ElementsAre("python", std::string(4000, 'a')));
}

TEST_F(ProcFsTest, EnvironmentGivesOnlyWhatIsAskedFor) {
  proc_.Put(20, {.environment = {"TOKEN=secret", "EXP_NAME=e", "PATH=/bin"}});
  std::vector<std::pair<std::string, std::string>> variables;
  EXPECT_EQ(fs_.Environment(20, {"EXP_NAME", "PROJECT_NAME"}, &variables),
            ProcCode::kOk);
  EXPECT_THAT(variables, ElementsAre(Pair("EXP_NAME", "e")));
}

TEST_F(ProcFsTest, DescriptorsAreFilesAndPipesByIdentity) {
  const std::string file = proc_.File("a.log");
  const std::string pipe = proc_.Pipe("pipe");
  proc_.Put(20, {.descriptors = {{0, pipe},
                                 {1, file},
                                 {2, "/dev/null"},
                                 {3, "socket:[1]"},
                                 {4, proc_.root()}}});
  std::vector<OpenDescriptor> descriptors;
  bool cut = true;
  ASSERT_EQ(fs_.Descriptors(20, &descriptors, &cut), ProcCode::kOk);
  EXPECT_FALSE(cut);
  struct stat raw {};
  ASSERT_EQ(::stat(file.c_str(), &raw), 0);
  ASSERT_EQ(descriptors.size(), 2u);
  for (const OpenDescriptor& open : descriptors) {
    if (open.number == 0) {
      EXPECT_EQ(open.kind, OpenDescriptor::Kind::kPipe);
    } else {
      EXPECT_EQ(open.number, 1);
      EXPECT_EQ(open.kind, OpenDescriptor::Kind::kRegular);
      EXPECT_EQ(open.file.inode, raw.st_ino);
      EXPECT_EQ(open.file.device, raw.st_dev);
    }
  }
}

TEST_F(ProcFsTest, DescriptorsAreBounded) {
  ProcessOptions options = proc_.options();
  options.max_fds = 3;
  ProcFs fs(options);
  const std::string file = proc_.File("a.log");
  FakeProc::Process process;
  for (int i = 0; i < 4; ++i) process.descriptors[i] = file;
  proc_.Put(20, process);
  std::vector<OpenDescriptor> descriptors;
  bool cut = false;
  EXPECT_EQ(fs.Descriptors(20, &descriptors, &cut), ProcCode::kOk);
  EXPECT_TRUE(cut);
  EXPECT_EQ(descriptors.size(), 3u);
  process.descriptors.erase(3);
  proc_.Put(20, process);
  EXPECT_EQ(fs.Descriptors(20, &descriptors, &cut), ProcCode::kOk);
  EXPECT_FALSE(cut);
}

TEST_F(ProcFsTest, RootThatIsNotThere) {
  ProcessOptions options;
  options.proc_root = proc_.root() + "/none";
  ProcFs fs(options);
  std::vector<ProcFs::Pid> pids = {{}};
  EXPECT_NE(fs.List(&pids), ProcCode::kOk);
  EXPECT_THAT(pids, IsEmpty());
  EXPECT_EQ(fs.BootTime(), std::nullopt);
  EXPECT_EQ(fs_.BootTime(), static_cast<std::uint64_t>(FakeProc::kBoot));
}

}  // namespace
}  // namespace rlrun
