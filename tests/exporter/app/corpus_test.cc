// Public logs, read once as `once --at` does: how each of them ended. Skipped
// where there is no copy of them: RLRUN_CORPUS names the folder, else it lies
// beside the source tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/exposition/exposition.h"
#include "exporter/tail/real_file_source.h"

namespace rlrun {
namespace {

using testing::HasSubstr;

constexpr double kMinute = 60;
constexpr double kHour = 3600;

std::string Corpus() {
  const char* folder = std::getenv("RLRUN_CORPUS");
  return folder != nullptr ? folder : "../shared/corpus";
}

class CorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    SetupLog("error", "logfmt");
    if (!std::filesystem::is_directory(Corpus())) {
      GTEST_SKIP() << "no public logs in " << Corpus();
    }
  }
  // The only run of that log, `seconds` behind its last write; false: there is
  // no such log, or other runs in it.
  bool Read(const std::string& log, double seconds) {
    const std::string path = Corpus() + "/" + log;
    FileStat stat;
    if (!source_.Stat(path, &stat).ok()) {
      ADD_FAILURE() << path << " is missing";
      return false;
    }
    Config config;
    RootOptions root;
    root.path = path;
    config.roots.push_back(root);
    AppOptions options;
    options.age_limits = false;
    App app(config, options, &source_);
    const Now now{1, static_cast<double>(stat.mtime_ns) * 1e-9 + seconds};
    app.ReadInline(now);
    const auto reports = app.Reports(now);
    EXPECT_EQ(reports.size(), 1u) << log;
    if (reports.size() != 1) return false;
    report_ = reports[0];
    kinds_ = ErrorKinds(app);
    return true;
  }
  std::string State() const {
    return std::string(kRunStateNames[static_cast<std::size_t>(report_.state)]);
  }
  // What the crash rests on; empty: it has not crashed.
  std::string Crash() const {
    for (const Finding& finding : report_.findings) {
      if (finding.name == "trainer_crash" && !finding.evidence.empty()) {
        return finding.evidence[0].key.str();
      }
    }
    return "";
  }

  RealFileSource source_;
  RunReport report_;
  std::string kinds_;  // of errors that were counted, with a blank behind each

 private:
  static std::string ErrorKinds(const App& app) {
    std::string text, kinds;
    AppendBlocks(&text, app.snapshot()->blocks, TextFormat::kText004);
    for (const std::string_view kind : kLogErrorKindNames) {
      const std::string label = ",kind=\"" + std::string(kind) + "\"} ";
      const std::size_t at = text.find(label);
      if (at == std::string::npos || text[at + label.size()] == '0') continue;
      kinds += std::string(kind) + " ";
    }
    return kinds;
  }
};

TEST_F(CorpusTest, FullDiskIsNamedAndNotItsEchoes) {
  ASSERT_TRUE(Read("verl/crash-disk-full.log", kMinute));
  EXPECT_EQ(State(), "failed");
  EXPECT_EQ(Crash(), "disk_full");
}

TEST_F(CorpusTest, ActorDeathIsNamedAndNotTheEchoOfNccl) {
  ASSERT_TRUE(Read("failures/08-nccl-watchdog-after-actor-death.txt", kMinute));
  EXPECT_EQ(State(), "failed");
  EXPECT_EQ(Crash(), "actor_died");
  EXPECT_THAT(report_.headline, HasSubstr("A worker died"));
}

TEST_F(CorpusTest, WrapperThatSaysDoneHidesNoOutOfMemory) {
  const std::string log = "failures/10-ray-oom-but-wrapper-says-done.txt";
  ASSERT_TRUE(Read(log, kMinute));
  EXPECT_NE(State(), "finished");
  ASSERT_TRUE(Read(log, 6 * kMinute));
  EXPECT_EQ(State(), "failed");
  EXPECT_EQ(Crash(), "host_oom");
}

TEST_F(CorpusTest, KeyboardInterruptIsNoCrash) {
  ASSERT_TRUE(Read("failures/26-keyboard-interrupt-mid-run.txt", kHour));
  EXPECT_EQ(State(), "interrupted");
  EXPECT_EQ(Crash(), "");
}

// A model that writes bad tool calls is a fact of its own, and no error that
// would stop the run.
TEST_F(CorpusTest, HealthyLogsHaveNoErrors) {
  for (const char* log :
       {"verl/np-float64-cut-at-4096.output.log", "verl/resume-from-100.log",
        "verl/sft-keys-with-parentheses.log", "verl/sync-ppo-critic.log",
        "verl/task-runner-v1-grpo.log"}) {
    SCOPED_TRACE(log);
    ASSERT_TRUE(Read(log, kMinute));
    EXPECT_THAT(kinds_, testing::AnyOf("", "tool_parser "));
    EXPECT_NE(report_.health, Health::kCritical);
    EXPECT_EQ(Crash(), "");
  }
}

TEST_F(CorpusTest, LogThatSimplyEndsIsLostSixHoursLater) {
  for (const char* log :
       {"verl/np-float64-cut-at-4096.output.log", "verl/resume-from-100.log",
        "verl/task-runner-v1-grpo.log",
        "failures/01-collapse-to-one-token.txt"}) {
    SCOPED_TRACE(log);
    ASSERT_TRUE(Read(log, 6 * kHour - 1));
    EXPECT_NE(State(), "lost");
    ASSERT_TRUE(Read(log, 6 * kHour));
    EXPECT_EQ(State(), "lost");
  }
}

// The copy was made months after the run.
TEST_F(CorpusTest, CopyRanUntilItsLastStamp) {
  ASSERT_TRUE(Read("verl/task-runner-v1-grpo.log", 7 * kHour));
  ASSERT_TRUE(report_.running_seconds);
  EXPECT_NEAR(*report_.running_seconds, 11.4 * kHour, 0.1 * kHour);
}

}  // namespace
}  // namespace rlrun
