// `rules:` and `runs:` of the configuration: the numbers of checks and
// signatures, and what differs for single runs.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <string>
#include <vector>

#include "exporter/config/config.h"
#include "exporter/config/yaml_value.h"
#include "exporter/signatures/options.h"

namespace rlrun {

void ReadRules(const YamlValue& map, RuleOptions* options);
// `base`: what holds where an element says nothing.
void ReadRuns(const YamlValue& list, const RuleOptions& base,
              std::vector<RunOverride>* runs);

// `rules.no_signal.window` and so on.
void AppendRuleKeys(std::vector<std::string>* names);

}  // namespace rlrun
