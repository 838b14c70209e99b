// Sick and healthy training runs that we write ourselves, and beside each what
// must be said of it. In a scenario the sickness enters at a known step, and
// the definitions of the signatures tell when it must be found. Names of
// signatures are those of the contract; a scenario is named after the one that
// it shows (`no_signal`, `no_signal-critical`), a state, or what is odd about
// it. Writing to files is left to main.cc; trees of runs are in run_tree.h.
// The same options give the same bytes on every machine. Pure; safe to call
// from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/recipe.h"

namespace rlrun::scenarios {

// A finding that may stand beside the wanted one.
struct Companion {
  std::string signature = {};
  std::string level = {};  // `info`, `warning`, `critical`
  std::string reason = {};
};

// A finding that must be there, in steps of its scenario.
struct Wanted {
  std::string signature = {};
  std::string level = "warning";
  int since = 0;           // steps behind the first sick one; not before
  int by = 0;              // the same; by then at the latest
  double age_seconds = 0;  // > 0: a rule of time, silent so long; no steps
  std::vector<std::string> evidence = {};  // keys that it may rest on
};

struct Scenario {
  std::string name = {};
  std::string summary = {};
  Recipe recipe = {};
  std::vector<Wanted> wanted = {};  // at the end of the log; empty: nothing
  std::vector<Companion> companions = {};
  // Out of range for their N at the end of the log, in the table's order.
  std::vector<std::string> checks = {};
  std::string state = "running";
  double look_after = 60;      // seconds behind the last byte
  bool needs_process = false;  // `wanted` only where its process was seen
};

const std::vector<Scenario>& Scenarios();
const Scenario* FindScenario(std::string_view name);  // null: no such one

inline constexpr std::int64_t kScenarioStart = 1772442000;  // 2026-03-02 09:00Z

struct ScenarioOptions {
  std::uint64_t seed = 1;
  int steps = 0;  // printed; 0: as many as the scenario has; raised to `least`
  std::int64_t start = kScenarioStart;  // Unix time of the first line
  double clock_speed = 1;  // seconds of the stamps per second of the run
};

// Bytes that are written at once.
struct Piece {
  std::string bytes;
  double at = 0;  // Unix time, seconds
  int step = 0;   // newest training line so far, whole in these bytes
  bool ends_step = false;
  std::string phase = {};  // that these bytes leave the run in; empty: none yet
};

std::vector<Piece> ScenarioPieces(const Scenario& scenario,
                                  const ScenarioOptions& options = {});
std::string ScenarioLog(const Scenario& scenario,
                        const ScenarioOptions& options = {});
std::string ScenarioLog(const Scenario& scenario, std::uint64_t seed);
int ScenarioSteps(const Scenario& scenario, const ScenarioOptions& options);
int ScenarioTotal(const Scenario& scenario, const ScenarioOptions& options);
int ScenarioOnset(const Scenario& scenario, const ScenarioOptions& options);

// One thing that must hold of a run when it is looked at at `at`.
struct Expectation {
  std::string scenario, project, run;
  std::string log;        // below the folder of all runs; empty: not here
  std::string record;     // the same; empty: it has none
  std::string signature;  // empty: no finding at all, except the companions
  std::string level;
  std::optional<int> since_step;      // not active before this step
  std::optional<int> by_step;         // active at it, and from then on
  std::optional<double> age_seconds;  // rules of time
  std::vector<std::string> evidence;
  std::vector<Companion> companions;
  std::vector<std::string> checks;  // that fail, exactly
  std::string state;
  std::string decision;  // `none`: there is none; empty: not said
  int exit_code = 0;     // of `status`
  std::int64_t at = 0;   // Unix time at which to look
  int steps = 0;         // newest step that the log prints
  bool needs_process = false;
};

std::vector<Expectation> ScenarioLedger(const Scenario& scenario,
                                        const ScenarioOptions& options = {});
// A JSON array, one expectation per line.
std::string LedgerJson(const std::vector<Expectation>& ledger);

}  // namespace rlrun::scenarios
