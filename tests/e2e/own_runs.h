// Runs that no scenario is: one with all the ordinary noise of three hundred
// healthy steps, some that get well again or end while they are sick, one whose
// process is alive in a stall, one with a record that gets stuck, and pairs for
// the inhibitions. The scenarios
// themselves are in tests/scenarios.
// Pure; safe to call from any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/scenario.h"

namespace rlrun::e2e {

// Name and severity of an alert.
using AlertId = std::pair<std::string, std::string>;

struct OwnRun {
  scenarios::Scenario scenario;  // what it wants is looked for in the texts
  int live_from = 0;  // step behind which it is written before our eyes
  int late_from = 0;  // the same for the last part; 0: there is none
  std::vector<AlertId> fires = {};  // while it is sick
  std::vector<AlertId> fires_late = {};
  std::vector<AlertId> may_fire = {};
  std::vector<AlertId> inhibited = {};  // they fire and nobody is told
  // The log stops so many seconds before it is met; 0: it does not.
  double silent_before = 0;
  bool has_process = false;  // that holds its log
  bool resolves = false;     // what fired is told to be over
};

std::vector<OwnRun> OwnRuns();

// The `runs:` and `rules:` of the exporter's configuration for them: seconds
// instead of minutes where only time tells.
std::string RulesOfOwnRuns();

}  // namespace rlrun::e2e
