// Runs, roles and deaths on a process file system of our own.
#include "exporter/process/process_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/exporter/process/fake_proc.h"
#include "tests/support/root_rights.h"

namespace rlrun {
namespace {

using Process = FakeProc::Process;
constexpr double kNow = FakeProc::kBoot + 100000;  // most processes are old
const std::string kMain = "verl.trainer.main_ppo";

Process Trainer(const std::string& experiment, double started = 1000) {
  return {.arguments = {"python3", "-m", kMain,
                        "trainer.experiment_name=" + experiment},
          .started = started};
}
// Says nothing about its experiment.
Process Nameless(double started = 1000) {
  return {.arguments = {"python3", "-m", kMain, "--config-name=x"},
          .started = started};
}

class ProcessScannerTest : public ::testing::Test {
 protected:
  // Adds a run without a log.
  RunKey& AddRun(const std::string& experiment,
                 const std::string& project = "") {
    RunKey run;
    run.id = project + "/" + experiment;
    run.experiment = experiment;
    run.project = project;
    runs_.push_back(run);
    return runs_.back();
  }
  void AddLog(RunKey* run, const std::string& path) {
    struct stat raw {};
    ASSERT_EQ(::stat(path.c_str(), &raw), 0);
    run->logs.push_back({path, {raw.st_dev, raw.st_ino}});
  }
  const RunProcesses& Scan(double after = 0, std::size_t run = 0) {
    report_ = scanner_.Scan(runs_, kNow + after);
    return report_.runs.at(run);
  }
  static void ExpectAlive(const RoleProcess& process, std::int64_t pid,
                          MatchedBy by) {
    EXPECT_EQ(process.presence, Presence::kAlive);
    EXPECT_EQ(process.pid, pid);
    EXPECT_EQ(MatchedByName(process.matched_by), MatchedByName(by));
    EXPECT_FALSE(process.incomplete);
  }
  static void ExpectNeverSeen(const RoleProcess& process) {
    EXPECT_EQ(process.presence, Presence::kNeverSeen);
    EXPECT_EQ(process.pid, 0);
  }

  FakeProc proc_;
  ProcessScanner scanner_{proc_.options()};
  std::vector<RunKey> runs_;
  ProcessReport report_;
};

TEST_F(ProcessScannerTest, AliveWithPidAndStartTime) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1", 1234.5));
  const RunProcesses& run = Scan();
  ExpectAlive(run.trainer, 20, MatchedBy::kArgument);
  EXPECT_EQ(run.trainer.start_time, FakeProc::kBoot + 1234.5);
  EXPECT_EQ(run.trainer.last_seen, kNow);
  ExpectNeverSeen(run.runner);
  EXPECT_EQ(run.id, "/exp-1");
  EXPECT_TRUE(report_.listed);
  EXPECT_FALSE(report_.hidden);
  EXPECT_EQ(report_.processes, 2u);
}

TEST_F(ProcessScannerTest, NamesThatBeginAlikeDoNotMix) {
  AddRun("exp-1");
  AddRun("exp-10");
  AddRun("exp-1.5");
  proc_.Put(20, Trainer("exp-10"));
  proc_.Put(21, {.arguments = {"python3", "-m", kMain, "dir=/t/exp-1.5/c"}});
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kArgument);
  ExpectAlive(report_.runs[2].trainer, 21, MatchedBy::kPath);
}

TEST_F(ProcessScannerTest, LongestNameInAPathWins) {
  AddRun("v1");
  AddRun("v1.final");
  proc_.Put(20, {.arguments = {"python3", "-m", kMain, "dir=/t/v1.final"}});
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kPath);
}

TEST_F(ProcessScannerTest, StatementOutweighsPaths) {
  AddRun("base");
  proc_.Put(20, {.arguments = {"python3", "-m", kMain, "model=/models/base/x",
                               "trainer.experiment_name=other"}});
  proc_.Put(21, {.arguments = {"python3", "-m", kMain, "model=/models/base/x"},
                 .environment = {"EXP_NAME=third"}});
  ExpectNeverSeen(Scan().trainer);
  EXPECT_FALSE(report_.runs[0].trainer.incomplete);
}

TEST_F(ProcessScannerTest, EnvironmentNamesTheRun) {
  AddRun("exp-1");
  AddRun("exp-2");
  Process trainer = Nameless();
  trainer.environment = {"EXP_NAME=exp-1", "TRAINER_EXPERIMENT_NAME=exp-2"};
  proc_.Put(20, trainer);
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kEnvironment);
}

TEST_F(ProcessScannerTest, ProjectTellsRunsOfOneNameApart) {
  AddRun("exp", "p1");
  AddRun("exp", "p2");
  Process trainer = Trainer("exp");
  trainer.arguments.push_back("trainer.project_name=p2");
  proc_.Put(20, trainer);
  trainer.arguments.back() = "trainer.project_name=p3";
  proc_.Put(21, trainer);
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  EXPECT_FALSE(report_.runs[0].trainer.incomplete);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kArgument);
}

TEST_F(ProcessScannerTest, WhatFitsTwoRunsIsGivenToNone) {
  AddRun("exp", "p1");
  AddRun("exp", "p2");
  proc_.Put(20, Trainer("exp"));
  for (const std::size_t i : {0u, 1u}) {
    const RoleProcess& trainer = Scan(static_cast<double>(i) * 10, i).trainer;
    ExpectNeverSeen(trainer);
    EXPECT_TRUE(trainer.incomplete);
  }
}

TEST_F(ProcessScannerTest, LogTellsRunsOfOneNameApart) {
  AddRun("exp", "p1");
  AddLog(&AddRun("exp", "p2"), proc_.File("p2/exp.log"));
  Process trainer = Trainer("exp");
  trainer.descriptors = {{1, runs_[1].logs[0].path}};
  proc_.Put(20, trainer);
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kArgument);
}

TEST_F(ProcessScannerTest, OpenLogIsComparedByIdentity) {
  AddLog(&AddRun("exp-1"), proc_.File("a.log"));
  AddLog(&AddRun("exp-2"), proc_.File("b.log"));
  const std::string link = proc_.File("d/x") + ".hard";
  std::filesystem::create_hard_link(runs_[1].logs[0].path, link);
  Process trainer = Nameless();
  trainer.descriptors = {{7, link}};
  proc_.Put(20, trainer);
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kOpenFile);
}

TEST_F(ProcessScannerTest, LogThatIsOpenedLateIsSeen) {
  AddLog(&AddRun("exp-1"), proc_.File("a.log"));
  Process trainer = Nameless();
  proc_.Put(20, trainer);
  ExpectNeverSeen(Scan().trainer);
  trainer.descriptors = {{5, runs_[0].logs[0].path}};
  proc_.Put(20, trainer);
  ExpectAlive(Scan(10).trainer, 20, MatchedBy::kOpenFile);
}

TEST_F(ProcessScannerTest, PipelineOfATeeTellsTheRun) {
  AddLog(&AddRun("exp-1"), proc_.File("a.log"));
  AddLog(&AddRun("exp-2"), proc_.File("b.log"));
  // One script launched both: one group, one session.
  for (const int i : {0, 1}) {
    const std::string pipe = proc_.Pipe("pipe" + std::to_string(i));
    Process trainer = Nameless();
    trainer.descriptors = {{1, pipe}, {2, pipe}};
    trainer.group = trainer.session = 9;
    proc_.Put(20 + i, trainer);
    proc_.Put(
        30 + i,
        {.arguments = {"tee", "-a", "some.log"},
         .descriptors = {{0, pipe},
                         {3, runs_[static_cast<std::size_t>(i)].logs[0].path}},
         .group = 9,
         .session = 9});
  }
  Scan();
  ExpectAlive(report_.runs[0].trainer, 20, MatchedBy::kPipeline);
  ExpectAlive(report_.runs[1].trainer, 21, MatchedBy::kPipeline);
}

TEST_F(ProcessScannerTest, GroupOfATeeTellsTheRunWhereFilesAreClosed) {
  const WithoutRootRights without;
  AddRun("exp-1");
  AddRun("exp-10");
  Process trainer = Nameless();
  trainer.group = 9;
  proc_.Put(20, trainer);
  proc_.Deny(20, "fd");
  proc_.Put(30, {.arguments = {"tee", "logs/exp-10.log"}, .group = 9});
  proc_.Deny(30, "fd");
  Scan();
  ExpectNeverSeen(report_.runs[0].trainer);
  ExpectAlive(report_.runs[1].trainer, 20, MatchedBy::kGroup);
}

TEST_F(ProcessScannerTest, SessionWithTwoLogsTellsNothing) {
  AddRun("exp-1");
  AddRun("exp-2");
  Process trainer = Nameless();
  trainer.session = 9;
  proc_.Put(20, trainer);
  proc_.Put(30, {.arguments = {"tee", "exp-1.log"}, .session = 9});
  proc_.Put(31, {.arguments = {"tee", "exp-2.log"}, .session = 9});
  ExpectNeverSeen(Scan().trainer);
  EXPECT_TRUE(report_.runs[0].trainer.incomplete);
}

TEST_F(ProcessScannerTest, ShellsAroundATrainerAreItsRunner) {
  AddRun("exp-1");
  proc_.Put(20, {.arguments = {"bash", "scripts/train/train.sh"}});
  proc_.Put(21, {.arguments = {"bash", "-c", "python3 -m " + kMain},
                 .parent = 20,
                 .started = 1001});
  Process trainer = Trainer("exp-1", 1002);
  trainer.parent = 21;
  proc_.Put(22, trainer);
  const RunProcesses& run = Scan();
  ExpectAlive(run.trainer, 22, MatchedBy::kArgument);
  ExpectAlive(run.runner, 20, MatchedBy::kTree);
}

TEST_F(ProcessScannerTest, ShellWrapperIsNoSecondTrainer) {
  AddRun("exp-1");
  proc_.Put(19, {.arguments = {"bash", "-c",
                               "python3 -m " + kMain +
                                   " trainer.experiment_name=exp-1"}});
  proc_.Put(20, Trainer("exp-1", 1001));
  const RunProcesses& run = Scan();
  ExpectAlive(run.trainer, 20, MatchedBy::kArgument);
  ExpectAlive(run.runner, 19, MatchedBy::kArgument);
}

TEST_F(ProcessScannerTest, RayActorBelongsToTheRunOfItsRaylet) {
  AddRun("exp-1");
  proc_.Put(20, {.arguments = {"/x/raylet", "--a"},
                 .environment = {"EXP_NAME=exp-1"}});
  proc_.Put(21, {.arguments = {"ray::FullyAsyncTrainer.fit"},
                 .parent = 20,
                 .started = 1001});
  proc_.Put(22, {.arguments = {"ray::FullyAsyncTrainer.fit"}, .parent = 1});
  ExpectAlive(Scan().trainer, 21, MatchedBy::kTree);
}

TEST_F(ProcessScannerTest, ParentThatIsYoungerIsAnotherProcess) {
  AddRun("exp-1");
  proc_.Put(20, {.arguments = {"/x/raylet", "--a"},
                 .environment = {"EXP_NAME=exp-1"},
                 .started = 2000});
  proc_.Put(21, {.arguments = {"ray::FullyAsyncTrainer.fit"},
                 .parent = 20,
                 .started = 1001});
  ExpectNeverSeen(Scan().trainer);
}

TEST_F(ProcessScannerTest, AnyPythonThatWritesTheLogIsATrainer) {
  AddLog(&AddRun("exp-1"), proc_.File("a.log"));
  proc_.Put(20, {.arguments = {"python3", "my_train.py"},
                 .descriptors = {{1, runs_[0].logs[0].path}}});
  proc_.Put(21, {.arguments = {"python3", "reader.py"},
                 .descriptors = {{7, runs_[0].logs[0].path}}});
  proc_.Put(22, {.arguments = {"tail", "-f", runs_[0].logs[0].path},
                 .descriptors = {{1, runs_[0].logs[0].path}}});
  ExpectAlive(Scan().trainer, 20, MatchedBy::kOpenFile);
  proc_.Remove(20);
  EXPECT_EQ(Scan(10).trainer.presence, Presence::kGone);
}

TEST_F(ProcessScannerTest, GoneSinceTheFirstScanWithoutIt) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1"));
  Scan();
  Scan(10);
  proc_.Remove(20);
  const RoleProcess gone = Scan(20).trainer;
  EXPECT_EQ(gone.presence, Presence::kGone);
  EXPECT_EQ(gone.pid, 20);
  EXPECT_EQ(gone.last_seen, kNow + 10);
  EXPECT_EQ(gone.gone_since, kNow + 20);
  EXPECT_EQ(gone.start_time, FakeProc::kBoot + 1000.0);
  EXPECT_FALSE(gone.incomplete);
  EXPECT_EQ(Scan(30).trainer.gone_since, kNow + 20);
}

TEST_F(ProcessScannerTest, ZombieIsGone) {
  AddRun("exp-1");
  Process trainer = Trainer("exp-1");
  proc_.Put(20, trainer);
  Scan();
  trainer.state = 'Z';
  proc_.PutStat(20, trainer);
  EXPECT_EQ(Scan(10).trainer.presence, Presence::kGone);
  EXPECT_EQ(report_.processes, 1u);
}

TEST_F(ProcessScannerTest, ZombieThatWasNeverSeenAliveIsNothing) {
  AddRun("exp-1");
  Process trainer = Trainer("exp-1");
  trainer.state = 'Z';
  proc_.Put(20, trainer);
  ExpectNeverSeen(Scan().trainer);
}

TEST_F(ProcessScannerTest, ReusedPidIsAnotherProcess) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1"));
  Scan();
  // In place: even the inode of the directory is the same.
  proc_.Put(20, {.arguments = {"sleep", "1"}, .started = 99000});
  EXPECT_EQ(Scan(10).trainer.presence, Presence::kGone);
  proc_.Put(20, Trainer("exp-1", 99500));
  proc_.Put(21, Trainer("exp-2", 99500));
  // It was known to be a `sleep`, and is looked at again in time.
  const RoleProcess& trainer = Scan(20 + 650).trainer;
  ExpectAlive(trainer, 20, MatchedBy::kArgument);
  EXPECT_EQ(trainer.start_time, FakeProc::kBoot + 99500.0);
}

TEST_F(ProcessScannerTest, RelaunchIsAliveAgain) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1"));
  Scan();
  proc_.Remove(20);
  Scan(10);
  proc_.Put(25, Trainer("exp-1", 100012));
  const RoleProcess& trainer = Scan(20).trainer;
  ExpectAlive(trainer, 25, MatchedBy::kArgument);
  EXPECT_EQ(trainer.gone_since, 0);
}

// Forked workers have the command line of the trainer, and outlive it.
TEST_F(ProcessScannerTest, OrphanOfATrainerIsNoSuccessor) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1", 1000));
  Process worker = Trainer("exp-1", 1010);
  worker.parent = 20;
  proc_.Put(21, worker);
  ExpectAlive(Scan().trainer, 20, MatchedBy::kArgument);
  proc_.Remove(20);
  worker.parent = 1;
  proc_.Put(21, worker);
  EXPECT_EQ(Scan(10).trainer.presence, Presence::kGone);
}

TEST_F(ProcessScannerTest, YoungProcessMayBecomeAnotherProgram) {
  AddRun("exp-1");
  Process young = Trainer("exp-1", 99990);
  Process shell = young;
  shell.arguments = {"bash", "x.sh"};
  proc_.Put(20, shell);
  ExpectNeverSeen(Scan().trainer);
  proc_.Put(20, young);  // exec: the same process, another command line
  ExpectAlive(Scan(10).trainer, 20, MatchedBy::kArgument);
}

TEST_F(ProcessScannerTest, ClosedCommandLineIsNotNoProcess) {
  const WithoutRootRights without;
  AddRun("exp-1");
  proc_.Put(20, {.arguments = {"whatever"}});
  proc_.Deny(20, "cmdline");
  const RoleProcess& trainer = Scan().trainer;
  ExpectNeverSeen(trainer);
  EXPECT_TRUE(trainer.incomplete);
  EXPECT_EQ(report_.unreadable, 1u);
}

TEST_F(ProcessScannerTest, UndecidedSuccessorForbidsADeath) {
  const WithoutRootRights without;
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1"));
  proc_.Put(21, Nameless());  // of another user, and there all the time
  proc_.Deny(21, "environ");
  ExpectAlive(Scan().trainer, 20, MatchedBy::kArgument);
  proc_.Remove(20);
  EXPECT_EQ(Scan(10).trainer.presence, Presence::kGone);
  EXPECT_FALSE(report_.runs[0].trainer.incomplete);
  proc_.Put(22, Nameless());
  proc_.Deny(22, "environ");
  EXPECT_EQ(Scan(20).trainer.presence, Presence::kGone);
  EXPECT_TRUE(report_.runs[0].trainer.incomplete);
}

TEST_F(ProcessScannerTest, HiddenProcessesMakeAbsenceUncertain) {
  AddRun("exp-1");
  proc_.Remove(1);
  EXPECT_TRUE(Scan().trainer.incomplete);
  EXPECT_TRUE(report_.hidden);
  proc_.Put(20, Trainer("exp-1"));
  ExpectAlive(Scan(10).trainer, 20, MatchedBy::kArgument);
  proc_.Remove(20);
  EXPECT_FALSE(Scan(20).trainer.incomplete);  // that one was ours to see
}

TEST_F(ProcessScannerTest, LostProcIsNoDeath) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1"));
  Scan();
  std::filesystem::rename(proc_.root(), proc_.root() + ".away");
  const RoleProcess trainer = Scan(10).trainer;
  EXPECT_FALSE(report_.listed);
  EXPECT_EQ(trainer.presence, Presence::kAlive);
  EXPECT_EQ(trainer.last_seen, kNow);
  EXPECT_TRUE(trainer.incomplete);
  std::filesystem::rename(proc_.root() + ".away", proc_.root());
  ExpectAlive(Scan(20).trainer, 20, MatchedBy::kArgument);
}

TEST_F(ProcessScannerTest, ProcessWithoutFilesVanished) {
  AddRun("exp-1");
  std::filesystem::create_directory(proc_.Of(20));
  proc_.Put(21, Trainer("exp-1"));
  std::filesystem::remove(proc_.Of(21, "cmdline"));
  ExpectNeverSeen(Scan().trainer);
  EXPECT_FALSE(report_.runs[0].trainer.incomplete);
  EXPECT_EQ(report_.processes, 1u);
}

TEST_F(ProcessScannerTest, RunThatIsNoLongerAskedForIsForgotten) {
  AddRun("exp-1");
  proc_.Put(20, Trainer("exp-1"));
  Scan();
  scanner_.Scan({}, kNow + 10);
  proc_.Remove(20);
  ExpectNeverSeen(Scan(20).trainer);
}

TEST_F(ProcessScannerTest, MoreProcessesThanOneScanTakes) {
  ProcessOptions options = proc_.options();
  options.max_inspections = 3;
  ProcessScanner scanner(options);
  AddRun("exp-1");
  for (int pid = 20; pid < 27; ++pid) proc_.Put(pid, Trainer("exp-1"));
  ProcessReport report = scanner.Scan({AddRun("none")}, kNow);
  EXPECT_EQ(report.not_inspected, 5u);
  EXPECT_TRUE(report.runs[0].trainer.incomplete);
  scanner.Scan(runs_, kNow + 10);
  report = scanner.Scan({runs_[1]}, kNow + 20);
  EXPECT_EQ(report.not_inspected, 0u);
  EXPECT_FALSE(report.runs[0].trainer.incomplete);
}

TEST_F(ProcessScannerTest, TenThousandKnownProcessesCostAListing) {
  AddRun("exp-1");
  proc_.Put(100, {.arguments = {"/usr/bin/worker", "--slot"}});
  for (int pid = 101; pid < 10100; ++pid) proc_.PutLike(pid, 100);
  proc_.Put(20, Trainer("exp-1"));
  ExpectAlive(Scan().trainer, 20, MatchedBy::kArgument);
  ProcFs::Counts before = scanner_.counts();
  EXPECT_GE(before.reads, 20000u);  // state and command line of each
  ExpectAlive(Scan(10).trainer, 20, MatchedBy::kArgument);
  ProcFs::Counts after = scanner_.counts();
  EXPECT_EQ(after.reads - before.reads, 1u);  // the state of the trainer
  EXPECT_EQ(after.listings - before.listings, 1u);
  EXPECT_LE(after.links - before.links, 1u);
  // Over ten minutes each is looked at about once more, not all at once.
  std::uint64_t most = 0;
  for (int scan = 2; scan <= 60; ++scan) {
    before = scanner_.counts();
    Scan(10 * scan);
    most = std::max(most, scanner_.counts().reads - before.reads);
  }
  EXPECT_LE(most, 1000u);
}

TEST_F(ProcessScannerTest, GpusOfTheTree) {
  ::setenv("NVML_STUB_SCRIPT", (proc_.root() + "/gpus").c_str(), 1);
  ProcessOptions options = proc_.options();
  options.nvml_library = NVML_STUB_FULL;
  ProcessScanner scanner(options);
  AddRun("exp-1");
  AddRun("exp-2");
  AddRun("exp-3");
  proc_.Put(20, Trainer("exp-1"));
  proc_.Put(21, {.arguments = {"worker"}, .parent = 20, .started = 1001});
  proc_.Put(22, {.arguments = {"worker"}, .parent = 21, .started = 1002});
  proc_.Put(30, Trainer("exp-2"));
  proc_.Put(40, {.arguments = {"other"}});
  proc_.Write("gpus",
              "init 0 gpus 4 process 0 22 process 1 22 process 1 20 "
              "process 2 40");
  ProcessReport report = scanner.Scan(runs_, kNow);
  EXPECT_TRUE(report.gpus_available);
  EXPECT_EQ(report.runs[0].gpus, 2u);
  EXPECT_EQ(report.runs[1].gpus, 0u);
  EXPECT_EQ(report.runs[2].gpus, std::nullopt);
  // A pid of another name space may be anybody's.
  proc_.Write("gpus", "init 0 gpus 4 process 0 22 process 3 777");
  report = scanner.Scan(runs_, kNow + 10);
  EXPECT_EQ(report.runs[0].gpus, 1u);
  EXPECT_EQ(report.runs[1].gpus, std::nullopt);
  ::unsetenv("NVML_STUB_SCRIPT");
}

}  // namespace
}  // namespace rlrun
