#include "tests/alerts/shipped.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace rlrun::alerts {
namespace {

std::map<std::string, std::string> ReadMap(const YAML::Node& node) {
  std::map<std::string, std::string> out;
  for (const auto& pair : node) {
    out[pair.first.as<std::string>()] = pair.second.as<std::string>();
  }
  return out;
}

ShippedRule ReadRule(const std::string& file, const YAML::Node& node) {
  ShippedRule rule;
  rule.file = file;
  rule.alert = node["alert"].as<std::string>("");
  rule.record = node["record"].as<std::string>("");
  rule.expr = node["expr"].as<std::string>();
  rule.for_ = node["for"].as<std::string>("");
  rule.keep_firing_for = node["keep_firing_for"].as<std::string>("");
  if (node["labels"]) rule.labels = ReadMap(node["labels"]);
  if (node["annotations"]) rule.annotations = ReadMap(node["annotations"]);
  return rule;
}

bool IsNameChar(char c) {
  return c == '_' || c == ':' || std::isalnum(static_cast<unsigned char>(c));
}

// The names of labels of a selector: `text` begins behind its brace.
std::set<std::string> ReadLabels(std::string_view text) {
  std::set<std::string> labels;
  std::string name;
  bool quoted = false;
  bool in_value = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quoted) {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == '}') {
      break;
    } else if (c == ',') {
      in_value = false;
      name.clear();
    } else if (!in_value && (c == '=' || c == '!')) {
      labels.insert(name);
      in_value = true;
    } else if (!in_value && IsNameChar(c)) {
      name += c;
    }
  }
  return labels;
}

}  // namespace

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> Files(const std::string& folder,
                               std::string_view suffix) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with(suffix)) {
      out.push_back(entry.path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<ShippedRule> ShippedRules() {
  std::vector<ShippedRule> rules;
  for (const std::string& path : Files("alerts", ".rules.yaml")) {
    for (const YAML::Node& group : YAML::LoadFile(path)["groups"]) {
      for (const YAML::Node& rule : group["rules"]) {
        rules.push_back(ReadRule(path, rule));
      }
    }
  }
  return rules;
}

std::map<std::string, std::vector<std::vector<std::size_t>>> TestedAlerts() {
  std::map<std::string, std::vector<std::vector<std::size_t>>> tested;
  for (const std::string& path : Files("tests/alerts/promtool", "_test.yaml")) {
    for (const YAML::Node& test : YAML::LoadFile(path)["tests"]) {
      std::map<std::string, std::vector<std::size_t>> moments;
      for (const YAML::Node& moment : test["alert_rule_test"]) {
        moments[moment["alertname"].as<std::string>()].push_back(
            moment["exp_alerts"].size());
      }
      for (auto& [alert, counts] : moments) tested[alert].push_back(counts);
    }
  }
  return tested;
}

std::vector<MetricUse> MetricUses(std::string_view text) {
  std::vector<MetricUse> uses;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsNameChar(text[i]) || (i > 0 && IsNameChar(text[i - 1]))) continue;
    std::size_t end = i;
    while (end < text.size() && IsNameChar(text[end])) ++end;
    std::string_view name = text.substr(i, end - i);
    while (name.ends_with(':')) name.remove_suffix(1);
    if (!name.starts_with("rlrun_") && !name.starts_with("run:rlrun_")) {
      continue;
    }
    MetricUse use{std::string(name), {}};
    if (end < text.size() && text[end] == '{') {
      use.labels = ReadLabels(text.substr(end + 1));
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace rlrun::alerts
