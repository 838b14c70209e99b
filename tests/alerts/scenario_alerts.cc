// Writes a file for `promtool test rules` in which every scenario meets the
// shipped rules: its log is read by the whole exporter, its exposition becomes
// the input series, and the alerts that must fire are those of its ledger and
// no other.
//   scenario_alerts RULES_FOLDER FILE

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "exporter/app/app.h"
#include "exporter/app/log.h"
#include "exporter/config/config.h"
#include "exporter/exposition/exposition.h"
#include "tests/alerts/alert.h"
#include "tests/scenarios/memory_sink.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/scenario_files.h"

namespace rlrun::alerts {
namespace {

using scenarios::Expectation;
using scenarios::Scenario;

std::string Expose(const Scenario& scenario, std::int64_t at) {
  InMemoryFileSource files;
  files.Mkdir("/runs");
  scenarios::MemorySink sink(&files);
  WriteScenario(scenario, {}, "/runs", &sink);
  Config config;
  config.roots.emplace_back().path = "/runs";
  AppOptions options;
  options.age_limits = false;
  App app(config, options, &files);
  app.ReadInline({1000, static_cast<double>(at)});
  std::string text;
  AppendBlocks(&text, app.snapshot()->blocks, TextFormat::kText004);
  return text;
}

// One sample as a series that stays. promtool's clock begins at 0, which is
// `at`; what is no number cannot be written there.
std::string Series(const std::string& line, double at) {
  const std::size_t space = line.rfind(' ');
  if (line.empty() || line[0] == '#' || space == line.npos) return "";
  std::string value = line.substr(space + 1);
  if (value.find_first_of("NI") != value.npos) return "";
  if (line.find("_timestamp_seconds{") != line.npos) {
    char shifted[40];
    std::snprintf(shifted, sizeof shifted, "%.3f", std::stod(value) - at);
    value = shifted;
  }
  std::string series;
  for (const char c : line.substr(0, space))
    series += c == '\'' ? "''" : std::string(1, c);
  return "      - series: '" + series + "'\n        values: '" + value +
         "x10'\n";
}

std::string Sample(const std::string& alert, const std::string& severity) {
  return "          - labels: '{alertname=\"" + alert + "\",severity=\"" +
         severity + "\"}'\n            value: 1\n";
}

// The begin of a test: what an exporter exposes at `at`.
std::string Input(const std::string& name, const std::string& exposition,
                  std::int64_t at) {
  std::string out =
      "  - name: " + name + "\n    interval: 1m\n    input_series:\n";
  std::istringstream lines(exposition);
  for (std::string line; std::getline(lines, line);) {
    out += Series(line, static_cast<double>(at));
  }
  return out;
}

// The end of a test: what fires of `run`, but for `companions`.
std::string Output(const std::string& run, const std::string& companions,
                   const std::set<std::string>& samples) {
  std::string out =
      "    promql_expr_test:\n      - expr: count by (alertname, severity) "
      "(ALERTS{alertstate=\"firing\",run=\"" +
      run + "\",alertname!~\"" + companions +
      "\"})\n        eval_time: 5m\n        exp_samples:" +
      (samples.empty() ? " []" : "") + "\n";
  for (const std::string& sample : samples) out += sample;
  return out;
}

// A test of the scenario's only run.
std::string Test(const Scenario& scenario) {
  const std::vector<Expectation> ledger = scenarios::ScenarioLedger(scenario);
  const Expectation& first = ledger.front();
  const std::string out =
      Input(scenario.name, Expose(scenario, first.at), first.at);
  std::set<std::string> samples;
  // A process that was seen before it was gone is not in a log.
  if (!scenario.needs_process) {
    for (const Expectation& row : ledger) {
      if (row.signature.empty()) continue;
      samples.insert(Sample(AlertName("", row.signature), row.level));
    }
  }
  for (const std::string& check : first.checks) {
    samples.insert(Sample(AlertName("Check", check), "info"));
  }
  // What may stand beside; a signature that must be there is no companion.
  std::string companions = "none";
  for (const scenarios::Companion& companion : first.companions) {
    const auto wanted = [&](const Expectation& row) {
      return row.signature == companion.signature;
    };
    if (std::any_of(ledger.begin(), ledger.end(), wanted)) continue;
    companions += "|" + AlertName("", companion.signature);
  }
  return out + Output(first.run, companions, samples);
}

int Run(const std::string& rules, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  out << "rule_files:\n";
  for (const char* file : {"recording", "signatures", "health", "runs"}) {
    out << "  - " << rules << "/" << file << ".rules.yaml\n";
  }
  out << "evaluation_interval: 1m\ntests:\n";
  for (const Scenario& scenario : scenarios::Scenarios()) out << Test(scenario);
  return out.flush() ? 0 : 1;
}

}  // namespace
}  // namespace rlrun::alerts

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: scenario_alerts RULES_FOLDER FILE\n";
    return 64;
  }
  if (!rlrun::SetupLog("error", "logfmt")) return 1;
  return rlrun::alerts::Run(argv[1], argv[2]);
}
