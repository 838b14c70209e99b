// Each scenario's alert reaches the webhook with what a reader needs; nobody
// else is told of anything.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/alerts/alert.h"
#include "tests/alerts/shipped.h"
#include "tests/e2e/story.h"

namespace rlrun::e2e {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AlertStory : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(story_.error(), ""); }

  const Story& story_ = Story::Get();
};

std::string Name(const AlertId& id) { return id.first + " " + id.second; }

std::string LabelOf(const KnownAlert& alert, const std::string& name) {
  const auto at = alert.labels.find(name);
  return at == alert.labels.end() ? "" : at->second;
}

AlertId IdOf(const KnownAlert& alert) {
  return {LabelOf(alert, "alertname"), LabelOf(alert, "severity")};
}

// What a list holds of a run; `inhibited`: only those that are, or are not.
std::set<AlertId> Of(const std::vector<KnownAlert>& alerts,
                     const std::string& run,
                     std::optional<bool> inhibited = std::nullopt) {
  std::set<AlertId> ids;
  for (const KnownAlert& alert : alerts) {
    if (LabelOf(alert, "run") != run) continue;
    if (inhibited.value_or(alert.inhibited) == alert.inhibited) {
      ids.insert(IdOf(alert));
    }
  }
  return ids;
}

TEST_F(AlertStory, EveryScenarioIsTold) {
  for (const WatchedRun& run : story_.runs().runs()) {
    SCOPED_TRACE(run.name);
    for (const auto* wanted : {&run.fires, &run.fires_late}) {
      for (const AlertId& id : *wanted) {
        const Told* told = story_.Find(run.name, id, true);
        EXPECT_NE(told, nullptr) << Name(id) << " was not told";
        if (told == nullptr) continue;
        EXPECT_EQ(told->alert.label("project"), "lab");
        EXPECT_EQ(told->alert.annotation("run_url"),
                  story_.exporter_url + "/runs/lab/" + run.name);
      }
    }
  }
}

TEST_F(AlertStory, NobodyElseIsToldOfAnything) {
  for (const Told& told : story_.told()) {
    if (told.part == Told::Part::kDown) continue;
    ASSERT_NE(told.run, "") << Name(told.id);
    const WatchedRun& run = story_.runs().run(told.run);
    EXPECT_TRUE(run.fires.count(told.id) + run.fires_late.count(told.id) +
                run.may_fire.count(told.id))
        << told.run << " " << Name(told.id) << "\n"
        << told.alert.annotation("description");
  }
}

// To Prometheus itself, at the moment when all that falls ill is ill.
TEST_F(AlertStory, NothingElseFires) {
  std::set<std::string> names = {""};
  for (const WatchedRun& run : story_.runs().runs()) {
    SCOPED_TRACE(run.name);
    names.insert(run.name);
    const std::set<AlertId> firing = Of(story_.firing, run.name);
    for (const AlertId& id : run.fires) {
      EXPECT_EQ(firing.count(id), 1u) << Name(id);
    }
    for (const AlertId& id : run.inhibited) {
      EXPECT_EQ(firing.count(id), 1u) << Name(id);
    }
    for (const AlertId& id : firing) {
      EXPECT_TRUE(run.fires.count(id) + run.fires_late.count(id) +
                  run.may_fire.count(id) + run.inhibited.count(id))
          << Name(id);
    }
  }
  for (const KnownAlert& alert : story_.firing) {
    const std::string run = LabelOf(alert, "run");
    EXPECT_EQ(names.count(run), 1u) << run;
    if (run.empty()) ADD_FAILURE() << Name(IdOf(alert));
  }
}

// A run of three hundred steps with ordinary noise: not even for one step, and
// not before anybody looked, has it had a finding.
TEST_F(AlertStory, OrdinaryNoiseHasNoFindingAtAnyStep) {
  const std::string& text = story_.metrics;
  EXPECT_EQ(daemon::SampleValue(text, "rlrun_last_step",
                                "run=\"noise\",project=\"lab\",line=\"train\""),
            300);
  std::size_t signatures = 0;
  constexpr std::string_view kName = "\nrlrun_signature_activations_total{";
  for (std::size_t at = text.find(kName); at != std::string::npos;
       at = text.find(kName, at + 1)) {
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at);
    if (line.find("run=\"noise\"") == std::string::npos) continue;
    ++signatures;
    EXPECT_THAT(line, HasSubstr("} 0\n"));
  }
  EXPECT_GT(signatures, 20u);
}

// What stands in `text` behind "\n`name`: ", up to the end of the line.
std::string Line(const std::string& text, const std::string& name) {
  const std::string mark = "\n" + name + ": ";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

void ExpectTextOf(const scenarios::Expectation& row, const Told& told) {
  const std::string& text = told.alert.annotation("description");
  SCOPED_TRACE(text);
  EXPECT_EQ(told.alert.label("signature"), row.signature);
  EXPECT_THAT(text, StartsWith("lab/" + row.run + ": "));
  EXPECT_THAT(told.alert.annotation("summary"),
              StartsWith("lab/" + row.run + ": "));
  EXPECT_GT(Line(text, "Next").size(), 10u);
  const std::string since = Line(text, "Since step");
  if (row.by_step) {
    EXPECT_LE(std::stoi(since), *row.by_step);
    EXPECT_GE(std::stoi(since), 1);
  } else if (row.log.empty()) {
    EXPECT_EQ(since, "none yet") << "a record tells of no step";
  } else if (row.steps > 0) {
    EXPECT_EQ(since, std::to_string(row.steps));
  }
  const std::string evidence = Line(text, "Evidence");
  EXPECT_THAT(evidence, HasSubstr(" = "));
  if (row.evidence.empty()) return;
  std::string named;
  for (const std::string& key : row.evidence) {
    if (evidence.find(key + " = ") != std::string::npos) named = key;
  }
  EXPECT_NE(named, "") << testing::PrintToString(row.evidence);
}

TEST_F(AlertStory, TextsNameRunStepEvidenceAndNextAction) {
  for (const WatchedRun& run : story_.runs().runs()) {
    for (const scenarios::Expectation& row : run.ledger) {
      if (row.signature.empty()) continue;
      const Told* told = story_.Find(
          run.name, {alerts::AlertName("", row.signature), row.level}, true);
      EXPECT_NE(told, nullptr) << run.name;
      if (told != nullptr) ExpectTextOf(row, *told);
    }
  }
}

// Served by an exporter that is up: of one that is gone there is none.
std::string RunbookOf(const Told& told, const std::string& exporter) {
  if (told.id.first == "RLRunExporterDown") return "";
  return exporter + "/runbooks/" + told.id.first +
         (told.run.empty() ? "" : "?project=lab&run=" + told.run);
}

TEST_F(AlertStory, EveryToldAlertHasItsRunbook) {
  for (const Told& told : story_.told()) {
    // An exporter that is gone serves none.
    if (told.part != Told::Part::kDown) {
      EXPECT_EQ(told.alert.annotation("runbook_url"),
                RunbookOf(told, story_.exporter_url))
          << Name(told.id);
    }
    EXPECT_TRUE(
        std::filesystem::exists("alerts/runbooks/" + told.id.first + ".md"))
        << told.id.first;
  }
  EXPECT_GT(story_.runbooks.size(), 50u);
  for (const auto& [url, answer] : story_.runbooks) {
    EXPECT_EQ(answer.status, 200) << url;
    const std::string run = url.substr(url.rfind('=') + 1);
    EXPECT_THAT(answer.body, HasSubstr("run=&quot;" + run + "&quot;")) << url;
    EXPECT_THAT(answer.body, Not(HasSubstr("PROJECT"))) << url;
  }
}

// All rows of the tables and of the rules about runs, by severity. What is only
// about the exporter has its unit tests.
TEST_F(AlertStory, EveryAlertAboutRunsIsToldInSomeScenario) {
  std::set<AlertId> told;
  for (const Told& one : story_.told()) {
    if (one.alert.firing) told.insert(one.id);
  }
  // Told only where no signature says more, and each of these comes with one.
  const std::set<std::string> always_with_a_signature = {
      "RLRunCheckRewardNonzero", "RLRunCheckPgClipfracAbsent"};
  // Needs a file that the exporter may not read, as root it may.
  const std::set<std::string> not_here = {"RLRunSourceUnreadable"};
  std::set<AlertId> fired;
  for (const KnownAlert& alert : story_.firing) fired.insert(IdOf(alert));
  for (const alerts::ShippedRule& rule : alerts::ShippedRules()) {
    if (rule.alert.empty() || rule.file.ends_with("exporter.rules.yaml") ||
        not_here.count(rule.alert) != 0) {
      continue;
    }
    const AlertId id{rule.alert, rule.labels.at("severity")};
    const bool silenced = always_with_a_signature.count(rule.alert) != 0;
    EXPECT_EQ((silenced ? fired : told).count(id), 1u) << Name(id);
  }
}

TEST_F(AlertStory, EveryRuleIsEvaluated) {
  EXPECT_THAT(story_.failed_rules, testing::IsEmpty());
}

TEST_F(AlertStory, InhibitedAlertsAreNotTold) {
  for (const WatchedRun& run : story_.runs().runs()) {
    SCOPED_TRACE(run.name);
    const std::set<AlertId> inhibited = Of(story_.active, run.name, true);
    for (const AlertId& id : run.inhibited) {
      EXPECT_EQ(inhibited.count(id), 1u) << Name(id);
    }
    for (const AlertId& id : run.fires) {
      EXPECT_EQ(inhibited.count(id), 0u) << Name(id);
    }
  }
}

// It stays for a while behind the crash, and nobody needs to hear of it then.
TEST_F(AlertStory, ACrashSilencesTheRestOfItsRun) {
  EXPECT_THAT(Of(story_.active_at_end.at("crashes_sick"), "crashes_sick", true),
              Contains(AlertId("RLRunEntropyExplosion", "warning")));
  EXPECT_THAT(
      Of(story_.active_at_end.at("crashes_sick"), "crashes_sick", false),
      testing::ElementsAre(AlertId("RLRunTrainerCrash", "critical")));
}

TEST_F(AlertStory, TheDeathOfAnAppSilencesTheRestOfItsRun) {
  EXPECT_THAT(
      Of(story_.active_at_end.at("app_dies_sick"), "app_dies_sick", true),
      Contains(AlertId("RLRunEntropyExplosion", "warning")));
  EXPECT_THAT(
      Of(story_.active_at_end.at("app_dies_sick"), "app_dies_sick", false),
      testing::ElementsAre(AlertId("RLRunAppDied", "critical")));
}

TEST_F(AlertStory, NobodyIsMissedWhereNobodyLooks) {
  EXPECT_THAT(Of(story_.down_active, "is_lost", true),
              testing::ElementsAre(AlertId("RLRunLost", "warning")));
}

TEST_F(AlertStory, OneNotificationIsAboutOneRun) {
  for (const notify::Post& post : story_.posts()) {
    if (post.path != "/rlrun") continue;
    const notify::Notification told = notify::ParseNotification(post.body);
    ASSERT_FALSE(told.alerts.empty()) << post.body;
    const auto run = told.group.find("run");
    for (const notify::NotifiedAlert& alert : told.alerts) {
      EXPECT_EQ(alert.label("run"), run == told.group.end() ? "" : run->second);
    }
  }
}

TEST_F(AlertStory, RecoveryAndEndsResolve) {
  for (const WatchedRun& run : story_.runs().runs()) {
    if (!run.resolves) continue;
    for (const AlertId& id : run.fires) {
      EXPECT_TRUE(std::any_of(story_.told().begin(), story_.told().end(),
                              [&](const Told& told) {
                                return told.part == Told::Part::kLate &&
                                       told.run == run.name && told.id == id &&
                                       !told.alert.firing;
                              }))
          << run.name << " " << Name(id);
    }
  }
}

TEST_F(AlertStory, NothingThatStaysIllIsSaidToBeOver) {
  for (const Told& told : story_.told()) {
    if (told.alert.firing || told.part == Told::Part::kDown) continue;
    const WatchedRun& run = story_.runs().run(told.run);
    EXPECT_TRUE(run.resolves || run.may_fire.count(told.id) != 0 ||
                told.id.first == "RLRunFinished")
        << run.name << " " << Name(told.id);
  }
}

TEST_F(AlertStory, ADeadExporterIsTold) {
  const Told* down = story_.Find("", {"RLRunExporterDown", "critical"}, true);
  ASSERT_NE(down, nullptr);
  EXPECT_THAT(down->alert.annotation("description"),
              HasSubstr(story_.exporter_url.substr(7)));
}

TEST_F(AlertStory, WebhookAndPagerDutySecretsComeFromFiles) {
  std::size_t pages = 0;
  for (const notify::Post& post : story_.posts()) {
    EXPECT_THAT(post.path, AnyOf("/rlrun", "/slack", "/v2/enqueue"));
    if (post.path == "/rlrun") {
      EXPECT_EQ(post.authorization, "Bearer a-token");
    } else if (post.path == "/v2/enqueue") {
      EXPECT_THAT(post.body, HasSubstr("\"routing_key\":\"a-routing-key\""));
      ++pages;
    }
  }
  EXPECT_GT(pages, 0u);
}

TEST_F(AlertStory, LeavesNothingRunning) { EXPECT_TRUE(story_.stopped); }

}  // namespace
}  // namespace rlrun::e2e
