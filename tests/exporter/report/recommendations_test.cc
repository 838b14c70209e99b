#include "exporter/report/recommendations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "exporter/signatures/event_rules.h"
#include "exporter/signatures/rule.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Finding Active(std::string_view name, Level level, std::string_view next) {
  Finding finding;
  finding.name = name;
  finding.level = level;
  finding.next = next;
  return finding;
}

CheckResult Failed(std::string_view name, std::string_view means) {
  CheckResult check;
  check.name = name;
  check.failing_steps = check.alert_after = 2;
  check.means = means;
  return check;
}

TEST(Recommendations, HealthyRunIsLeftAlone) {
  Judgement judgement;
  judgement.state = RunState::kRunning;
  EXPECT_THAT(Recommendations(judgement), ElementsAre("Let it run."));
  judgement.state = RunState::kFinished;
  EXPECT_THAT(Recommendations(judgement), IsEmpty());
}

TEST(Recommendations, TheCheapestComesFirst) {
  Judgement judgement;
  judgement.findings = {
      Active("reward_drop", Level::kCritical, "Roll back."),
      Active("frozen_model", Level::kCritical, "Look at the schedule."),
      Active("no_progress", Level::kWarning, "Look at the tail.")};
  EXPECT_THAT(Recommendations(judgement),
              ElementsAre(StartsWith("no_progress: Read"),
                          StartsWith("frozen_model: Read"),
                          StartsWith("reward_drop: Roll back.")));
}

TEST(Recommendations, ThreeOfTheWorstAreChosenBeforeTheyAreOrdered) {
  Judgement judgement;
  judgement.findings = {
      Active("no_progress", Level::kWarning, "a"),
      Active("plateau", Level::kInfo, "b"),
      Active("reward_drop", Level::kCritical, "c: roll back"),
      Active("validation_missing", Level::kWarning, "d"),
  };
  judgement.checks = {Failed("rollout_kl", "e")};
  EXPECT_THAT(Recommendations(judgement),
              ElementsAre(StartsWith("no_progress: "),
                          StartsWith("validation_missing: "),
                          StartsWith("reward_drop: c")));
}

TEST(Recommendations, DecisionToStopIsOneOfThemAndTheLast) {
  Judgement judgement;
  judgement.decision = Decision::kStop;
  judgement.findings = {Active("reward_drop", Level::kCritical, "roll back"),
                        Active("no_signal", Level::kCritical, "b"),
                        Active("stall", Level::kWarning, "c")};
  EXPECT_THAT(Recommendations(judgement),
              ElementsAre(StartsWith("no_signal: Score"),
                          StartsWith("reward_drop: roll back"),
                          HasSubstr("is your decision")));
}

TEST(Recommendations, OneSentenceIsSaidOnce) {
  Judgement judgement;
  judgement.findings = {Active("a", Level::kWarning, "same"),
                        Active("b", Level::kWarning, "same"),
                        Active("c", Level::kNone, "not active"),
                        Active("d", Level::kWarning, "")};
  EXPECT_THAT(Recommendations(judgement), ElementsAre("a: same"));
}

TEST(Recommendations, FailedCheckSaysWhatToDo) {
  Judgement judgement;
  judgement.checks = {Failed("rollout_kl", "They disagree.")};
  CheckResult young = Failed("aborted_ratio", "x");
  young.failing_steps = 1;
  judgement.checks.push_back(young);
  EXPECT_THAT(Recommendations(judgement),
              ElementsAre(StartsWith("rollout_kl: See whether it began")));
}

TEST(Recommendations, CheckThatAFindingTellsOfTakesNoPlace) {
  Judgement judgement;
  judgement.findings = {Active("env_avalanche", Level::kWarning, "a")};
  judgement.checks = {Failed("env_setup_failed", "b"),
                      Failed("timeout_share", "c")};
  EXPECT_THAT(Recommendations(judgement),
              ElementsAre(StartsWith("env_avalanche: "),
                          StartsWith("timeout_share: ")));
  judgement.findings[0].level = Level::kNone;
  EXPECT_THAT(Recommendations(judgement),
              ElementsAre(StartsWith("env_setup_failed: "),
                          StartsWith("timeout_share: ")));
}

TEST(Recommendations, WaitingIsNotLettingItRun) {
  Judgement judgement;
  judgement.state = RunState::kRunning;
  judgement.decision = Decision::kWait;
  for (const auto& [reason, text] :
       {std::pair(WaitReason::kStale, "process lives"),
        std::pair(WaitReason::kUnreadable, "readable"),
        std::pair(WaitReason::kFewSteps, "more steps")}) {
    judgement.wait_reason = reason;
    EXPECT_THAT(Recommendations(judgement), ElementsAre(HasSubstr(text)));
  }
  judgement.decision.reset();
  judgement.state = RunState::kLost;
  EXPECT_THAT(Recommendations(judgement), ElementsAre(HasSubstr("journal")));
}

// Of every rule that there is.
TEST(Recommendations, WhatCannotBeUndoneIsTheReadersDecision) {
  std::vector<Finding> all;
  for (const auto rules : {FailureRules(), QualityRules()}) {
    for (const StepRule& rule : rules) {
      all.push_back(Active(rule.name, Level::kWarning, rule.next));
    }
  }
  for (const auto rules : {TimeRules(), EventRules()}) {
    for (const TimeRule& rule : rules) {
      all.push_back(Active(rule.name, Level::kWarning, rule.next));
    }
  }
  for (const Finding& finding : all) {
    Judgement judgement;
    judgement.findings = {finding};
    const auto items = Recommendations(judgement);
    ASSERT_EQ(items.size(), 1u) << finding.name;
    std::string text = items.front();
    for (char& c : text) c = c == 'R' ? 'r' : c;
    if (text.find("roll back") == std::string::npos) continue;
    EXPECT_THAT(text, HasSubstr("your decision")) << finding.name;
  }
}

}  // namespace
}  // namespace rlrun
