// The record that a launcher keeps of a run of slime, in a store below the
// folder of all runs: rewritten as a whole whenever the run has come a step
// further. Its id is the name of the run.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {

// Below the folder of all runs.
std::string RecordPath(const std::string& run);

class LauncherRecord {
 public:
  // `scenario` has a record.
  LauncherRecord(const Scenario& scenario, const ScenarioOptions& options);

  const std::string& path() const { return path_; }

  // What the file holds behind the next piece of the log, all of it; empty: it
  // stays as it is.
  std::string Take(const Piece& piece);

 private:
  std::string_view PhaseAt(const Piece& piece) const;
  std::string Progress(const Piece& piece) const;

  RecordRecipe recipe_;
  std::string run_, project_, path_;
  double created_ = 0;
  int total_ = 0;
  std::size_t left_ = 0;  // pieces
};

}  // namespace rlrun::scenarios
