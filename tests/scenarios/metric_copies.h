// What W&B and TensorBoard keep of a run beside its log: the same steps in
// their own files, as late as those get them. W&B's row of a step is written
// when the next one is logged, and in whole blocks; TensorBoard's events come
// with the line.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/scenario.h"
#include "tests/support/metric_files.h"

namespace rlrun::scenarios {

class MetricCopies {
 public:
  MetricCopies(const Scenario& scenario, const ScenarioOptions& options);

  // Below the folder of all runs.
  const std::string& wandb_path() const { return wandb_path_; }
  const std::string& events_path() const { return events_path_; }

  // What the files get behind these bytes of the log.
  struct Bytes {
    std::string wandb, events;
  };
  Bytes Take(const Piece& piece);
  // The run ends in peace.
  std::string Finish();

 private:
  struct Line {
    std::int64_t step = 0;
    WandbItems values;
  };
  std::string WholeBlocks();
  void Log(const Line& line, double at);

  std::string wandb_path_, events_path_;
  WandbFileWriter wandb_;
  std::size_t written_ = 0;  // of wandb_
  std::optional<Line> open_;
  double open_at_ = 0;
  double start_ = 0;
  bool has_events_ = false;
};

}  // namespace rlrun::scenarios
