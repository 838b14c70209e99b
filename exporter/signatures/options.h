// Every number of the rules, with the default that signatures.md gives it, and
// what the configuration says of a single run. Filled by config from `rules:`
// and `runs:`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "exporter/signatures/check_options.h"
#include "exporter/signatures/failure_options.h"
#include "exporter/signatures/quality_options.h"
#include "exporter/signatures/time_options.h"

namespace rlrun {

struct RuleOptions {
  CheckOptions checks;
  FailureOptions failures;
  QualityOptions quality;
  TimeOptions times;
};

// What is in force for one run.
struct RunRules {
  RuleOptions options;
  // Values that this run is compared with, by verbatim key: `baseline:`, and
  // values to reach, shown in the report: `target:`.
  std::map<std::string, double> baseline;
  std::map<std::string, double> target;
  std::optional<double> expected_lr;
};

}  // namespace rlrun
