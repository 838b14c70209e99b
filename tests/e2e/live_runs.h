// Writes runs as trainers do, in three parts: what was there before anybody
// looked, the part in which runs fall ill, and the last one. The second and the
// third come step by step. The clock of the logs is set so that a run ends now,
// or as long ago as its scenario wants to be looked at; a file was last written
// when its last line was, or now.
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/own_runs.h"
#include "tests/exporter/process/child.h"
#include "tests/scenarios/launcher_record.h"
#include "tests/scenarios/scenario.h"

namespace rlrun::e2e {

// A run and what must be said of it.
struct WatchedRun {
  std::string name;  // below the project lab
  std::string log;   // path; empty: none
  std::optional<scenarios::LauncherRecord> record;
  std::string record_path;  // empty: none
  std::vector<scenarios::Piece> pieces;
  std::size_t next = 0, live_from = 0, late_from = 0;  // pieces
  double written_at = 0;                               // of the first part
  bool has_process = false;
  bool process_dies = false;       // with the last step of the second part
  std::unique_ptr<Child> process;  // holds the log open

  std::set<AlertId> fires;       // at the end of the second part
  std::set<AlertId> fires_late;  // and of the third
  std::set<AlertId> may_fire;    // at any time, beside them
  std::set<AlertId> inhibited;
  bool resolves = false;  // what fired is over with the third part
  std::vector<scenarios::Expectation> ledger;
};

class LiveRuns {
 public:
  // All scenarios and all own runs, below `root`, their first parts written.
  explicit LiveRuns(const std::string& root);

  // The next step of each run up to the end of the second part, or of the
  // third; false: there was none.
  bool Advance(bool late);

  const std::vector<WatchedRun>& runs() const { return runs_; }
  const WatchedRun& run(const std::string& name) const;

 private:
  void AddScenario(const scenarios::Scenario& scenario);
  void AddOwn(const OwnRun& own);
  WatchedRun& Add(const scenarios::Scenario& scenario, double silent_before);
  static void WriteFirst(WatchedRun* run);
  static bool WriteStep(WatchedRun* run, std::size_t end);

  std::string root_;
  double now_;
  std::vector<WatchedRun> runs_;
};

}  // namespace rlrun::e2e
