// The subcommands of rlrun_scenario: `list`, `write`, `live`. The only part
// that touches files and the real clock, besides main.cc.
// Not thread-safe.
#pragma once

#include <string_view>
#include <vector>

namespace rlrun::scenarios {

inline constexpr char kCommandHelp[] =
    "usage: rlrun_scenario list\n"
    "       rlrun_scenario write NAME... --dir=D [--steps=N] [--seed=1]\n"
    "                      [--start=TIME] [--ledger=FILE]\n"
    "       rlrun_scenario live NAME... --dir=D --step-seconds=X [...]\n"
    "\n"
    "NAME is a scenario, `all`, or `tree`. write puts whole runs below D,\n"
    "each last modified when its run ended; live appends step by step, all\n"
    "runs at once. What must be said of them is written to FILE, which is\n"
    "D.ledger.json unless told otherwise; live leaves out what would take an\n"
    "hour (no_progress). TIME is Unix time or 2026-03-02T09:00:00Z.\n";

// True: the first argument is a subcommand.
bool IsCommand(std::string_view argument);
// Returns the exit status: 0, 1 (a file could not be written), 64 (usage).
int RunCommand(const std::vector<std::string_view>& arguments);

}  // namespace rlrun::scenarios
