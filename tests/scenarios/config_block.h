// The resolved config of a scenario as verl prints it: a python dict over many
// lines. Pure; safe to call from any thread.
#pragma once

#include <string>
#include <vector>

#include "tests/scenarios/recipe.h"

namespace rlrun::scenarios {

// Lines without prefix and line end. `total`: planned steps.
std::vector<std::string> ConfigBlock(const Recipe& recipe,
                                     const std::string& run, int total);

}  // namespace rlrun::scenarios
