#include "exporter/report/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exporter/signatures/check.h"
#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/record_rules.h"
#include "exporter/signatures/rule.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Every rule, as a finding of each level that it can have.
std::vector<Finding> EveryFinding() {
  std::vector<Finding> all;
  const auto add = [&](const auto& rule) {
    for (const Level level :
         {Level::kInfo, Level::kWarning, Level::kCritical}) {
      if ((rule.severities & LevelBit(level)) == 0) continue;
      Finding finding;
      finding.name = rule.name;
      finding.level = level;
      finding.means = rule.means;
      finding.next = rule.next;
      all.push_back(finding);
    }
  };
  for (const auto rules : {FailureRules(), QualityRules()}) {
    for (const StepRule& rule : rules) add(rule);
  }
  for (const auto rules : {TimeRules(), EventRules(), RecordRules()}) {
    for (const TimeRule& rule : rules) add(rule);
  }
  return all;
}

void ExpectAction(std::string_view name, std::string_view text,
                  std::string_view means) {
  EXPECT_GE(text.size(), 40u) << name;
  EXPECT_NE(text, means) << name;
  // What sends a reader on instead of telling.
  for (const char* vague : {"which key", "named cause", "the alert names",
                            "Critical:", "reader's decision", "RLRun"}) {
    EXPECT_THAT(std::string(text), Not(HasSubstr(vague))) << name;
  }
}

TEST(AdviceOn, EveryFindingOfEveryLevelAsksForAnAction) {
  for (const Finding& finding : EveryFinding()) {
    const Advice advice = AdviceOn(finding);
    ExpectAction(finding.name, advice.text, finding.means);
    const bool undoes = advice.text.find("oll back") != advice.text.npos;
    EXPECT_EQ(advice.cost == Cost::kIrreversible, undoes) << finding.name;
    // A warning is no reason to throw steps away.
    if (finding.level == Level::kWarning) {
      EXPECT_TRUE(!undoes || finding.name == "entropy_explosion")
          << finding.name;
    }
  }
}

TEST(AdviceOn, EveryCheckAsksForAnAction) {
  for (const Check& check : Checks()) {
    CheckResult result;
    result.name = check.name;
    result.means = check.means;
    ExpectAction(check.name, AdviceOn(result).text, check.means);
  }
}

TEST(AdviceOn, KeyOfTheEvidenceChooses) {
  Finding finding;
  finding.name = "kl_blowup";
  finding.level = Level::kWarning;
  finding.evidence = {{"actor/kl_loss", 3, 0.5, 0.2}};
  EXPECT_THAT(std::string(AdviceOn(finding).text), HasSubstr("KL coefficient"));
  finding.evidence = {{"rollout_corr/k3_kl", 3, 0.5, 0.2}};
  EXPECT_THAT(std::string(AdviceOn(finding).text), HasSubstr("newest weights"));
  finding.name = "trainer_crash";
  finding.level = Level::kCritical;
  finding.evidence = {{"disk_full", 3, 2, {}}};
  EXPECT_THAT(std::string(AdviceOn(finding).text), StartsWith("Make room"));
}

TEST(AdviceOn, FindingThatIsNotKnownKeepsItsOwnWords) {
  Finding finding;
  finding.name = "of_a_newer_exporter";
  finding.next = "Roll back to before.";
  EXPECT_EQ(AdviceOn(finding).text, "Roll back to before.");
  EXPECT_EQ(AdviceOn(finding).cost, Cost::kIrreversible);
}

}  // namespace
}  // namespace rlrun
