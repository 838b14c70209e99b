#include "exporter/report/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "exporter/report/svg_curve.h"
#include "tests/exporter/report/full_report.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunPage SickRun() {
  RunPage page;
  RunReport& r = page.report;
  r.project = "math";
  r.run = "grpo-7b";
  r.state = RunState::kRunning;
  r.health = Health::kCritical;
  r.decision = Decision::kStop;
  r.decision_reason = "critical for the training: reward_drop.";
  r.headline = "reward_drop since step 70";
  r.step = 80;
  r.total_steps = 140;
  r.modified_time = 900;
  r.silence_seconds = 100;
  Finding f;
  f.name = "reward_drop";
  f.level = Level::kCritical;
  f.since_step = 70;
  f.evidence = {{"critic/score/mean", 80, 0.17, 0.35}};
  f.means = "The task reward has lost what it had gained.";
  f.next = "Roll back.";
  r.findings = {f};
  CheckResult check;
  check.name = "rollout_kl";
  check.key = "rollout_corr/kl";
  check.max = 0.01;
  check.value = 0.02;
  check.failing_steps = 3;
  check.alert_after = 3;
  check.means = "Rollout and trainer disagree.";
  r.checks = {check};
  r.recommendations = {"reward_drop: Roll back."};
  page.curves = {{"Reward",
                  "critic/score/mean",
                  {{1, 0.5}, {2, 0.25}},
                  {},
                  {{"reward_drop", 2}}}};
  return page;
}

std::string Html(const RunPage& page, const PageLinks& links = {}) {
  return RunPageHtml(page, links, 1000);
}

TEST(RunPageHtml, TellsWhatIsWrongSinceWhenOnWhatEvidenceAndWhatToDo) {
  const std::string html = Html(SickRun());
  EXPECT_THAT(html,
              HasSubstr("<h1><span class=\"dim\"><bdi>math</bdi>/</span><bdi>"
                        "grpo-7b</bdi></h1>"));
  EXPECT_THAT(html, HasSubstr("<span class=\"pill critical\">critical</span>"));
  EXPECT_THAT(html, HasSubstr(">Decision: stop</span>"));
  EXPECT_THAT(html,
              HasSubstr("<bdi>reward_<wbr>drop</bdi></h3><span class=\"pill "
                        "critical\">critical</span><span>since step 70 (11 "
                        "steps)</span>"));
  EXPECT_THAT(html,
              HasSubstr("mean</bdi></code></th><td role=\"cell\" class=\"n\" "
                        "data-label=\"Value\"><span>0.17</span></td><td "
                        "role=\"cell\" class=\"n\" data-label=\"Bound\"><span>"
                        "below 0.35</span></td><td role=\"cell\" class=\"n\" "
                        "data-label=\"Step\"><span>80</span></td>"));
  EXPECT_THAT(html, HasSubstr("<li><bdi>reward_drop: Roll back.</bdi></li>"));
  EXPECT_THAT(html, HasSubstr("80 <span>of 140</span>"));
  EXPECT_THAT(html,
              HasSubstr("<p><bdi>Rollout and trainer disagree.</bdi></p>"));
  EXPECT_THAT(html, HasSubstr("100 s ago"));
}

TEST(RunPageHtml, HealthyRunSaysThatNothingMatched) {
  RunPage page;
  page.report.run = "x";
  const std::string html = Html(page);
  EXPECT_THAT(html, HasSubstr("No known signature matched."));
  EXPECT_THAT(html, Not(HasSubstr("Curves over steps")));
  EXPECT_THAT(html, Not(HasSubstr(">Checks</h2>")));
}

// What is judged, of which step, and what would be well.
TEST(RunPageHtml, ChecksSayWhatTheyJudge) {
  RunPage page = SickRun();
  CheckResult share;
  share.name = "env_setup_failed";
  share.key = "trajectory_filter/reason/env_setup_failed";
  share.label = "share of env_setup_failed";
  share.value = 0.191;
  share.step = 77;
  CheckResult zero;
  zero.name = "reward_nonzero";
  zero.value = 0.5;
  CheckResult absent;
  absent.name = "pg_clipfrac_absent";
  absent.value = 0;
  page.report.checks = {share, zero, absent};
  const std::string html = Html(page);
  EXPECT_THAT(html, HasSubstr("</code> share of env_setup_failed</"));
  EXPECT_THAT(html, HasSubstr(">77</"));
  EXPECT_THAT(html, HasSubstr("not 0 since the start"));
  EXPECT_THAT(html, HasSubstr(">absent</"));
  EXPECT_THAT(html, Not(HasSubstr(">0</")));
}

TEST(RunPageHtml, RunOfARecordHasRolloutsAndNoLog) {
  RunPage page;
  page.report = FullReport();
  page.report.silence_seconds.reset();
  const std::string html = Html(page);
  EXPECT_THAT(html, HasSubstr("7 written"));
  EXPECT_THAT(html, HasSubstr("rollout 5</span><b>64 samples, reward 0.25, "
                              "90 s</b>"));
  EXPECT_THAT(html, HasSubstr("rollout 6, the newest</span><b></b>"));
  EXPECT_THAT(html, HasSubstr("Record updated"));
  EXPECT_THAT(html, Not(HasSubstr("Log last written")));
  EXPECT_THAT(html, HasSubstr("<dt>Attempt</dt><dd>3</dd>"));
  for (const char* id : {"tr-1", "ap-2", "abc3"}) {
    EXPECT_THAT(html, HasSubstr(id));
  }
}

// Of a lone newest one nobody says how many there were.
TEST(RunPageHtml, RolloutsThatNobodyCountsAreNotCounted) {
  RunPage page;
  page.report.run = "x";
  page.report.rollouts = ReportRollouts{{}, {{23, {}, 256, 0.5, {}}}};
  const std::string html = Html(page);
  EXPECT_THAT(html, HasSubstr("rollout 23, the newest</span><b>256 samples, "
                              "reward 0.5</b>"));
  EXPECT_THAT(html, Not(HasSubstr("written")));
}

TEST(RunPageHtml, TimePerStepSaysWhatItHolds) {
  RunPage page = SickRun();
  page.report.seconds_per_step = 86;
  page.report.averaged_steps = 10;
  EXPECT_THAT(Html(page), HasSubstr("86 s <span>mean of 10</span>"));
  page.report.steps_hold_more = true;
  EXPECT_THAT(Html(page), HasSubstr("86 s <span>mean of 10, with validation"
                                    "</span>"));
}

TEST(RunPageHtml, SourceOfSeveralFilesNamesTheFirstAndTheNewest) {
  RunPage page;
  page.report.run = "x";
  page.report.sources = {{"tensorboard", "/r/a.0", true, 3, "/r/a.<2>"}};
  EXPECT_THAT(Html(page),
              HasSubstr("the first of 3 files; the newest:</span> <code><bdi>/"
                        "<wbr>r/<wbr>a.<wbr>&lt;2&gt;</bdi></code>"));
}

TEST(RunPageHtml, RefreshIsAskedForOrNotThere) {
  EXPECT_THAT(Html(SickRun()), Not(HasSubstr("http-equiv")));
  EXPECT_THAT(Html(SickRun(), {.refresh = 30}),
              HasSubstr("<meta http-equiv=\"refresh\" content=\"30\">"));
}

TEST(RunPageHtml, LinksCarryThePrefix) {
  const std::string html = Html(SickRun(), {.root = "/rl"});
  EXPECT_THAT(html, HasSubstr("href=\"/rl/\""));
  EXPECT_THAT(html, HasSubstr("href=\"/rl/api/v1/runs/math/grpo-7b\""));
}

// Whatever text comes from a log or a path, no element or attribute is made of
// it.
TEST(RunPageHtml, HostileTextStaysText) {
  const std::vector<std::string> injections = {
      "<script>alert(1)</script>",
      "\"><img src=x onerror=alert(1)>",
      "' onload='alert(1)",
      "</title><svg onload=alert(1)>",
      "</style><script>x</script>",
      "<!--",
      "]]>",
      "&lt;script&gt;",
      "javascript:alert(1)",
      "\xff\xfe<b>",
      "\x1b[31m<i>",
      "\xE2\x80\xAE<u>"};
  for (const std::string& evil : injections) {
    RunPage page = SickRun();
    RunReport& r = page.report;
    r.project = r.run = r.headline = r.decision_reason = r.log_text = evil;
    r.phase = r.data_source = r.baseline = evil;
    r.findings[0].evidence[0].key = r.findings[0].detail = evil;
    r.findings[0].name = r.findings[0].means = r.findings[0].next = evil;
    r.checks[0].name = r.checks[0].means = evil;
    r.checks[0].key = std::string(evil);
    r.recovered = {{evil, 3}};
    r.recommendations = {evil};
    r.unknown = {evil};
    r.sources = {{evil, evil, false}};
    r.processes = {{evil, 7, {}}};
    r.lines = {{"reward", {{evil, evil, 1, 2}}, evil}};
    page.curves[0].title = page.curves[0].key = evil;
    page.curves[0].active[0].name = evil;
    const std::string html = Html(page);
    for (const char* markup :
         {"<script", "<img", "<svg onload", "<b>\"", "<i>", "<u>", "<!--",
          " onload=", " onerror=", "href=\"javascript"}) {
      const std::size_t at = html.find(markup);
      // An attribute's name inside escaped text is only text.
      if (markup[0] == ' ' && at != html.npos) {
        EXPECT_LT(html.rfind('>', at), at) << evil;
        EXPECT_EQ(html.find('<', html.rfind('>', at)), html.find('<', at))
            << evil;
        continue;
      }
      EXPECT_EQ(at, html.npos) << evil << " made " << markup;
    }
    EXPECT_EQ(html.find('\x1b'), html.npos);
    EXPECT_EQ(html.find('\xff'), html.npos);
  }
}

TEST(RunPageHtml, EveryElementThatIsOpenedIsClosed) {
  const std::string html = Html(SickRun(), {.refresh = 5});
  for (const char* name :
       {"main", "section", "dl", "dt", "dd",     "table", "tr",
        "td",   "ul",      "li", "ol", "figure", "svg",   "code",
        "bdi",  "p",       "h2", "h3", "title",  "rect",  "circle"}) {
    std::size_t open = 0, closed = 0;
    const std::string begin = std::string("<") + name;
    for (std::size_t at = html.find(begin); at != html.npos;
         at = html.find(begin, at + 1)) {
      const char behind = html[at + begin.size()];
      if (behind == '>' || behind == ' ') ++open;
    }
    const std::string end = std::string("</") + name + ">";
    for (std::size_t at = html.find(end); at != html.npos;
         at = html.find(end, at + 1)) {
      ++closed;
    }
    EXPECT_EQ(open, closed) << name;
  }
}

TEST(CurveFigure, NothingOfACurveWithoutPoints) {
  EXPECT_EQ(CurveFigure({}), "");
}

TEST(CurveFigure, PointsBoundsAndTheStepsOfASignature) {
  Curve curve{"Agreement",
              "k",
              {{1, 0.999}, {2, 0.97}},
              {{0.99, "healthy at least 0.99"}},
              {{"r3", 2}}};
  const std::string svg = CurveFigure(curve);
  EXPECT_THAT(svg, HasSubstr("<title>step 2: 0.97</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>healthy at least 0.99</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>r3 since step 2</title>"));
  EXPECT_THAT(svg, HasSubstr("0.97 at step 2; steps 1 to 2: between 0.97 and "
                             "0.999; healthy at least 0.99; r3 since step 2"));
}

TEST(CurveFigure, OneFlatHugeOrTinyCurveHasNumbersOnly) {
  const double huge = std::numeric_limits<double>::max();
  for (const auto& points :
       std::vector<std::vector<CurvePoint>>{{{5, 1}},
                                            {{1, 0}, {2, 0}},
                                            {{1, -huge}, {2, huge}},
                                            {{1, 5e-324}, {2, 0}},
                                            {{3, huge}, {3, huge}}}) {
    const std::string svg = CurveFigure({"t", "k", points, {}, {}});
    EXPECT_THAT(svg, Not(HasSubstr("\"nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
    EXPECT_THAT(svg, Not(HasSubstr(",nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf,")));
  }
}

TEST(CurveFigure, BoundFarAwayDoesNotFlattenTheCurve) {
  Curve curve{"t", "k", {{1, 1}, {2, 2}}, {{1000, "healthy"}}, {}};
  EXPECT_THAT(CurveFigure(curve), Not(HasSubstr("class=\"bound\"")));
}

TEST(CurveFigure, ManyPointsHaveFewTitlesAndTheNewestOne) {
  Curve curve{"t", "k", {}, {}, {}};
  for (int i = 0; i < 512; ++i) curve.points.push_back({i, i * 1.0});
  curve.points[151].value = 9000;
  const std::string svg = CurveFigure(curve);
  std::size_t titles = 0;
  for (std::size_t at = svg.find("<circle"); at != svg.npos;
       at = svg.find("<circle", at + 1)) {
    ++titles;
  }
  EXPECT_LE(titles, 160u);
  EXPECT_THAT(svg, HasSubstr("<title>steps 508 to 511: 508, 509, 510, 511<"));
  EXPECT_THAT(svg, HasSubstr("<title>steps 148 to 151: 148, 149, 150, 9000<"));
}

TEST(RunPageHtml, RunbookIsFoldedInAndLinkedToWhereItIs) {
  const std::string own = Html(SickRun(), {.root = "/rl"});
  EXPECT_THAT(own, HasSubstr("<summary>Causes and what to do</summary>"));
  EXPECT_THAT(own, HasSubstr("<h4>Likely causes</h4>"));
  const std::string run = "?project=math&amp;run=grpo-7b\"";
  EXPECT_THAT(own, HasSubstr("href=\"/rl/runbooks/RLRunRewardDrop" + run));
  EXPECT_THAT(own, HasSubstr("href=\"/rl/runbooks/RLRunCheckRolloutKl" + run));
  EXPECT_THAT(own, Not(HasSubstr("Dashboard")));
  const std::string there =
      Html(SickRun(), {.runbooks = "https://wiki/r", .grafana = "https://g"});
  EXPECT_THAT(there, HasSubstr("href=\"https://wiki/r/RLRunRewardDrop.md\""));
  EXPECT_THAT(there, HasSubstr("href=\"https://g/d/rlrun-run?var-project=math"
                               "&amp;var-run=grpo-7b\""));
}

TEST(RunPageHtml, NextStepThatIsNotRecommendedStandsWithItsFinding) {
  RunPage page = SickRun();
  page.report.recommendations = {"Let it run."};
  EXPECT_THAT(Html(page), HasSubstr("<b>Next:</b> <bdi>Roll back.</bdi>"));
}

TEST(RunPageHtml, TrialsByReasonWithTheirCoverage) {
  RunPage page = SickRun();
  ReportTrials trials;
  trials.complete = true;
  trials.finished = 200;
  trials.scored = 150;
  trials.solved = 30;
  trials.reward_mean = 0.25;
  trials.reasons = {{"agent_completed", 150}, {"timeout", 49}, {"unknown", 1}};
  trials.dropped = {{"<b>", 3}};
  page.report.trials = trials;
  const std::string html = Html(page);
  EXPECT_THAT(html,
              HasSubstr("aria-label=\"200 finished trials: agent completed "
                        "150 (75 %), timeout 49 (24 %), unknown 1 "
                        "(0.5 %)\""));
  EXPECT_THAT(html, HasSubstr("<rect class=\"c1\" x=\"750.00\" "
                              "width=\"245.00\" height=\"28\">"));
  EXPECT_THAT(html, HasSubstr("150 of 200 scored (coverage 75 %); 30 of them "
                              "solved (20 %), mean reward 0.25."));
  EXPECT_THAT(html,
              HasSubstr("Dropped by the trainer: <bdi>&lt;b&gt; 3</bdi>"));
  page.report.trials.emplace();
  EXPECT_THAT(Html(page),
              HasSubstr("Not all trial directories have been read"));
}

TEST(RunPageHtml, FinishedTrialsOfNobodyHaveNoBar) {
  RunPage page = SickRun();
  page.report.trials.emplace().complete = true;
  const std::string html = Html(page);
  EXPECT_THAT(html, Not(HasSubstr("class=\"stack\"")));
  EXPECT_THAT(html, HasSubstr("0 of 0 scored (coverage 0 %)"));
}

TEST(RunPageHtml, VerdictSaysInWordsWhatIsWrong) {
  EXPECT_THAT(Html(SickRun()),
              HasSubstr("reward_drop since step 70</bdi></p>\n<p><bdi>The task "
                        "reward has lost what it had gained.</bdi></p>"));
  RunPage page = SickRun();
  page.report.findings.clear();
  EXPECT_THAT(Html(page), HasSubstr("</bdi></p>\n<p><bdi>Rollout and trainer "
                                    "disagree.</bdi></p>"));
}

TEST(RunPageHtml, LostRunIsNotGreenAndSaysWhatToDo) {
  RunPage page;
  page.report.run = "x";
  page.report.state = RunState::kLost;
  std::string html = Html(page);
  EXPECT_THAT(html, HasSubstr("class=\"verdict over\""));
  EXPECT_THAT(html, HasSubstr("href=\"/runbooks/RLRunLost?project=&amp;run=x"));
  page.report.state = RunState::kFinished;
  html = Html(page);
  EXPECT_THAT(html, HasSubstr("class=\"verdict healthy\""));
  EXPECT_THAT(html, Not(HasSubstr("RLRunLost")));
}

TEST(RunPageHtml, RunWhoseFilesCannotBeReadSaysSo) {
  RunPage page;
  page.report.run = "x";
  page.report.sources = {{"log", "/a", false}, {"jsonl", "/b", true}};
  EXPECT_THAT(Html(page), Not(HasSubstr("Its files cannot be read")));
  page.report.sources.pop_back();
  EXPECT_THAT(Html(page), HasSubstr("Its files cannot be read"));
  EXPECT_THAT(Html(page), HasSubstr("/runbooks/RLRunSourceUnreadable"));
}

TEST(NoSuchRunHtml, NamesNearToIt) {
  const std::string html = NoSuchRunHtml({.root = "/rl"}, "lab/<b>",
                                         {{"lab", "sums"}, {"", "x"}}, true);
  EXPECT_THAT(html, HasSubstr("lab/<wbr>&lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("<a href=\"/rl/runs/lab/sums\">"));
  EXPECT_THAT(html, HasSubstr("<a href=\"/rl/runs/-/x\">"));
  EXPECT_THAT(NoSuchRunHtml({}, "x", {}, true), Not(HasSubstr("nearest")));
}

TEST(NoSuchRunHtml, WhatIsNotReadYetIsNotMissing) {
  const std::string html = NoSuchRunHtml({}, "lab/sums", {}, false);
  EXPECT_THAT(html, HasSubstr("There is no run called <bdi>lab/<wbr>sums</bdi> "
                              "yet."));
  EXPECT_THAT(html, HasSubstr("first pass"));
  EXPECT_THAT(html, Not(HasSubstr("No such run")));
}

TEST(CurveFigure, LargeNumbersAtTheAxisAreWritten) {
  const std::string svg =
      CurveFigure({"t", "k", {{1, 5170.3}, {2, 123456}}, {}, {}});
  EXPECT_THAT(svg, HasSubstr(">5170.3</text>"));
  EXPECT_THAT(svg, HasSubstr(">123456</text>"));
}

TEST(CurveFigure, TicksOfABoundAndAnEndThatAreOneAreOne) {
  Curve curve{"t", "k", {{1, 0.99}, {2, 0.999}}, {{0.99, "healthy"}}, {}};
  const std::string svg = CurveFigure(curve);
  EXPECT_THAT(svg, HasSubstr("class=\"tick bad\""));
  std::size_t ticks = 0;
  for (std::size_t at = svg.find("text-anchor=\"end\""); at != svg.npos;
       at = svg.find("text-anchor=\"end\"", at + 1)) {
    ++ticks;
  }
  EXPECT_EQ(ticks, 3u);  // the bound, the highest value, the last step
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1)) {
    ++n;
  }
  return n;
}

// The picture goes on to the run's newest step; what is no number is marked
// and is the newest value.
TEST(CurveFigure, StepsWithoutANumberAreMarkedAndBreakTheLine) {
  Curve curve{"t", "k", {{1, 1}, {2, 2}, {4, 1}, {5, 2}}, {}, {}};
  curve.unused = {{3, std::nan("")}, {6, std::nan("")}};
  curve.last_step = 10;
  const std::string svg = CurveFigure(curve);
  EXPECT_EQ(Count(svg, "<polyline"), 2u);
  EXPECT_EQ(Count(svg, "class=\"nan\""), 2u);
  EXPECT_THAT(svg, HasSubstr("<title>step 3: nan</title>"));
  EXPECT_THAT(svg, HasSubstr("<b>nan</b> <span class=\"small dim\">at step 6"));
  EXPECT_THAT(svg, HasSubstr("not a finite number on 2 steps"));
  EXPECT_THAT(svg, HasSubstr(">10</text>"));
}

TEST(CurveFigure, KeyThatWasNeverANumberHasAPicture) {
  Curve curve{"t", "k", {}, {}, {}};
  curve.unused = {{3, std::nan("")}, {4, std::nan("")}};
  const std::string svg = CurveFigure(curve);
  EXPECT_EQ(Count(svg, "class=\"nan\""), 2u);
  EXPECT_THAT(svg, Not(HasSubstr("\"nan\" cx=\"nan")));
}

TEST(CurveFigure, ValuesThatAreLeftOutAreShownApart) {
  Curve curve{"t", "k", {{1, 1}, {2, 2}}, {}, {}};
  curve.unused = {{3, 0.5}};
  curve.unused_why = "nothing could be learned";
  const std::string svg = CurveFigure(curve);
  EXPECT_THAT(svg, HasSubstr("<b>0.5</b>"));
  EXPECT_THAT(svg, HasSubstr("step 3: 0.5, left out: nothing could be"));
}

// A step that is missing is no straight line.
TEST(CurveFigure, MissingStepsAreAGap) {
  const Curve curve{
      "t", "k", {{1, 1}, {2, 2}, {3, 1}, {9, 1}, {10, 2}}, {}, {}};
  EXPECT_EQ(Count(CurveFigure(curve), "<polyline"), 2u);
  const Curve rare{"t", "k", {{10, 1}, {20, 2}, {30, 1}}, {}, {}};
  EXPECT_EQ(Count(CurveFigure(rare), "<polyline"), 1u);
}

TEST(CurveFigure, SpikeDoesNotFlattenTheCurve) {
  Curve curve{"t", "k", {}, {}, {}};
  for (int i = 0; i < 100; ++i) curve.points.push_back({i, 1.0 + i % 2});
  curve.points[40].value = 1e6;
  const std::string svg = CurveFigure(curve);
  EXPECT_THAT(svg, HasSubstr(">2.5</text>"));
  EXPECT_THAT(svg, HasSubstr("step 40: 1000000, beyond the picture"));
  EXPECT_THAT(svg, HasSubstr("between 1 and 1000000"));
}

TEST(CurveFigure, AxisOfConstantsEndsWhereValuesDo) {
  Curve agree{"t", "k", {{1, 1}, {2, 1}}, {}, {}};
  agree.most = 1;
  EXPECT_THAT(CurveFigure(agree), Not(HasSubstr(">1.1</text>")));
  const Curve zero{"t", "k", {{1, 0}, {2, 0}}, {}, {}};
  EXPECT_THAT(CurveFigure(zero), Not(HasSubstr("e-12")));
}

}  // namespace
}  // namespace rlrun
