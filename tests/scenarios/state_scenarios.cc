// Each state that a log can tell of and that no signature has a row for.
#include "tests/scenarios/scenario_tables.h"

namespace rlrun::scenarios {

void AddStateScenarios(std::vector<Scenario>* out) {
  out->push_back({.name = "finished",
                  .summary = "all planned steps, then the end marks",
                  .recipe = {.steps = 60, .ending = Ending::kFinished},
                  .state = "finished",
                  .look_after = 3600});
  out->push_back({.name = "finished-async",
                  .summary = "the end marks of a fully asynchronous run",
                  .recipe = {.family = Family::kAsync,
                             .steps = 40,
                             .ending = Ending::kFinished},
                  .state = "finished",
                  .look_after = 3600});
  out->push_back({.name = "interrupted",
                  .summary = "stopped from the keyboard",
                  .recipe = {.steps = 34, .ending = Ending::kInterrupted},
                  .state = "interrupted",
                  .look_after = 600});
  out->push_back({.name = "interrupted-sigterm",
                  .summary = "the launcher was told to end",
                  .recipe = {.steps = 34, .ending = Ending::kTerminated},
                  .state = "interrupted",
                  .look_after = 600});
  out->push_back({.name = "lost",
                  .summary = "the log ended seven hours ago, nobody knows how",
                  .recipe = {.steps = 34},
                  .state = "lost",
                  .look_after = 7 * 3600});
  out->push_back({.name = "starting",
                  .summary = "validated once, the first step is under way",
                  .recipe = {.steps = 1, .ending = Ending::kStarting},
                  .state = "starting"});
}

}  // namespace rlrun::scenarios
