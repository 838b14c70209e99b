// What the name of a file says about it, before anybody opens it.
// Pure functions.
#pragma once

#include <string_view>

namespace rlrun {

enum class NameKind {
  kLog,       // may be a run's log: `*.log`, `*.out`, `*.jsonl`; or what W&B
              // and TensorBoard keep of it: `run-*.wandb`, `*tfevents.*`; or
              // `trainer_state.json`
  kLaunch,    // what a launcher printed: `launch_*.log`, `launch_*.out`
  kSideFile,  // belongs to a run, but tells nothing: `*_vllm.log`, `*.gz`
  kOther,     // nothing that we read
};

// `name` is the last segment of a path.
NameKind ClassifyFileName(std::string_view name);

// Directories that hold no logs but may hold very many files: trial
// directories (`step_0001`), checkpoints, hidden ones, package folders, the
// secrets of run-record stores.
bool IsPrunedDirectory(std::string_view name);

// The directory of secrets of a run-record store is a part of this path: it is
// not opened, even where somebody names it.
bool HoldsSecrets(std::string_view path);

// Directories of a run-record store: its own reader looks at some of them.
bool IsStoreDirectory(std::string_view name);

}  // namespace rlrun
