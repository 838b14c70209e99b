// What every alert must have: a runbook, a unit test that fires, is silent and
// resolves, and the labels and annotations that routes and templates read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "exporter/signatures/check.h"
#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/rule.h"
#include "exporter/signatures/time_rules.h"
#include "exporter/store/options.h"
#include "tests/alerts/alert.h"
#include "tests/alerts/shipped.h"

namespace rlrun::alerts {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::vector<ShippedRule> Alerts() {
  std::vector<ShippedRule> rules = ShippedRules();
  std::erase_if(rules, [](const ShippedRule& r) { return r.alert.empty(); });
  return rules;
}

const ShippedRule* Find(const std::vector<ShippedRule>& rules,
                        std::string_view label, std::string_view value,
                        std::string_view severity) {
  for (const ShippedRule& rule : rules) {
    const auto it = rule.labels.find(std::string(label));
    if (it != rule.labels.end() && it->second == value &&
        rule.labels.at("severity") == severity) {
      return &rule;
    }
  }
  return nullptr;
}

TEST(AlertsTest, EveryCheckHasAnAlertWithItsDefaultSteps) {
  const std::vector<ShippedRule> rules = Alerts();
  const CheckOptions defaults;
  for (const Check& check : Checks()) {
    const ShippedRule* rule = Find(rules, "check", check.name, "info");
    ASSERT_NE(rule, nullptr) << check.name;
    const std::string count =
        "{check=\"" + std::string(check.name) +
        "\"} >= " + std::to_string((defaults.*check.bound).alert_after) + "\n";
    EXPECT_THAT(rule->expr, HasSubstr(count));
  }
}

// Held apart from the generator, which takes them from the same defaults.
TEST(AlertsTest, CommentsNameTheDefaultBounds) {
  const std::pair<std::string_view, CheckBound CheckOptions::*> literals[] = {
      {"_pearson_corr: healthy at least ",
       &CheckOptions::routing_replay_pearson},
      {"reason/env_setup_failed: healthy at most ",
       &CheckOptions::env_setup_failed},
      {"reason/timeout: healthy at most ", &CheckOptions::timeout_share},
      {"/invalid_ratio: healthy at most ", &CheckOptions::invalid_ratio},
      {"/clip_ratio: healthy at most ", &CheckOptions::response_clip_ratio},
      {"/aborted_ratio: healthy at most ", &CheckOptions::aborted_ratio},
      {"rollout_corr/kl: healthy at most ", &CheckOptions::rollout_kl},
      {"/vf_explained_var: healthy at least ", &CheckOptions::vf_explained_var},
      {"critic/grad_norm: healthy at most ", &CheckOptions::critic_grad_norm},
      {"/advantages/mean: healthy at least ",
       &CheckOptions::critic_advantages_mean},
      {"_eff_sample_size: healthy at least ", &CheckOptions::eff_sample_size}};
  const std::string rules = ReadText("alerts/health.rules.yaml");
  const CheckOptions defaults;
  for (const auto& [left, bound] : literals) {
    const std::size_t at = rules.find(left);
    ASSERT_NE(at, std::string::npos) << left;
    EXPECT_EQ(std::stod(rules.substr(at + left.size())),
              (defaults.*bound).bound)
        << left;
  }
}

// Each trainer prints under keys of its own: a rule that reads a step metric
// would be silent about the others.
TEST(AlertsTest, NoRuleReadsWhatOneTrainerAlonePrints) {
  for (const ShippedRule& rule : Alerts()) {
    EXPECT_EQ(rule.expr.find("rlrun_step_"), std::string::npos) << rule.alert;
    EXPECT_EQ(rule.expr.find("trajectory_filter"), std::string::npos)
        << rule.alert;
  }
}

TEST(AlertsTest, TheCapOfSeriesIsTheDefault) {
  const std::string cap = std::to_string(StoreOptions().max_series);
  for (const ShippedRule& rule : Alerts()) {
    if (rule.alert != "RLRunExporterSeriesNearCap") continue;
    EXPECT_EQ(rule.expr, "rlrun_exporter_series > 0.8 * " + cap);
    EXPECT_THAT(rule.annotations.at("description"), HasSubstr(cap));
    return;
  }
  FAIL() << "no such alert";
}

template <typename Rules>
void ExpectAlerts(const std::vector<ShippedRule>& shipped, const Rules& rules) {
  for (const auto& rule : rules) {
    for (const Level level :
         {Level::kInfo, Level::kWarning, Level::kCritical}) {
      const bool can = (rule.severities & LevelBit(level)) != 0;
      const bool has =
          std::any_of(shipped.begin(), shipped.end(), [&](const auto& s) {
            return s.expr.find("{signature=\"" + std::string(rule.name) +
                               "\",severity=\"" +
                               std::string(LevelName(level)) + "\"} == 1") !=
                   std::string::npos;
          });
      EXPECT_EQ(can, has) << rule.name << " " << LevelName(level);
    }
  }
}

TEST(AlertsTest, EverySignatureHasAnAlertPerSeverity) {
  const std::vector<ShippedRule> rules = Alerts();
  ExpectAlerts(rules, FailureRules());
  ExpectAlerts(rules, QualityRules());
  ExpectAlerts(rules, TimeRules());
  ExpectAlerts(rules, EventRules());
  ExpectAlerts(rules, RecordRules());
}

TEST(AlertsTest, EveryAlertSaysWhatRoutesAndTemplatesRead) {
  for (const ShippedRule& rule : Alerts()) {
    SCOPED_TRACE(rule.alert);
    EXPECT_TRUE(rule.alert.starts_with("RLRun"));
    ASSERT_EQ(rule.labels.count("severity"), 1u);
    EXPECT_THAT(rule.labels.at("severity"),
                AnyOf("info", "warning", "critical"));
    for (const char* name : {"summary", "description", "runbook_url"}) {
      EXPECT_EQ(rule.annotations.count(name), 1u) << name;
    }
    const std::string& url = rule.annotations.at("runbook_url");
    const std::size_t name = url.find("/runbooks/" + rule.alert);
    ASSERT_NE(name, std::string::npos) << url;
    EXPECT_THAT(url.substr(0, name), HasSubstr("http://{{ "));
    // What is about a run has a runbook about that run.
    EXPECT_EQ(url.find("&run={{ $labels.run ") != std::string::npos,
              rule.expr.find("run:rlrun") != std::string::npos);
    EXPECT_TRUE(
        std::filesystem::exists("alerts/runbooks/" + rule.alert + ".md"));
    // Steps are counted by the exporter, the health of the exporter by nobody.
    const bool judged =
        rule.labels.count("check") + rule.labels.count("signature") != 0;
    EXPECT_EQ(rule.keep_firing_for == "15m" && rule.for_.empty(),
              judged || rule.alert == "RLRunLost");
    EXPECT_EQ(!rule.for_.empty(), rule.file.ends_with("exporter.rules.yaml") ||
                                      rule.alert == "RLRunSourceUnreadable");
    if (!rule.file.ends_with("exporter.rules.yaml")) {
      EXPECT_EQ(rule.annotations.count("run_url"), 1u);
    }
  }
}

// What else is said of a run that is over follows from that, and a run that
// stands still does not hide its end.
TEST(AlertsTest, WhateverEndsARunIsInTheInhibitions) {
  std::string ends;
  for (const ShippedRule& rule : Alerts()) {
    if (rule.expr.find("< 7200") == std::string::npos) continue;
    ends += (ends.empty() ? "" : "|") + rule.alert;
  }
  EXPECT_THAT(ends, HasSubstr("RLRunAppDied"));
  const std::string text = ReadText("alerts/alertmanager.yaml");
  std::vector<std::string> lists;
  for (std::size_t at = text.find("RLRunTrainerCrash"); at != std::string::npos;
       at = text.find("RLRunTrainerCrash", at + 1)) {
    lists.push_back(text.substr(at, text.find('"', at) - at));
  }
  ASSERT_EQ(lists.size(), 3u);
  for (const std::string& list : lists) {
    std::string name;
    for (std::istringstream all(ends); std::getline(all, name, '|');) {
      EXPECT_THAT("|" + list + "|", HasSubstr("|" + name + "|"));
    }
  }
}

TEST(AlertsTest, EveryAlertIsTestedSilentFiringAndResolved) {
  const auto tested = TestedAlerts();
  for (const ShippedRule& rule : Alerts()) {
    const auto it = tested.find(rule.alert);
    ASSERT_NE(it, tested.end()) << rule.alert << " has no unit test";
    bool whole = false;
    for (const std::vector<std::size_t>& counts : it->second) {
      const auto fires = std::find_if(counts.begin(), counts.end(),
                                      [](std::size_t n) { return n > 0; });
      whole |= counts.size() >= 3 && counts.front() == 0 &&
               fires != counts.end() && counts.back() == 0;
    }
    EXPECT_TRUE(whole) << rule.alert;
  }
}

// The text between a heading and the next one.
std::string Section(const std::string& text, const std::string& heading) {
  const std::size_t at = text.find("\n## " + heading + "\n");
  if (at == std::string::npos) return "";
  const std::size_t from = at + heading.size() + 5;
  return text.substr(from, text.find("\n## ", from) - from);
}

TEST(AlertsTest, EveryAlertHasARunbook) {
  for (const ShippedRule& rule : Alerts()) {
    SCOPED_TRACE(rule.alert);
    const std::string text = ReadText("alerts/runbooks/" + rule.alert + ".md");
    EXPECT_TRUE(text.starts_with("# " + rule.alert + "\n"));
    for (const char* heading :
         {"Meaning", "Evidence", "Likely causes", "Now", "Next run"}) {
      EXPECT_GT(Section(text, heading).size(), 15u) << heading;
    }
    EXPECT_THAT(Section(text, "Evidence"), HasSubstr("`"));
  }
}

TEST(AlertsTest, EveryRunbookHasAnAlert) {
  const std::vector<ShippedRule> rules = Alerts();
  for (const std::string& path : Files("alerts/runbooks", "")) {
    const std::string name = std::filesystem::path(path).stem().string();
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [&](const auto& rule) {
      return rule.alert == name;
    })) << path;
  }
}

}  // namespace
}  // namespace rlrun::alerts
