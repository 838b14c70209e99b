// The lines of the report: there with their inputs, absent without.
#include "exporter/report/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporter/report/check_words.h"
#include "tests/exporter/report/report_fixture.h"

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kNan = RunBuilder::kNan;
constexpr double kInf = RunBuilder::kInf;

using RunReportTest = ReportFixture;

TEST(ReportNumber, WholeNumbersInFullAndOthersInFiveDigits) {
  EXPECT_EQ(ReportNumber(0), "0");
  EXPECT_EQ(ReportNumber(-0.0), "0");
  EXPECT_EQ(ReportNumber(1679715), "1679715");
  EXPECT_EQ(ReportNumber(-12), "-12");
  EXPECT_EQ(ReportNumber(0.2635621750363183), "0.26356");
  EXPECT_EQ(ReportNumber(1e-6), "1e-06");
  EXPECT_EQ(ReportNumber(123456.75), "1.2346e+05");
  EXPECT_EQ(ReportNumber(1e20), "1e+20");
  EXPECT_EQ(ReportNumber(kNan), "nan");
  EXPECT_EQ(ReportNumber(kInf), "inf");
  EXPECT_EQ(ReportNumber(-kInf), "-inf");
}

TEST(ReportDuration, LongOnesHaveDays) {
  EXPECT_EQ(LongDuration(0), "0-00:00:00");
  EXPECT_EQ(LongDuration(86399.9), "0-23:59:59");
  EXPECT_EQ(LongDuration(2 * 86400 + 3 * 3600 + 4 * 60 + 5), "2-03:04:05");
  EXPECT_EQ(LongDuration(-5), "0-00:00:00");
}

TEST(ReportDuration, ShortOnesHaveOneUnit) {
  EXPECT_EQ(ShortDuration(0), "0 s");
  EXPECT_EQ(ShortDuration(-1), "0 s");
  EXPECT_EQ(ShortDuration(0.314), "0.31 s");
  EXPECT_EQ(ShortDuration(9.2), "9.2 s");
  EXPECT_EQ(ShortDuration(9.97), "10 s");
  EXPECT_EQ(ShortDuration(134.4), "2.2 min");
  EXPECT_EQ(ShortDuration(119), "119 s");
  EXPECT_EQ(ShortDuration(120), "2 min");
  EXPECT_EQ(ShortDuration(12.4 * 60), "12 min");
  EXPECT_EQ(ShortDuration(2 * 3600), "2.0 h");
  EXPECT_EQ(ShortDuration(3 * 86400), "3.0 d");
}

TEST_F(RunReportTest, NothingKnownIsAShortReport) {
  state_ = RunState::kStarting;
  decision_ = Decision::kWait;
  decision_reason_ = "only 0 of 10.";
  EXPECT_EQ(
      Text(),
      "## harbor status — sums\n"
      "\n"
      "**🟢 healthy** — no training step yet\n"
      "\n"
      "  stage    no step yet\n"
      "  quality  Decision: WAIT — only 0 of 10. · Data source: log · "
      "Baseline: "
      "the run's own steps · Evidence is thin: 0 training steps\n"
      "  facts    not stated: total_steps, estimator, routing_replay, lr, "
      "lr_scheduler, lr_warmup_steps, prompts_per_step, responses_per_prompt, "
      "max_response_tokens, test_freq\n"
      "\n"
      "**Diagnosis**\n"
      "no known signature matched\n"
      "\n"
      "**Recommendations**\n"
      "1. Let it run, and look again when it has made more steps.\n");
}

RunFacts AllFacts() {
  RunFacts facts;
  facts.lr = 1e-6;
  facts.lr_scheduler = "constant";
  facts.lr_warmup_steps = 0;
  facts.estimator = "grpo";
  facts.prompts_per_step = 8;
  facts.responses_per_prompt = 4;
  facts.test_freq = 20;
  facts.routing_replay = true;
  facts.max_response_tokens = 1024;
  facts.critic_grad_clip = 1;
  return facts;
}

// Every line, in the order of the contract.
TEST_F(RunReportTest, EverythingKnownIsEveryLineInItsOrder) {
  run_.identity.project = "lab";
  run_.mode = RunMode::kSync;
  run_.total_steps = 94;
  run_.start_time = kNow - 93784;
  run_.progress.modified_time = kNow - 30;
  for (int i = 1; i <= 20; ++i) {
    run_.durations.NoteStep(i);
    run_.durations.Add(i, i <= 10 ? 1000 : 90);
  }
  run_.events.phase = RunPhase::kGenerateRollouts;
  run_.events.last_activity = LogText{{}, "collecting samples"};
  phase_since_ = kNow - 300;
  processes_ = {{"runner", 4711, {}}, {"trainer", std::nullopt, {}}};
  gpus_ = 8;
  Facts(AllFacts());
  keys_.Key("training/epoch", 1)
      .Key("critic/rewards/mean", [](int i) { return 0.01 * i; })
      .Key("actor/grad_norm", 0.25)
      .Key("actor/lr", 1e-6)
      .Key("training/rollout_actor_probs_pearson_corr", 0.9991)
      .Key("num_turns/mean", 6.5)
      .Key("trajectory_filter/invalid_ratio", 0.015625)
      .Key("trajectory_filter/reason/env_setup_failed", 0)
      .Key("trajectory_filter/reason/timeout", 0)
      .Key("fully_async/processing_time/tp99", 12.5)
      .Key("fully_async/count/dropped_stale_samples", 3)
      .Key("fully_async/trainer/idle_ratio", 0.125);
  Play(1, 20);
  Line(20, LineClass::kVal, {{"val-core/lab/sums/reward/mean@8", 0.39}});
  EXPECT_EQ(
      Text(),
      "## harbor status — lab/sums\n"
      "\n"
      "**🟢 healthy** — no known signature matched\n"
      "\n"
      "  stage    step 20/94 (epoch 1) · phase generate_rollouts for 5 min · "
      "running 1-02:03:04 · ~1.5 min/step (mean of the last 10) · log last "
      "written 30 s ago\n"
      "  procs    runner=4711  trainer=gone  GPUs in use: 8\n"
      "  reward   critic/rewards/mean=0.2  (last 10 steps: rising)\n"
      "  grads    actor/grad_norm=0.25  actor/lr=1e-06  pearson=0.9991\n"
      "  traj     num_turns/mean=6.5  invalid_ratio=0.015625  "
      "env_setup_failed=0  timeout=0\n"
      "  val      val-core/lab/sums/reward/mean@8=0.39 (step 20)\n"
      "  also     fully_async/processing_time/tp99=12.5  "
      "fully_async/count/dropped_stale_samples=3  "
      "fully_async/trainer/idle_ratio=0.125\n"
      "  log      collecting samples\n"
      "  quality  Decision: CONTINUE — no warning is active. · Data source: "
      "log "
      "· Baseline: the run's own steps\n"
      "\n"
      "**Diagnosis**\n"
      "no known signature matched\n"
      "\n"
      "**Recommendations**\n"
      "1. Let it run.\n");
}

TEST_F(RunReportTest, EpochIsShownOfSynchronousRunsOnly) {
  keys_.Key("training/epoch", 3).Key("actor/lr", 1);
  Play(1, 1);
  EXPECT_THAT(Row("stage"), HasSubstr("(epoch 3)"));
  for (const RunMode mode : {RunMode::kAsync, RunMode::kSao}) {
    run_.mode = mode;
    EXPECT_THAT(Row("stage"), Not(HasSubstr("epoch")));
  }
}

TEST_F(RunReportTest, EndedRunRanUntilItsLastWriteAndHasNoDecision) {
  state_ = RunState::kFinished;
  state_reason_ = "the log ends in an end mark";
  decision_.reset();
  run_.start_time = kNow - 7200;
  run_.progress.modified_time = kNow - 3600;
  run_.events.phase = RunPhase::kTraining;
  EXPECT_THAT(Row("stage"), AllOf(HasSubstr(" · ran 0-01:00:00"),
                                  HasSubstr("log last written 60 min ago"),
                                  Not(HasSubstr("phase"))));
  EXPECT_THAT(Row("quality"), StartsWith("Data source: log"));
  EXPECT_THAT(Text(), AllOf(HasSubstr("**⚫ finished** — the log ends in an end "
                                      "mark\n"),
                            Not(HasSubstr("**Recommendations**"))));
}

TEST_F(RunReportTest, FutureModificationIsNow) {
  run_.progress.modified_time = kNow + 500;
  EXPECT_THAT(Row("stage"), HasSubstr("log last written 0 s ago"));
}

TEST_F(RunReportTest, MarksFollowDecisionAndHealth) {
  EXPECT_THAT(Text(), HasSubstr("\n**🟢 healthy** — "));
  change_ = [](Judgement* j) { j->health = Health::kAtRisk; };
  EXPECT_THAT(Text(), HasSubstr("\n**🟡 at risk** — "));
  decision_ = Decision::kStop;
  change_ = [](Judgement* j) { j->health = Health::kCritical; };
  EXPECT_THAT(Text(), HasSubstr("\n**🔴 recommend stopping** — "));
  for (const RunState state : {RunState::kFinished, RunState::kFailed,
                               RunState::kInterrupted, RunState::kLost}) {
    state_ = state;
    const std::string name(kRunStateNames[static_cast<std::size_t>(state)]);
    EXPECT_THAT(Text(), HasSubstr("\n**⚫ " + name + "** — "));
  }
}

TEST_F(RunReportTest, TrendSaysOverHowManySteps) {
  keys_.Key("critic/rewards/mean", [](int i) { return -0.1 * i; })
      .Key("actor/lr", 1);
  Play(1, 3);
  EXPECT_EQ(Row("reward"), "critic/rewards/mean=-0.3");
  Play(4, 7);
  EXPECT_EQ(Row("reward"), "critic/rewards/mean=-0.7  (last 7 steps: falling)");
  Play(8, 30);
  EXPECT_EQ(Row("reward"), "critic/rewards/mean=-3  (last 10 steps: falling)");
}

TEST_F(RunReportTest, OnlyTheLastTenStepsMakeTheTrend) {
  keys_.Key("critic/rewards/mean", [](int i) { return i < 20 ? i : 20.0; })
      .Key("actor/lr", 1);
  Play(1, 40);
  EXPECT_THAT(Row("reward"), HasSubstr("flat"));
}

TEST_F(RunReportTest, ScoreStandsInForAMissingReward) {
  keys_.Key("critic/score/mean", 0.5).Key("actor/lr", 1);
  Play(1, 12);
  EXPECT_EQ(Row("reward"), "critic/score/mean=0.5  (last 10 steps: flat)");
}

TEST_F(RunReportTest, NanIsShownAndDoesNotSpoilTheTrend) {
  keys_
      .Key("critic/rewards/mean",
           [](int i) { return i == 12 ? kNan : 0.1 * i; })
      .Key("actor/grad_norm", [](int i) { return i == 12 ? kInf : 1.0; });
  Play(1, 12);
  EXPECT_EQ(Row("reward"),
            "critic/rewards/mean=nan  (10 steps to step 11: rising)");
  EXPECT_EQ(Row("grads"), "actor/grad_norm=inf");
}

TEST_F(RunReportTest, SupervisedRunHasALossAndNoReward) {
  run_.mode = RunMode::kSft;
  keys_.Key("train/loss", [](int i) { return 2 - 0.1 * i; })
      .Key("train/grad_norm", 0.5)
      .Key("train/lr(1e-3)", 0.01);
  Play(1, 12);
  Line(12, LineClass::kVal, {{"val/loss", 0.9}});
  EXPECT_EQ(Row("reward"), "");
  EXPECT_EQ(Row("grads"), "train/grad_norm=0.5  train/lr(1e-3)=0.01");
  EXPECT_EQ(Row("val"), "val/loss=0.9 (step 12)");
  EXPECT_EQ(Row("also"), "train/loss=0.8  (last 10 steps: falling)");
  EXPECT_EQ(Row("facts"),
            "not stated: total_steps, lr, lr_scheduler, lr_warmup_steps, "
            "test_freq");
}

TEST_F(RunReportTest, CriticLineIsOfSaoRunsOnly) {
  keys_.Key("critic/vf_explained_var", 0.3)
      .Key("critic/grad_norm", 9)
      .Key("actor/rollout_corr/rollout_is_eff_sample_size", 0.995)
      .Key("actor/lr", 1e-6);
  Play(1, 12);
  run_.mode = RunMode::kSync;
  EXPECT_EQ(Row("critic"), "");
  EXPECT_THAT(Text(), Not(HasSubstr("bypass")));
  run_.mode = RunMode::kSao;
  EXPECT_EQ(Row("critic"), "vf_explained_var=0.3  grad_norm=9  ESS=0.995");
  EXPECT_EQ(Row("grads"), "actor/lr=1e-06  pearson=n/a (bypass mode)");
}

TEST_F(RunReportTest, PearsonThatIsThereIsShownInBypassModeToo) {
  run_.mode = RunMode::kSao;
  keys_.Key("training/rollout_actor_probs_pearson_corr", 0.99);
  keys_.Key("actor/lr", 1);
  Play(1, 1);
  EXPECT_THAT(Row("grads"), HasSubstr("pearson=0.99"));
}

TEST_F(RunReportTest, ValidationThatIsNotDueYetIsSaidToBe) {
  keys_.Key("actor/lr", 1);
  Play(1, 9);
  EXPECT_EQ(Row("val"), "");
  RunFacts facts;
  facts.test_freq = 10;
  Facts(facts);
  EXPECT_EQ(Row("val"), "test_freq not reached yet (10)");
  Play(10, 10);
  EXPECT_EQ(Row("val"), "none yet, test_freq is 10");
  facts.test_freq = -1;
  Facts(facts);
  EXPECT_EQ(Row("val"), "no validation planned");
}

TEST_F(RunReportTest, ScoreThatIsNoNumberIsAmongThoseOfItsValidation) {
  keys_.Key("actor/lr", 1);
  Play(1, 10);
  Line(10, LineClass::kVal,
       {{"val-core/a/acc/mean@1", kNan}, {"val-core/b/acc/mean@1", 0.5}});
  EXPECT_EQ(Row("val"),
            "val-core/a/acc/mean@1=nan  val-core/b/acc/mean@1=0.5 (step 10)");
}

TEST_F(RunReportTest, ValidationWithoutAMainScoreIsOneAllTheSame) {
  RunFacts facts;
  facts.test_freq = 10;
  Facts(facts);
  Line(0, LineClass::kVal, {{"val-aux/num_turns/mean", 2}});
  EXPECT_EQ(Row("val"), "no main score at step 0");
}

TEST_F(RunReportTest, ManyDataSourcesAreCounted) {
  RunBuilder::Pairs pairs;
  for (char c = 'a'; c < 'a' + 11; ++c) {
    pairs.emplace_back("val-core/" + std::string(1, c) + "/acc/mean@1", 1);
  }
  Line(0, LineClass::kVal, pairs);
  EXPECT_THAT(Row("val"),
              AllOf(HasSubstr("val-core/h/acc"),
                    Not(HasSubstr("val-core/i/acc")), HasSubstr("and 3 more")));
}

TEST_F(RunReportTest, TargetsAreShownBesideTheirValues) {
  rules_->target = {{"critic/rewards/mean", 0.8}, {"x/y", 2}, {"gone", 1}};
  keys_.Key("critic/rewards/mean", 0.5).Key("x/y", 1).Key("actor/lr", 1);
  Play(1, 2);
  EXPECT_EQ(Row("also"), "x/y=1  target critic/rewards/mean=0.8 x/y=2");
}

TEST_F(RunReportTest, ConfiguredBaselineIsNamed) {
  rules_->baseline = {{"critic/score/mean", 0.5}};
  keys_.Key("critic/score/mean", 0.25).Key("actor/lr", 1);
  Play(1, 2);
  EXPECT_THAT(Row("quality"),
              HasSubstr("Baseline: critic/score/mean 0.5 (now 0.25)"));
}

TEST_F(RunReportTest, FewStepsAreThinEvidenceAndTenAreNot) {
  keys_.Key("actor/lr", 1);
  Play(1, 1);
  EXPECT_THAT(Row("quality"), HasSubstr("Evidence is thin: 1 training step"));
  Play(2, 9);
  EXPECT_THAT(Report().thin, ElementsAre("9 training steps"));
  Play(10, 10);
  EXPECT_THAT(Report().thin, IsEmpty());
}

TEST_F(RunReportTest, CutLineIsThinEvidence) {
  keys_.Key("actor/lr", 1);
  Play(1, 10);
  run_.progress.values_skipped[static_cast<std::size_t>(SkipReason::kCut)] = 1;
  EXPECT_THAT(Report().thin, ElementsAre("a cut line among the inputs"));
}

// critic_starvation measures in multiples of the critic's clip.
TEST_F(RunReportTest, FactTakenFromADefaultIsThinEvidence) {
  keys_.Key("critic/vf_explained_var", [](int i) { return 0.01 * (i % 2); })
      .Key("critic/grad_norm", 9)
      .Key("critic/score/mean", [](int i) { return 0.5 + 0.01 * (i % 3); })
      .Key("actor/lr", 1e-6);
  Play(1, 60);
  EXPECT_THAT(Report().thin, ElementsAre("critic.grad_clip taken as 1"));
  Facts(AllFacts());
  EXPECT_THAT(Report().thin, IsEmpty());
}

TEST_F(RunReportTest, UnreadableSourceIsSaidInTwoPlaces) {
  run_.progress.up = false;
  decision_ = Decision::kWait;
  keys_.Key("actor/lr", 1);
  Play(1, 12);
  EXPECT_THAT(Text(), HasSubstr("healthy** — its source cannot be read"));
  EXPECT_THAT(Row("quality"), AllOf(HasSubstr("Decision: WAIT"),
                                    HasSubstr("Data source: unreachable")));
}

TEST_F(RunReportTest, LogShowsTheFirstErrorOfTheBurstThatItEndsIn) {
  run_.events.last_activity = LogText{{}, "last line"};
  EXPECT_EQ(Row("log"), "last line");
  ErrorBurst burst;
  burst.first.text = "the first error";
  burst.newest.offset = 100;
  burst.severe = true;
  run_.events.severe_burst = burst;
  EXPECT_EQ(Row("log"), "the first error");
  run_.events.newest_training_line = 200;  // it went on
  EXPECT_EQ(Row("log"), "last line");
}

TEST_F(RunReportTest, LogShowsTheInterrupt) {
  run_.events.last_activity = LogText{{}, "Traceback"};
  run_.events.interrupt = LogText{{}, "KeyboardInterrupt"};
  EXPECT_EQ(Row("log"), "KeyboardInterrupt");
}

TEST_F(RunReportTest, LogTextIsOneLineOf200Bytes) {
  run_.events.last_activity =
      LogText{{}, "a\n\x1b[31m" + std::string(300, 'x')};
  const std::string text = Report().log_text;
  EXPECT_EQ(text.size(), 203u);
  EXPECT_THAT(text, StartsWith("a  [31mxxx"));
}

TEST_F(RunReportTest, RecoveredFindingsAreListed) {
  change_ = [](Judgement* j) { j->recovered = {{"grad_explosion", 17}}; };
  EXPECT_THAT(Text(), HasSubstr("\n**Recovered**\n- grad_explosion: cleared at "
                                "step 17\n\n**Recommendations**"));
  change_ = nullptr;
  EXPECT_THAT(Text(), Not(HasSubstr("Recovered")));
}

TEST_F(RunReportTest, FindingsStandWithTheirEvidenceTheWorstFirst) {
  change_ = [](Judgement* j) {
    Finding warning;
    warning.name = "stall";
    warning.level = Level::kWarning;
    warning.means = "It is silent.";
    warning.evidence = {{"silence_seconds", 7, 5400, 1800}};
    warning.detail = "in a validation";
    Finding critical;
    critical.name = "nan_inf";
    critical.level = Level::kCritical;
    critical.since_step = 5;
    critical.evidence = {{"actor/pg_loss", 6, kNan, {}},
                         {"actor/grad_norm", -1, kInf, 2}};
    Finding silent;
    silent.name = "reward_drop";
    j->findings = {warning, critical, silent};
    j->health = Health::kCritical;
  };
  const std::string text = Text();
  EXPECT_THAT(
      text,
      HasSubstr("\n**Diagnosis**\n"
                "- nan_inf (critical, since step 5)\n"
                "  evidence: actor/pg_loss=nan at step 6, actor/grad_norm=inf "
                "(above the bound 2)\n"
                "- stall (warning): It is silent.\n"
                "  evidence: silence_seconds=90 min (how long nothing has been "
                "written) at step 7 (above the bound 30 min); in a "
                "validation\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("reward_drop")));
  EXPECT_THAT(text, Not(HasSubstr("no known signature")));
}

TEST_F(RunReportTest, FailedCheckIsNoSignature) {
  change_ = [](Judgement* j) {
    CheckResult check;
    check.name = "rollout_kl";
    check.key = "rollout_corr/kl";
    check.value = 0.02;
    check.step = 9;
    check.max = 0.01;
    check.failing_steps = check.alert_after = 3;
    check.since_step = 7;
    CheckResult young = check;
    young.name = "timeout_share";
    young.failing_steps = 1;
    j->checks = {check, young};
    j->health = Health::kAtRisk;
  };
  EXPECT_THAT(
      Text(),
      AllOf(HasSubstr("at risk** — rollout_kl out of range since "
                      "step 7 (3 steps)\n"),
            HasSubstr("\n**Diagnosis**\n"
                      "no known signature matched\n"
                      "- check rollout_kl: rollout_corr/kl=0.02 at "
                      "step 9, healthy <= 0.01, out of range since step 7 "
                      "(3 steps)\n"),
            Not(HasSubstr("timeout_share"))));
}

TEST(OutOfRange, SaysWhatItCounts) {
  CheckResult check;
  check.name = "rollout_kl";
  check.failing_steps = 1;
  EXPECT_EQ(OutOfRange(check), "for 1 step");  // of an exporter that is older
  check.since_step = 8;
  EXPECT_EQ(OutOfRange(check), "since step 8 (1 step)");
  check.name = "val_nonzero";
  check.failing_steps = 3;
  EXPECT_EQ(OutOfRange(check), "since step 8 (3 validations)");
}

// Names and text of a log that wants to be more than text.
TEST_F(RunReportTest, HostileTextStaysTextInATerminal) {
  run_.identity.run =
      "a\x1b]0;t\x07\n## b\xE2\x80\xAE"
      "c\xFF";
  run_.identity.project = "p\tq";
  run_.events.last_activity = LogText{{},
                                      "x\x1b[2J\xC2\x9B"
                                      "1A\r\n**y**"};
  const std::string text = Text();
  EXPECT_THAT(text, StartsWith("## harbor status — p q/a ]0;t  ## b\xEF\xBF\xBD"
                               "c\xEF\xBF\xBD\n\n"));
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
  EXPECT_THAT(text, Not(HasSubstr("\xC2\x9B")));
  EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xAE")));
}

TEST_F(RunReportTest, HostileTextStaysTextInMarkdown) {
  run_.identity.run = "<img src=x>[a](b)";
  run_.events.last_activity = LogText{{}, "~~~~\n~~~~~~ **x**"};
  change_ = [](Judgement* j) {
    Finding crash;
    crash.name = "trainer_crash";
    crash.level = Level::kCritical;
    crash.evidence = {{"traceback", 3, 1, {}}};
    crash.detail = "`` <b>x</b> http://y ![z](w) @me";
    j->findings = {crash};
    j->health = Health::kCritical;
  };
  const std::string text = Text(ReportStyle::kMarkdown);
  EXPECT_THAT(text, StartsWith("## harbor status — "
                               "\\<img src=x\\>\\[a\\](b)\n"));
  // The block is closed by its own fence and by nothing inside.
  EXPECT_THAT(text, HasSubstr("\n~~~~~~~\n  stage "));
  EXPECT_THAT(text, HasSubstr("\n  log      ~~~~ ~~~~~~ **x**\n"));
  EXPECT_THAT(text, HasSubstr("\n~~~~~~~\n\n**Diagnosis**\n"));
  EXPECT_THAT(text,
              HasSubstr("  evidence: ```traceback=1 (tracebacks) at step 3; `` "
                        "<b>x</b> http://y ![z](w) @me```\n"));
}

}  // namespace
}  // namespace rlrun
