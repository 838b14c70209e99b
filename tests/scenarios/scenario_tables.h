// The rows of Scenarios(), a function per subject. Internal to scenario.cc.
#pragma once

#include <vector>

#include "tests/scenarios/scenario.h"

namespace rlrun::scenarios {

void AddFailureScenarios(std::vector<Scenario>* out);  // engines, validation
void AddAgentScenarios(std::vector<Scenario>* out);    // turns, critics, time
void AddQualityScenarios(std::vector<Scenario>* out);  // losses, rewards
void AddPolicyScenarios(std::vector<Scenario>* out);   // entropy, KL, lengths
void AddStateScenarios(std::vector<Scenario>* out);
void AddHealthyScenarios(std::vector<Scenario>* out);
void AddCheckScenarios(std::vector<Scenario>* out);
void AddDictScenarios(std::vector<Scenario>* out);  // slime, miles, TRL
void AddRecordScenarios(std::vector<Scenario>* out);

}  // namespace rlrun::scenarios
