// `processes:` of the configuration.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <string>
#include <vector>

#include "exporter/config/yaml_value.h"
#include "exporter/process/options.h"

namespace rlrun {

void ReadProcesses(const YamlValue& map, ProcessOptions* options);

// `processes.enabled` and so on.
void AppendProcessKeys(std::vector<std::string>* names);

}  // namespace rlrun
