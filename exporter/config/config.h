// The whole configuration, one struct per room; every default stands at its
// member there. config.example.yaml shows each key with its default.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/discovery/options.h"
#include "exporter/metrics/options.h"
#include "exporter/process/options.h"
#include "exporter/signatures/options.h"
#include "exporter/store/options.h"
#include "exporter/tail/options.h"
#include "exporter/trials/options.h"

namespace rlrun {

// What holds for the runs that a glob over `project/run` matches (`-` stands
// for a project that is not known).
struct RunOverride {
  std::string match;
  std::shared_ptr<const RunRules> rules;
};

struct Config {
  std::vector<RootOptions> roots;  // `roots:`
  MetricsOptions metrics;          // `keys:`
  StoreOptions store;              // `limits:` and `retention:`
  TailOptions tail;                // `poll:` and `limits:`
  TrialOptions trials;             // `trials:`
  ProcessOptions processes;        // `processes:`
  // `rules:`; never null.
  std::shared_ptr<const RunRules> rules = std::make_shared<const RunRules>();
  std::vector<RunOverride> runs;  // `runs:`, the first that matches holds

  // What is in force for one run; an empty project is not known.
  std::shared_ptr<const RunRules> RulesFor(std::string_view project,
                                           std::string_view run) const;
};

// Reads a YAML file. Returns every error at once, each as `file:line: text`;
// empty: *config is filled. On errors *config is left as it was.
std::vector<std::string> LoadConfig(const std::string& path, Config* config);

// The same for text; `name` stands for the file in messages.
std::vector<std::string> ParseConfig(const std::string& text,
                                     const std::string& name, Config* config);

}  // namespace rlrun
