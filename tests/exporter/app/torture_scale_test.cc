// What watchers of many files were reported to get wrong: T34, T36, T44.
#include <gmock/gmock.h>

#include "tests/exporter/app/app_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ScaleTorture = AppFixture;

std::string Name(int i) { return "r" + std::to_string(10000 + i); }

// Time on a processor is the benchmark's; here are the calls that cost it.
TEST_F(ScaleTorture, T34_IdleRunsCostOneLookPerFileAndDirectory) {
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    const std::string folder = "/r/" + Name(run) + "/";
    files_.Write(folder + Name(run) + ".log", Step(1, "a:1"));
    for (int i = 1; i < 10; ++i) {
      files_.Write(folder + "shard_" + std::to_string(i) + ".pt", "w");
    }
  }
  ReadThrough(0, 600);
  EXPECT_EQ(Runs().size(), static_cast<std::size_t>(kRuns));
  files_.ResetCounts();
  ReadThrough(610, 660);  // six rounds of 10 seconds
  const auto counts = files_.counts();
  EXPECT_EQ(counts.open, 0u);
  EXPECT_EQ(counts.read, 0u);
  EXPECT_EQ(counts.canonical, 0u);
  // Each minute one look whether there are trials by now.
  EXPECT_LE(counts.list, 6u * (kRuns + 2) + kRuns);
  // The log and its directory; of the other files only the names are seen.
  EXPECT_LE(counts.stat + counts.file_stat, 6u * (2 * kRuns + 4));
}

TEST_F(ScaleTorture, T36_DirectoryOfThousandsIsPolledWhole) {
  constexpr int kFiles = 3000;
  for (int i = 0; i < kFiles; ++i) {
    files_.Write("/r/" + Name(i) + ".log", Step(1, "a:1"));
  }
  ReadAt(0);
  EXPECT_EQ(Value("rlrun_exporter_runs"), std::to_string(kFiles));
  EXPECT_EQ(Files("capped"), "0");
  for (const int i : {0, 1717, kFiles - 1}) {
    files_.Append("/r/" + Name(i) + ".log", Step(2, "a:2"));
  }
  ReadThrough(10, 20);
  for (const int i : {0, 1717, kFiles - 1}) {
    EXPECT_EQ(Value("rlrun_step_a{run=\"" + Name(i) + "\"}"), "2");
  }
  EXPECT_EQ(Value("rlrun_step_a{run=\"" + Name(5) + "\"}"), "1");
  EXPECT_LE(files_.open_files(), config_.tail.max_open_files);
}

TEST_F(ScaleTorture, T44_TrialDirectoriesAreNotEntered) {
  files_.Write("/r/p/exp/logs/exp.log", Step(1, "a:1"));
  for (int step = 0; step < 100; ++step) {
    for (int trial = 0; trial < 100; ++trial) {
      files_.Write("/r/p/exp/step_" + std::to_string(step) + "/t" +
                       std::to_string(trial) + "/agent.log",
                   Step(1, "a:9"));
    }
  }
  config_.trials.enabled = false;  // the search for logs alone
  files_.ResetCounts();
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("p/exp"));
  EXPECT_LE(files_.counts().list, 5u);
  EXPECT_LE(files_.counts().stat, 20u);
}

}  // namespace
}  // namespace rlrun
