// The committed rule files and their unit tests are what the tables of the
// exporter say: RLRUN_UPDATE_ALERTS=1 writes them, otherwise they are compared.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

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

}  // namespace
}  // namespace rlrun::alerts
