// The config that a W&B run was started with -> what it states of the run.
//
//   trainer: {"project_name": "lab", "experiment_name": "exp", "nnodes": 2}
//
// Accepts: items of a key (dotted, where it is nested) and JSON, later ones in
//   place of earlier ones; bare NaN and Infinity.
// Ignores: `_wandb`, items that are no JSON, everything beyond 1 MiB.
// Not thread-safe; one object belongs to one reader at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/model/run_facts.h"
#include "parsers/model/run_mode.h"

namespace rlrun {

class WandbConfig {
 public:
  static constexpr std::size_t kMaxBytes = 1u << 20;

  // True: the config is another one now.
  bool Set(std::string_view key, std::string_view json);

  // Nothing: it is not the config of a trainer that we know.
  std::optional<RunFacts> Facts(RunMode mode) const;

 private:
  std::map<std::string, std::string, std::less<>> items_;  // python literals
  std::size_t bytes_ = 0;
};

// The python literal of a JSON value, as python's `repr` of what it loads;
// nothing: it is no JSON.
std::optional<std::string> PythonOfJson(std::string_view json);

}  // namespace rlrun
