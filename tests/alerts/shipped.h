// What lies in alerts/ and tests/alerts/promtool, as read from disk: for tests
// that hold it against the exporter. Paths begin at the source tree.
// Not thread-safe; throws what the file system or yaml-cpp throws.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun::alerts {

struct ShippedRule {
  std::string file;
  std::string alert;   // empty: a recording rule
  std::string record;  // empty: an alert
  std::string expr;
  std::string for_;
  std::string keep_firing_for;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
};

std::string ReadText(const std::string& path);
// Paths of a folder whose names end in `suffix`, sorted.
std::vector<std::string> Files(const std::string& folder,
                               std::string_view suffix);
std::vector<ShippedRule> ShippedRules();

// For each alert, of its unit tests: how many alerts are expected at each time,
// in order of time, case by case.
std::map<std::string, std::vector<std::vector<std::size_t>>> TestedAlerts();

// A use of a metric in PromQL, or in text that holds some.
struct MetricUse {
  std::string name;
  std::set<std::string> labels;  // of its selector
};
std::vector<MetricUse> MetricUses(std::string_view text);

}  // namespace rlrun::alerts
