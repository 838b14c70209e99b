// What a command line is, from its arguments alone: trainer, runner, or none of
// ours, and which experiment it states.
//   python3 -m verl.trainer.main_ppo trainer.experiment_name=exp-1   trainer
//   ray::FullyAsyncTrainer.fit                                       trainer
//   bash scripts/train/train.sh --config a.env                       runner
//   bash -c "cd /w && python3 -m verl.trainer.main_ppo | tee a.log"  runner
// Accepts: programs behind env, nohup, timeout, sudo and the like; a wrapper
// that stays beside its program is a runner, never a second trainer.
// Ignores: the same words as arguments of any other program (editors, grep,
// less, tail, git, tmux, kubectl, pytest), and values with `$` in them.
// Rejects: nothing. Pure; safe to call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

enum class ProcessRole : std::uint8_t { kNone = 0, kTrainer, kRunner };
inline constexpr std::size_t kProcessRoles = 2;  // without kNone

// `trainer`, `runner`; empty for kNone.
constexpr std::string_view ProcessRoleName(ProcessRole role) {
  return role == ProcessRole::kTrainer  ? "trainer"
         : role == ProcessRole::kRunner ? "runner"
                                        : "";
}

enum class ProgramKind : std::uint8_t {
  kOther = 0,
  kPython,
  kTee,
  kRaylet,     // parent of the ray workers of a node
  kRayWorker,  // by its title: `ray::...`
};

struct Command {
  ProcessRole role = ProcessRole::kNone;
  ProgramKind kind = ProgramKind::kOther;
  // trainer.experiment_name, TRAINER_EXPERIMENT_NAME or EXP_NAME; the project
  // likewise. Absent: not stated.
  std::optional<std::string> experiment;
  std::optional<std::string> project;
  // Arguments that may hold paths: all but the program and the script or
  // module that gave the role.
  std::vector<std::string> words;
};

Command ReadCommand(const std::vector<std::string>& arguments);

// The variables that state the experiment and the project, the most exact one
// first; environments are asked for them too.
inline constexpr std::string_view kExperimentVariables[] = {
    "TRAINER_EXPERIMENT_NAME", "EXP_NAME"};
inline constexpr std::string_view kProjectVariables[] = {"TRAINER_PROJECT_NAME",
                                                         "PROJECT_NAME"};

}  // namespace rlrun
