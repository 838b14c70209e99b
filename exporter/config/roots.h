// `roots:` of the configuration: where to look for runs.
// Not thread-safe; used by one ParseConfig call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exporter/config/yaml_value.h"
#include "exporter/discovery/options.h"

namespace rlrun {

struct RootsLoading {
  std::vector<RootOptions> roots;
  // Labels of all roots with their values, to be checked against the labels of
  // templates when those are known.
  std::vector<std::pair<std::string, YamlValue>> labels;
};

void ReadRoots(const YamlValue& list, RootsLoading* out);

// `roots.path` and so on.
void AppendRootKeys(std::vector<std::string>* names);

}  // namespace rlrun
