// Real processes of this machine, found for the runs of a real App.
#include "exporter/app/run_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/app/process_watch.h"
#include "exporter/exposition/exposition.h"
#include "exporter/process/process_scanner.h"
#include "exporter/tail/real_file_source.h"
#include "tests/exporter/app/run_files.h"
#include "tests/exporter/process/child.h"
#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunProcessesTest : public ::testing::Test {
 protected:
  // Names and a process group of this test alone: others may run beside it.
  RunProcessesTest()
      : name_("exp-" + std::to_string(::getpid())), log_(folder_ / "x.log") {
    ::setpgid(0, 0);
    SetupLog("error", "logfmt");
    processes_.nvml_library.clear();
    std::ofstream(log_) << ConfigBlock("made-up", name_) << TimedStep(1, "2.5");
  }
  void Start(bool only_processes = false) {
    Config config;
    RootOptions root;
    root.path = folder_.path();
    config.roots.push_back(root);
    AppOptions options;
    options.only_processes = only_processes;
    options.self = {"test", "test", /*deterministic=*/true};
    app_ = std::make_unique<App>(config, options, &source_);
    app_->ReadInline(Clocks());
  }
  void Scan() {
    app_->TakeProcesses(scanner_.Scan(app_->RunKeys(), Clocks().wall));
    app_->Tick(Clocks());
  }
  std::string Text() const {
    std::string text;
    AppendBlocks(&text, app_->snapshot()->blocks, TextFormat::kText004);
    return text;
  }
  std::string Up(const std::string& role, int value) const {
    return "rlrun_process_up{run=\"" + name_ +
           "\",project=\"made-up\",role=\"" + role + "\"} " +
           std::to_string(value) + "\n";
  }
  Now Clocks() { return {++steady_, ReadClocks().wall}; }

  const TempFolder folder_;
  const std::string name_;
  const std::string log_;
  double steady_ = 0;
  RealFileSource source_;
  ProcessOptions processes_;
  ProcessScanner scanner_{processes_};
  std::unique_ptr<App> app_;
};

TEST_F(RunProcessesTest, TrainerThatDiesIsGoneAndItsSuccessorAlive) {
  Start();
  Scan();
  EXPECT_THAT(Text(), Not(HasSubstr("rlrun_process")));  // never seen: unknown
  const std::vector<std::string> arguments = {
      "python3", "-m", "verl.trainer.main_ppo",
      "trainer.experiment_name=" + name_};
  auto trainer =
      std::make_unique<Child>(Child::Options{.arguments = arguments});
  Scan();
  EXPECT_THAT(Text(), HasSubstr(Up("trainer", 1)));
  EXPECT_THAT(Text(), HasSubstr("rlrun_process_start_timestamp_seconds{"));
  trainer.reset();
  Scan();
  EXPECT_THAT(Text(), HasSubstr(Up("trainer", 0)));
  const Child successor({.arguments = arguments});
  Scan();
  EXPECT_THAT(Text(), HasSubstr(Up("trainer", 1)));
}

TEST_F(RunProcessesTest, TrainerThatWritesThroughATeeOfTheLog) {
  Start();
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  {
    const Child trainer(
        {.arguments = {"python3", "-m", "verl.trainer.main_ppo", "x=1"},
         .out = pipe[1]});
    const Child tee(
        {.arguments = {"tee", "x.log"}, .open = log_, .in = pipe[0]});
    Scan();
    EXPECT_THAT(Text(), HasSubstr(Up("trainer", 1)));
  }
  ::close(pipe[0]);
  ::close(pipe[1]);
  Scan();
  EXPECT_THAT(Text(), HasSubstr(Up("trainer", 0)));
}

TEST_F(RunProcessesTest, OnlyProcessesAreExposedWhereOnlyTheyAreWanted) {
  Start(/*only_processes=*/true);
  const Child trainer({.arguments = {"python3", "-m", "verl.trainer.main_ppo",
                                     "trainer.experiment_name=" + name_}});
  Scan();
  EXPECT_THAT(Text(), HasSubstr(Up("trainer", 1)));
  EXPECT_THAT(Text(), Not(HasSubstr("rlrun_step_")));
  EXPECT_THAT(Text(), Not(HasSubstr("rlrun_info")));
  EXPECT_THAT(Text(), Not(HasSubstr("rlrun_exporter_lines_total")));
}

TEST_F(RunProcessesTest, ProcessesThatCannotBeListedAreNotGone) {
  Start();
  const Child trainer({.arguments = {"python3", "-m", "verl.trainer.main_ppo",
                                     "trainer.experiment_name=" + name_}});
  Scan();
  ProcessReport report = scanner_.Scan(app_->RunKeys(), Clocks().wall);
  report.listed = false;
  ASSERT_EQ(report.runs.size(), 1u);
  report.runs[0].trainer.presence = Presence::kGone;
  report.runs[0].trainer.incomplete = true;
  app_->TakeProcesses(report);
  app_->Tick(Clocks());
  EXPECT_THAT(Text(), Not(HasSubstr("rlrun_process_up")));
}

TEST_F(RunProcessesTest, WatchLooksByItselfAndStops) {
  Start();
  const Child trainer({.arguments = {"python3", "-m", "verl.trainer.main_ppo",
                                     "trainer.experiment_name=" + name_}});
  const auto signal = std::make_shared<TickSignal>();
  ProcessWatch watch(signal);
  watch.SetRuns(app_->RunKeys());  // nobody watches yet
  EXPECT_FALSE(watch.Take());
  watch.Start(processes_);
  watch.SetRuns(app_->RunKeys());
  {
    std::unique_lock lock(signal->mutex);
    ASSERT_TRUE(signal->wake.wait_for(lock, std::chrono::seconds(60),
                                      [&] { return signal->news; }));
  }
  const auto report = watch.Take();
  ASSERT_TRUE(report);
  ASSERT_EQ(report->runs.size(), 1u);
  EXPECT_EQ(report->runs[0].trainer.presence, Presence::kAlive);
  EXPECT_FALSE(watch.Take());
  watch.RequestStop();
  EXPECT_TRUE(watch.Join());
}

}  // namespace
}  // namespace rlrun
