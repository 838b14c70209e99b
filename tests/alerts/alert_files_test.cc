// The committed rule files and their unit tests are what the tables of the
// exporter say: RLRUN_UPDATE_ALERTS=1 writes them, otherwise they are compared.

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "exporter/report/html.h"
#include "exporter/report/run_path.h"
#include "tests/alerts/alert.h"

namespace rlrun::alerts {
namespace {

void CompareOrWrite(const std::string& path, const std::string& text) {
  if (std::getenv("RLRUN_UPDATE_ALERTS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(committed, text) << path;
}

TEST(AlertFiles, RecordingRules) {
  CompareOrWrite("alerts/recording.rules.yaml", RenderRecordingRules());
}

TEST(AlertFiles, HealthIsTheTableOfChecks) {
  CompareOrWrite("alerts/health.rules.yaml", RenderRules(HealthAlerts()));
  CompareOrWrite("tests/alerts/promtool/health_test.yaml",
                 RenderTests(HealthAlerts(), "health.rules.yaml"));
}

TEST(AlertFiles, SignaturesAreTheTablesOfRules) {
  CompareOrWrite("alerts/signatures.rules.yaml",
                 RenderRules(SignatureAlerts()));
  CompareOrWrite("tests/alerts/promtool/signatures_test.yaml",
                 RenderTests(SignatureAlerts(), "signatures.rules.yaml"));
}

// Prometheus' templates write a name as RunPath does.
TEST(AlertFiles, LinksOfOddNamesLeadToTheirPages) {
  const YAML::Node file =
      YAML::LoadFile("tests/alerts/promtool/links_test.yaml");
  int links = 0;
  for (const YAML::Node& test : file["tests"]) {
    const YAML::Node alert = test["alert_rule_test"][0]["exp_alerts"][0];
    const YAML::Node labels = alert["exp_labels"];
    const std::string project =
        labels["project"] ? labels["project"].as<std::string>() : "";
    const std::string url =
        alert["exp_annotations"]["run_url"].as<std::string>();
    const std::string host = "http://node-a:10190";
    ASSERT_TRUE(url.starts_with(host)) << url;
    EXPECT_EQ(CanonicalPath(url.substr(host.size())),
              "/runs/" + RunPath(project, labels["run"].as<std::string>()));
    ++links;
  }
  EXPECT_GT(links, 0);
}

// What holds of one link holds of all.
TEST(AlertFiles, EveryAlertLinksInTheSameWay) {
  std::set<std::string> links;
  for (const char* name : {"health", "runs", "signatures"}) {
    const YAML::Node file =
        YAML::LoadFile(std::string("alerts/") + name + ".rules.yaml");
    for (const YAML::Node& group : file["groups"]) {
      for (const YAML::Node& rule : group["rules"]) {
        if (!rule["alert"]) continue;
        links.insert(rule["annotations"]["run_url"].as<std::string>());
      }
    }
  }
  EXPECT_EQ(links.size(), 1u);
}

}  // namespace
}  // namespace rlrun::alerts
