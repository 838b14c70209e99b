// T43: no descriptor is left. What cannot be opened is counted and tried again,
// and no line is lost.
#include <gmock/gmock.h>

#include <cerrno>

#include "tests/exporter/app/app_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using Call = InMemoryFileSource::Call;
using DescriptorTorture = AppFixture;

constexpr const char* kLines =
    "rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"}";

TEST_F(DescriptorTorture, T43_NoDescriptorAtFirst) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  files_.Write("/r/other.log", Step(5, "a:5"));
  files_.Fail(Call::kOpen, "/r/exp.log", EMFILE, 3);
  ReadAt(0);
  EXPECT_EQ(Files("unreadable"), "1");
  EXPECT_THAT(Runs(), ElementsAre("other"));
  files_.Append("/r/exp.log", Step(2, "a:2"));
  ReadThrough(10, 60);
  EXPECT_EQ(Files("unreadable"), "0");
  EXPECT_EQ(Value(kLines), "2");
  EXPECT_EQ(Value("rlrun_step_a{run=\"exp\"}"), "2");
}

TEST_F(DescriptorTorture, T43_NoDescriptorForAClosedFileThatGrows) {
  config_.tail.max_open_files = 0;  // closed behind every turn
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(0);
  EXPECT_EQ(files_.open_files(), 0u);
  for (int i = 0; i < 5; ++i) {
    files_.Append("/r/exp.log", Step(2 * i + 2, "a:2"));
    files_.Fail(Call::kOpen, "/r/exp.log", i % 2 == 0 ? EMFILE : ENFILE);
    ReadAt(60 * i + 10);
    EXPECT_EQ(Files("unreadable"), "1");
    files_.Append("/r/exp.log", Step(2 * i + 3, "a:3"));
    files_.ClearFaults("/r/exp.log");
    ReadThrough(60 * i + 20, 60 * i + 30);
    EXPECT_EQ(Files("unreadable"), "0");
    EXPECT_EQ(Value(kLines), std::to_string(2 * i + 3));
  }
  EXPECT_EQ(Value("rlrun_rewinds_total{run=\"exp\"}"), "0");
}

TEST_F(DescriptorTorture, T43_NoDescriptorForTheNewFileOfARotation) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(0);
  files_.Append("/r/exp.log", Step(2, "a:2"));
  files_.Rename("/r/exp.log", "/r/exp.log.1");
  files_.Write("/r/exp.log", Step(3, "a:3"));
  files_.Fail(Call::kOpen, "/r/exp.log", EMFILE, 2);
  ReadThrough(10, 60);
  EXPECT_EQ(Value(kLines), "3");
  EXPECT_EQ(Files("unreadable"), "0");
}

TEST_F(DescriptorTorture, T43_NoDescriptorToListTheRoot) {
  files_.Write("/r/exp.log", Step(1, "a:1"));
  ReadAt(0);
  files_.Fail(Call::kList, "/r", EMFILE, 4);
  files_.Append("/r/exp.log", Step(2, "a:2"));
  ReadAt(10);
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/r\"}"), "0");
  EXPECT_EQ(Value(kLines), "2");  // what is known is read on
  ReadThrough(20, 100);
  EXPECT_EQ(Value("rlrun_exporter_root_up{root=\"/r\"}"), "1");
  EXPECT_THAT(Runs(), ElementsAre("exp"));
}

}  // namespace
}  // namespace rlrun
