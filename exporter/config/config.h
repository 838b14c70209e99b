// The whole configuration, one struct per room; every default stands at its
// member there. config.example.yaml shows each key with its default.
#pragma once

#include <string>
#include <vector>

#include "exporter/discovery/options.h"
#include "exporter/metrics/options.h"
#include "exporter/store/options.h"
#include "exporter/tail/options.h"

namespace rlrun {

struct Config {
  std::vector<RootOptions> roots;  // `roots:`
  MetricsOptions metrics;          // `keys:`
  StoreOptions store;              // `limits:` and `retention:`
  TailOptions tail;                // `poll:` and `limits:`
};

// Reads a YAML file. Returns every error at once, each as `file:line: text`;
// empty: *config is filled. On errors *config is left as it was.
std::vector<std::string> LoadConfig(const std::string& path, Config* config);

// The same for text; `name` stands for the file in messages.
std::vector<std::string> ParseConfig(const std::string& text,
                                     const std::string& name, Config* config);

}  // namespace rlrun
