// Real processes of this machine: children with command lines of our choice.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <string>

#include "exporter/process/process_scanner.h"
#include "tests/exporter/process/child.h"
#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

double Clock() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class RealProcessTest : public ::testing::Test {
 protected:
  // Names of this test process alone: others may run beside it.
  RealProcessTest()
      : name_("exp-" + std::to_string(::getpid())),
        log_(folder_ / "train.log") {
    options_.nvml_library.clear();
    std::ofstream(log_) << "x\n";
    struct stat raw {};
    ::stat(log_.c_str(), &raw);
    run_.id = name_;
    run_.experiment = name_;
    run_.logs = {{log_, {raw.st_dev, raw.st_ino}}};
  }
  RunProcesses Scan() {
    ProcessReport report = scanner_.Scan({run_}, Clock());
    EXPECT_TRUE(report.listed);
    return report.runs.at(0);
  }
  std::vector<std::string> Arguments(const std::string& last) const {
    return {"python3", "-m", "verl.trainer.main_ppo", last};
  }

  TempFolder folder_;
  const std::string name_;
  const std::string log_;
  ProcessOptions options_;
  ProcessScanner scanner_{options_};
  RunKey run_;
};

TEST_F(RealProcessTest, SeenWithItsStartTimeThenKilled) {
  EXPECT_EQ(Scan().trainer.presence, Presence::kNeverSeen);
  const double before = Clock();
  Child child({.arguments = Arguments("trainer.experiment_name=" + name_)});
  const double after = Clock();
  const RoleProcess alive = Scan().trainer;
  ASSERT_EQ(alive.presence, Presence::kAlive);
  EXPECT_EQ(alive.pid, child.pid());
  EXPECT_EQ(alive.matched_by, MatchedBy::kArgument);
  // The kernel tells the boot in whole seconds and starts in ticks of it.
  ASSERT_TRUE(alive.start_time);
  EXPECT_GE(*alive.start_time, before - 1.02);
  EXPECT_LE(*alive.start_time, after + 0.02);
  child.Kill();  // nobody has asked how it ended
  EXPECT_EQ(Scan().trainer.presence, Presence::kGone);
  child.Reap();
  EXPECT_EQ(Scan().trainer.presence, Presence::kGone);
}

TEST_F(RealProcessTest, KilledAndReapedBetweenTwoScans) {
  Child child({.arguments = Arguments("trainer.experiment_name=" + name_)});
  ASSERT_EQ(Scan().trainer.presence, Presence::kAlive);
  child.Kill();
  child.Reap();
  EXPECT_EQ(Scan().trainer.presence, Presence::kGone);
}

TEST_F(RealProcessTest, LongerNameIsAnotherRun) {
  Child child(
      {.arguments = Arguments("trainer.experiment_name=" + name_ + "0")});
  EXPECT_EQ(Scan().trainer.presence, Presence::kNeverSeen);
}

TEST_F(RealProcessTest, EnvironmentOfAProcess) {
  Child child(
      {.arguments = Arguments("x=1"), .environment = {"EXP_NAME=" + name_}});
  const RoleProcess trainer = Scan().trainer;
  EXPECT_EQ(trainer.pid, child.pid());
  EXPECT_EQ(trainer.matched_by, MatchedBy::kEnvironment);
}

TEST_F(RealProcessTest, LogThatItHasOpen) {
  Child child({.arguments = Arguments("x=1"), .open = log_});
  const RoleProcess trainer = Scan().trainer;
  EXPECT_EQ(trainer.pid, child.pid());
  EXPECT_EQ(trainer.matched_by, MatchedBy::kOpenFile);
}

TEST_F(RealProcessTest, PipelineIntoTee) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  Child trainer({.arguments = Arguments("x=1"), .out = pipe[1]});
  Child tee({.arguments = {"tee", "-a", "l"}, .open = log_, .in = pipe[0]});
  const RoleProcess seen = Scan().trainer;
  EXPECT_EQ(seen.pid, trainer.pid());
  EXPECT_EQ(seen.matched_by, MatchedBy::kPipeline);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(RealProcessTest, EditorsOfTheScriptAreNone) {
  Child vim(
      {.arguments = {"vim", "scripts/train/train.sh", name_}, .open = log_});
  Child grep({.arguments = {"grep", "verl.trainer.main_ppo", log_}});
  const RunProcesses run = Scan();
  EXPECT_EQ(run.trainer.presence, Presence::kNeverSeen);
  EXPECT_EQ(run.runner.presence, Presence::kNeverSeen);
}

}  // namespace
}  // namespace rlrun
