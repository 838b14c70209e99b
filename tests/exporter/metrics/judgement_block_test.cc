#include "exporter/metrics/judgement_block.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "exporter/exposition/exposition.h"
#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kRun = "run=\"exp\"";

std::string Text(const Judgement& judgement) {
  std::string text;
  const std::shared_ptr<const SampleBlock> block =
      std::make_shared<const SampleBlock>(RenderJudgement(judgement, kRun));
  AppendBlocks(&text, {&block, 1}, TextFormat::kText004);
  EXPECT_THAT(CheckExposition(text, false).errors, IsEmpty()) << text;
  return RenderJudgement(judgement, kRun).text;
}

Finding MakeFinding(std::string_view name, Level level) {
  Finding finding;
  finding.name = name;
  finding.severities = LevelBit(Level::kWarning) | LevelBit(Level::kCritical);
  finding.level = level;
  finding.activations = 3;
  return finding;
}

TEST(JudgementBlockTest, StartingRunOfWhichNothingIsKnown) {
  EXPECT_EQ(Text({}),
            "rlrun_health{run=\"exp\",level=\"healthy\"} 1\n"
            "rlrun_health{run=\"exp\",level=\"at_risk\"} 0\n"
            "rlrun_health{run=\"exp\",level=\"critical\"} 0\n"
            "rlrun_state{run=\"exp\",state=\"starting\"} 1\n"
            "rlrun_state{run=\"exp\",state=\"running\"} 0\n"
            "rlrun_state{run=\"exp\",state=\"stalled\"} 0\n"
            "rlrun_state{run=\"exp\",state=\"finished\"} 0\n"
            "rlrun_state{run=\"exp\",state=\"failed\"} 0\n"
            "rlrun_state{run=\"exp\",state=\"interrupted\"} 0\n"
            "rlrun_state{run=\"exp\",state=\"lost\"} 0\n");
}

TEST(JudgementBlockTest, DecisionWhileThereIsOne) {
  Judgement judgement;
  judgement.decision = Decision::kWait;
  judgement.health = Health::kCritical;
  judgement.state = RunState::kLost;
  const std::string text = Text(judgement);
  EXPECT_THAT(text,
              HasSubstr("rlrun_decision{run=\"exp\",decision=\"continue\"} 0\n"
                        "rlrun_decision{run=\"exp\",decision=\"wait\"} 1\n"
                        "rlrun_decision{run=\"exp\",decision=\"stop\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("level=\"critical\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("state=\"lost\"} 1\n"));
}

TEST(JudgementBlockTest, OneSeriesPerSeverityAndTheOneInForce) {
  Judgement judgement;
  judgement.findings = {MakeFinding("no_signal", Level::kWarning)};
  judgement.findings[0].since_step = 12;
  judgement.findings[0].evidence = {{"critic/score/max", 14, 0.5, {}}};
  const std::string text = Text(judgement);
  const std::string front = "{run=\"exp\",signature=\"no_signal\"";
  EXPECT_THAT(
      text, HasSubstr("rlrun_signature_active" + front +
                      ",severity=\"warning\"} 1\n" + "rlrun_signature_active" +
                      front + ",severity=\"critical\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("info")));
  EXPECT_THAT(text, HasSubstr("rlrun_signature_evidence" + front +
                              ",key=\"critic/score/max\"} 0.5\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_signature_since_step" + front + "} 12\n"));
  EXPECT_THAT(text,
              HasSubstr("rlrun_signature_activations_total" + front + "} 3\n"));
}

TEST(JudgementBlockTest, QuietFindingHasNoEvidence) {
  Judgement judgement;
  judgement.findings = {MakeFinding("stall", Level::kNone)};
  judgement.findings[0].severities = LevelBit(Level::kInfo);
  judgement.findings[0].since_step = 1;
  judgement.findings[0].evidence = {{"a", 1, 1, {}}};
  const std::string text = Text(judgement);
  EXPECT_THAT(text, HasSubstr("severity=\"info\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("warning")));
  EXPECT_THAT(text, Not(HasSubstr("critical\"} 1")));
  EXPECT_THAT(text, Not(HasSubstr("since_step")));
  EXPECT_THAT(text, Not(HasSubstr("evidence")));
  EXPECT_THAT(text, HasSubstr("activations_total"));
}

TEST(JudgementBlockTest, EvidenceOfTheSameKeyOnceAndAtMostFour) {
  Judgement judgement;
  judgement.findings = {MakeFinding("x", Level::kCritical)};
  judgement.findings[0].evidence = {
      {"a", 1, 1, {}}, {"a", 1, 2, {}}, {"b", 1, std::nan(""), {}},
      {"c", 1, 4, {}}, {"d", 1, 5, {}}, {"e", 1, 6, {}}};
  const std::string text = Text(judgement);
  EXPECT_THAT(text, HasSubstr("key=\"a\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("key=\"a\"} 2\n")));
  EXPECT_THAT(text, HasSubstr("key=\"b\"} NaN\n"));
  EXPECT_THAT(text, HasSubstr("key=\"d\"} 5\n"));
  EXPECT_THAT(text, Not(HasSubstr("key=\"e\"")));
}

TEST(JudgementBlockTest, KeysThatAreRepairedToOneTextStayApart) {
  Judgement judgement;
  judgement.findings = {MakeFinding("x", Level::kCritical)};
  judgement.findings[0].evidence = {
      {"a\xFF", 1, 1, {}}, {"a\xFE", 1, 2, {}}, {"q\"\n\\", 1, 3, {}}};
  const std::string text = Text(judgement);
  EXPECT_THAT(text, HasSubstr("} 1\n"));
  EXPECT_THAT(text, HasSubstr("} 2\n"));
  EXPECT_THAT(text, HasSubstr("key=\"q\\\"\\n\\\\\"} 3\n"));
}

TEST(JudgementBlockTest, FindingOrCheckTwiceIsWrittenOnce) {
  Judgement judgement;
  judgement.findings = {MakeFinding("x", Level::kWarning),
                        MakeFinding("x", Level::kCritical)};
  judgement.checks.resize(2);
  judgement.checks[0].name = judgement.checks[1].name = "actor_lr";
  EXPECT_THAT(Text(judgement), HasSubstr("severity=\"warning\"} 1\n"));
}

TEST(JudgementBlockTest, ChecksWithTheBoundsThatTheyHave) {
  Judgement judgement;
  judgement.checks.resize(3);
  judgement.checks[0].name = "both";
  judgement.checks[0].failing_steps = 7;
  judgement.checks[0].min = 0.1;
  judgement.checks[0].max = 2;
  judgement.checks[1].name = "low";
  judgement.checks[1].min = -1;
  judgement.checks[2].name = "high";
  judgement.checks[2].max = 30;
  EXPECT_THAT(
      Text(judgement),
      HasSubstr(
          "rlrun_check_failing_steps{run=\"exp\",check=\"both\"} 7\n"
          "rlrun_check_failing_steps{run=\"exp\",check=\"low\"} 0\n"
          "rlrun_check_failing_steps{run=\"exp\",check=\"high\"} 0\n"
          "rlrun_check_threshold{run=\"exp\",check=\"both\",bound=\"min\"} "
          "0.1\n"
          "rlrun_check_threshold{run=\"exp\",check=\"both\",bound=\"max\"} 2\n"
          "rlrun_check_threshold{run=\"exp\",check=\"low\",bound=\"min\"} -1\n"
          "rlrun_check_threshold{run=\"exp\",check=\"high\",bound=\"max\"} "
          "30\n"));
}

}  // namespace
}  // namespace rlrun
