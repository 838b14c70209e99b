// The files that a scenario leaves: its log, what W&B and TensorBoard keep of
// it, its launcher's record; as many of them as it has.
// Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "tests/scenarios/launcher_record.h"
#include "tests/scenarios/metric_copies.h"
#include "tests/scenarios/run_tree.h"
#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {

class ScenarioFiles {
 public:
  // Paths are below `root`.
  ScenarioFiles(const Scenario& scenario, const ScenarioOptions& options,
                const std::string& root);

  const std::string& log() const { return log_; }             // empty: not here
  const std::string& record() const { return record_path_; }  // the same
  // Hands out what the next piece of the log brings.
  void Write(const Piece& piece, Sink* sink);

 private:
  std::string log_, record_path_, wandb_path_, events_path_;
  std::optional<MetricCopies> copies_;
  std::optional<LauncherRecord> record_;
  bool finishes_;
  std::size_t left_;  // pieces
};

// All of it.
void WriteScenario(const Scenario& scenario, const ScenarioOptions& options,
                   const std::string& root, Sink* sink);

}  // namespace rlrun::scenarios
