#include "exporter/process/command.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rlrun {
namespace {

using Arguments = std::vector<std::string>;
constexpr auto kNone = ProcessRole::kNone;
constexpr auto kTrainer = ProcessRole::kTrainer;
constexpr auto kRunner = ProcessRole::kRunner;

std::string Text(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += "[" + argument + "]";
  return text;
}

TEST(ReadCommand, Roles) {
  const std::vector<std::pair<Arguments, ProcessRole>> rows = {
      {{"python3", "-m", "verl.trainer.main_ppo", "a=1"}, kTrainer},
      {{"/opt/venv/bin/python3.11", "-u", "-X", "dev", "-m",
        "verl.experimental.fully_async_policy.fully_async_main"},
       kTrainer},
      {{"python", "-W", "ignore", "verl/trainer/main_ppo.py"}, kTrainer},
      {{"python", "-um", "verl.trainer.fsdp_sft_trainer"}, kTrainer},
      {{"/usr/bin/python3", "/usr/local/bin/torchrun", "-m", "x"}, kTrainer},
      {{"python3", "-m", "torch.distributed.run", "t.py"}, kTrainer},
      {{"ray::FullyAsyncTrainer.fit"}, kTrainer},
      {{"ray::TaskRunner.run()"}, kTrainer},
      {{"ray::FullyAsyncTrainerHelper.x"}, kNone},
      {{"ray::IDLE"}, kNone},
      {{"bash", "scripts/train/train.sh", "-c", "a.env"}, kRunner},
      {{"/bin/bash", "-eo", "pipefail", "/w/scripts/eval/eval.sh"}, kRunner},
      {{"sh", "--", "./scripts/infer/infer.sh"}, kRunner},
      {{"bash", "myscripts/train/train.sh"}, kNone},
      {{"bash", "scripts/train/train.sh.bak"}, kNone},
      // Wrappers that stay beside their program.
      {{"timeout", "-s", "INT", "5h", "python3", "-m", "verl.trainer.main_ppo"},
       kRunner},
      {{"sudo", "-E", "-u", "me", "bash", "scripts/train/train.sh"}, kRunner},
      {{"bash", "-c",
        "cd /w && EXP_NAME=a nohup python3 -m verl.trainer.main_ppo 2>&1 | tee "
        "a.log"},
       kRunner},
      {{"bash", "-lc", "env A=1 bash scripts/train/train.sh"}, kRunner},
      {{"sh", "-c", "bash -c 'python -m verl.trainer.main_ppo'"}, kRunner},
      {{"python3", "/usr/bin/ray", "job", "submit", "--address", "x", "--",
        "python3", "-m", "verl.trainer.main_ppo"},
       kRunner},
      // The same words in the arguments of others.
      {{"vim", "scripts/train/train.sh"}, kNone},
      {{"grep", "-r", "verl.trainer.main_ppo", "."}, kNone},
      {{"less", "verl/trainer/main_ppo.py"}, kNone},
      {{"tail", "-f", "fully_async_main.log"}, kNone},
      {{"pgrep", "-af", "fully_async_main|verl.trainer.main_ppo"}, kNone},
      {{"watch", "bash scripts/train/train.sh"}, kNone},
      {{"tmux", "new", "-d", "bash scripts/train/train.sh"}, kNone},
      {{"bash", "-c", "vim scripts/train/train.sh"}, kNone},
      {{"bash", "-c", "ps aux | grep verl.trainer.main_ppo"}, kNone},
      {{"bash", "-c", "echo 'python -m verl.trainer.main_ppo'"}, kNone},
      {{"bash", "-c", "true # python -m verl.trainer.main_ppo"}, kNone},
      {{"python3", "-m", "pytest", "verl/trainer/main_ppo.py"}, kNone},
      {{"python3", "-c", "import verl.trainer.main_ppo"}, kNone},
      {{"python3", "-c", "pass  # see verl/trainer/main_ppo.py"}, kNone},
      {{"python3", "lint.py", "verl.trainer.main_ppo"}, kNone},
      {{"python3", "-m"}, kNone},
      {{"bash", "-c"}, kNone},
      {{"timeout"}, kNone},
      {{"timeout", "-s"}, kNone},
      {{"env", "-u"}, kNone},
      {{"ray", "--"}, kNone},
      {{"bash"}, kNone},
      {{"-bash"}, kNone},
      {{""}, kNone},
      {{}, kNone},
  };
  for (const auto& [arguments, role] : rows) {
    EXPECT_EQ(ReadCommand(arguments).role, role) << Text(arguments);
  }
}

TEST(ReadCommand, KindsOfPrograms) {
  EXPECT_EQ(ReadCommand({"python3", "a.py"}).kind, ProgramKind::kPython);
  EXPECT_EQ(ReadCommand({"pythonista"}).kind, ProgramKind::kOther);
  EXPECT_EQ(ReadCommand({"/usr/bin/tee", "a"}).kind, ProgramKind::kTee);
  EXPECT_EQ(ReadCommand({"bash", "-c", "a | tee b"}).kind, ProgramKind::kOther);
  EXPECT_EQ(ReadCommand({"/x/raylet", "--a=b"}).kind, ProgramKind::kRaylet);
  EXPECT_EQ(ReadCommand({"ray::IDLE"}).kind, ProgramKind::kRayWorker);
}

TEST(ReadCommand, StatesItsExperiment) {
  const auto experiment = [](const Arguments& arguments) {
    return ReadCommand(arguments).experiment.value_or("-");
  };
  const std::string main = "verl.trainer.main_ppo";
  EXPECT_EQ(experiment({"python", "-m", main, "trainer.experiment_name=e-1"}),
            "e-1");
  EXPECT_EQ(experiment({"python", "-m", main, "++trainer.experiment_name='e'"}),
            "e");
  EXPECT_EQ(experiment({"python", "-m", main, "EXP_NAME=a",
                        "trainer.experiment_name=b"}),
            "b");
  EXPECT_EQ(experiment({"env", "EXP_NAME=e", "bash", "scripts/train/train.sh"}),
            "e");
  EXPECT_EQ(experiment({"bash", "-c", "EXP_NAME=\"e 1\" bash x.sh"}), "e 1");
  EXPECT_EQ(experiment({"bash", "-c", "EXP_NAME=a-$(date +%s) bash x.sh"}),
            "-");
  EXPECT_EQ(experiment({"bash", "-c", "EXP_NAME=${X} bash x.sh"}), "-");
  EXPECT_EQ(experiment({"python", "-m", main, "my_trainer.experiment_name=e"}),
            "-");
  EXPECT_EQ(experiment({"python", "-m", main, "trainer.experiment_name="}),
            "-");
  EXPECT_EQ(
      ReadCommand({"python", "-m", main, "trainer.project_name=p"}).project,
      "p");
}

TEST(ReadCommand, ScriptThatGaveTheRoleIsNoWord) {
  const Command command =
      ReadCommand({"bash", "/w/scripts/train/train.sh", "--x", "c/e.env"});
  EXPECT_EQ(command.words, (Arguments{"--x", "c/e.env"}));
}

// The script in as many shells around each other.
std::string InShells(int count, std::string script) {
  for (; count > 0; --count) {
    std::string quoted = "bash -c \"";
    for (const char c : script) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    script = quoted + '"';
  }
  return script;
}

TEST(ReadCommand, DeepNestingEnds) {
  const std::string script = "python -m verl.trainer.main_ppo";
  EXPECT_EQ(ReadCommand({"bash", "-c", InShells(2, script)}).role, kRunner);
  EXPECT_EQ(ReadCommand({"bash", "-c", InShells(3, script)}).role, kNone);
}

}  // namespace
}  // namespace rlrun
