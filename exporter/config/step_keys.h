// `keys:` of the configuration: which step keys are exposed, and as what.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <string>
#include <vector>

#include "exporter/config/yaml_value.h"
#include "exporter/metrics/options.h"

namespace rlrun {

void ReadStepKeys(const YamlValue& map, MetricsOptions* options);

// `keys.include` and so on.
void AppendStepKeysKeys(std::vector<std::string>* names);

}  // namespace rlrun
