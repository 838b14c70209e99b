// Rules, their tests, runbooks and the Alertmanager configuration speak of what
// exists, and mean the same to Prometheus 2.42 and 3.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/step_families.h"
#include "exporter/signatures/role.h"
#include "tests/alerts/shipped.h"

namespace rlrun::alerts {
namespace {

// Step keys that rules and runbooks name and that no role stands for.
constexpr std::string_view kOtherKeys[] = {
    "trajectory_filter/env_failure_count",
    "trajectory_filter/timeout_count",
    "trajectory_filter/invalid_count",
    "fully_async/processing_time/tp99",
    "fully_async/count/dropped_stale_samples",
    "fully_async/trainer/idle_ratio",
    "val-aux/num_turns/max",
    "perf/time_per_step"};

// Words that begin like a metric.
constexpr std::string_view kWords[] = {"rlrun_exporter", "rlrun_step_"};

std::set<std::string> Split(std::string_view text) {
  std::set<std::string> out;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, ',');) out.insert(part);
  return out;
}

// Names of families, each with the labels beyond those of every series.
std::map<std::string, std::set<std::string>> KnownFamilies() {
  std::map<std::string, std::set<std::string>> known;
  for (const CatalogueRow& row : Catalogue()) {
    std::set<std::string> labels = Split(row.labels);
    if (row.scope == FamilyScope::kRun) labels.insert({"run", "project"});
    known[std::string(row.name)] = labels;
    if (row.type == FamilyType::kHistogram) {
      for (const char* suffix : {"_bucket", "_sum", "_count"}) {
        known[std::string(row.name) + suffix] = labels;
      }
    }
  }
  const std::set<std::string> step = {"run", "project", "key"};
  for (const RoleRow& row : RoleTable()) {
    for (std::uint8_t rank = 0; rank < kKeyRanks; ++rank) {
      const std::string_view key = row.key(rank);
      if (!key.empty()) known[RawFamilyName(key)] = step;
    }
  }
  for (const std::string_view key : kOtherKeys)
    known[RawFamilyName(key)] = step;
  for (const KeyTemplate& t : BuiltInTemplates()) {
    std::set<std::string>& labels = known[std::string(kStepPrefix) + t.family];
    labels.insert({"run", "project", "key"});
    if (!t.fixed_label.empty()) labels.insert(t.fixed_label);
    for (std::size_t at = t.pattern.find('<'); at != std::string::npos;
         at = t.pattern.find('<', at + 1)) {
      const std::size_t end = t.pattern.find_first_of(".@>", at);
      labels.insert(t.pattern.substr(at + 1, end - at - 1));
    }
  }
  return known;
}

// Recorded series keep the labels of what they are made of.
void AddRecorded(std::map<std::string, std::set<std::string>>* known) {
  for (const ShippedRule& rule : ShippedRules()) {
    if (rule.record.empty()) continue;
    std::set<std::string> labels;
    for (const MetricUse& use : MetricUses(rule.expr)) {
      const auto it = known->find(use.name);
      if (it != known->end())
        labels.insert(it->second.begin(), it->second.end());
    }
    (*known)[rule.record] = labels;
  }
}

void ExpectKnown(const std::string& path) {
  static const auto known = [] {
    auto families = KnownFamilies();
    AddRecorded(&families);
    return families;
  }();
  for (const MetricUse& use : MetricUses(ReadText(path))) {
    if (std::count(std::begin(kWords), std::end(kWords), use.name) != 0) {
      continue;
    }
    const auto it = known.find(use.name);
    if (it == known.end()) {
      ADD_FAILURE() << path << ": " << use.name << " is in no catalogue";
      continue;
    }
    for (const std::string& label : use.labels) {
      static const std::set<std::string> kOfTargets = {
          "instance", "job", "namespace", "pod", "service"};
      EXPECT_TRUE(kOfTargets.count(label) != 0 || it->second.count(label) != 0)
          << path << ": " << use.name << " has no label " << label;
    }
  }
}

TEST(VocabularyTest, MetricsAndLabelsExist) {
  for (const std::string& path : Files("alerts", ".yaml")) ExpectKnown(path);
  for (const std::string& path : Files("alerts/runbooks", ".md")) {
    ExpectKnown(path);
  }
  for (const std::string& path : Files("tests/alerts/promtool", ".yaml")) {
    ExpectKnown(path);
  }
}

TEST(VocabularyTest, ScannerSeesNamesAndLabels) {
  const auto uses = MetricUses(
      "max(rlrun_state{state=~\"a,b\",run=%[1]q} ) + run:rlrun_x:max>1 "
      "xrlrun_");
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].labels, (std::set<std::string>{"state", "run"}));
  EXPECT_EQ(uses[1].name, "run:rlrun_x:max");
}

// Prometheus 3: ranges are open on the left, so that what counts samples or
// divides by them changes; le and quantile are normalised; functions and fields
// of tests have other names.
TEST(VocabularyTest, NothingChangesItsMeaningInPrometheusThree) {
  constexpr std::string_view kForbidden[] = {"holt_winters",
                                             "count_over_time",
                                             "sum_over_time",
                                             "avg_over_time",
                                             "stddev_over_time",
                                             "quantile_over_time",
                                             "present_over_time",
                                             "absent_over_time",
                                             "irate(",
                                             "idelta(",
                                             "{le=\"",
                                             ",le=\"",
                                             "quantile=\"",
                                             "fuzzy_compare",
                                             "start_timestamp",
                                             "limitk",
                                             "limit_ratio",
                                             "info(",
                                             "sort_by_label",
                                             "@ end()",
                                             "@ start()"};
  std::vector<std::string> paths = Files("alerts", ".rules.yaml");
  for (const std::string& path : Files("tests/alerts/promtool", ".yaml")) {
    paths.push_back(path);
  }
  for (const std::string& path : paths) {
    const std::string text = ReadText(path);
    for (const std::string_view word : kForbidden) {
      EXPECT_EQ(text.find(word), std::string::npos) << path << ": " << word;
    }
  }
  for (const ShippedRule& rule : ShippedRules()) {
    // Subqueries: [1h:5m].
    for (std::size_t at = rule.expr.find('['); at != std::string::npos;
         at = rule.expr.find('[', at + 1)) {
      const std::string range =
          rule.expr.substr(at, rule.expr.find(']', at) - at);
      EXPECT_EQ(range.find(':'), std::string::npos) << rule.expr;
    }
  }
}

TEST(VocabularyTest, RunsAreAggregatedOverExporters) {
  for (const ShippedRule& rule : ShippedRules()) {
    if (rule.alert.empty() || rule.file.ends_with("exporter.rules.yaml")) {
      continue;
    }
    for (const MetricUse& use : MetricUses(rule.expr)) {
      const bool by_run = use.name.starts_with("run:") ||
                          rule.expr.find("max by (project, run) (" +
                                         use.name) != std::string::npos;
      EXPECT_TRUE(by_run) << rule.alert << ": " << use.name;
    }
  }
}

TEST(VocabularyTest, AlertmanagerNamesAlertsThatExist) {
  std::set<std::string> names;
  for (const ShippedRule& rule : ShippedRules()) names.insert(rule.alert);
  const std::string text = ReadText("alerts/alertmanager.yaml");
  std::size_t found = 0;
  for (std::size_t at = text.find("RLRun"); at != std::string::npos;
       at = text.find("RLRun", at + 1)) {
    std::size_t end = at;
    while (std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
    const std::string name = text.substr(at, end - at);
    if (name == "RLRun") continue;  // of a pattern
    EXPECT_EQ(names.count(name), 1u) << name;
    ++found;
  }
  EXPECT_GT(found, 10u);
}

TEST(VocabularyTest, SecretsAreReadFromFiles) {
  const std::string text = ReadText("alerts/alertmanager.yaml");
  for (const char* key :
       {"api_url:", "slack_api_url:", "routing_key:", "service_key:",
        "password:", "credentials:", "bearer_token:", "secret:"}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace rlrun::alerts
