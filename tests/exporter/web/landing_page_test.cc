#include "exporter/web/landing_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunSummary MakeRun(std::string project, std::string run) {
  RunSummary summary;
  summary.project = std::move(project);
  summary.run = std::move(run);
  summary.path = "/data/x.log";
  return summary;
}

std::string Page(const Snapshot* snapshot,
                 const PageLinks& links = {.root = "."},
                 std::string_view telemetry_path = "/metrics") {
  return LandingPage(snapshot, "1.2.3", links, telemetry_path, 1000);
}

TEST(LandingPage, RunsWithStepAndAge) {
  Snapshot snapshot;
  snapshot.ready = true;
  snapshot.runs = {MakeRun("math", "grpo-7b"), MakeRun("", "solo")};
  snapshot.runs[0].last_step = 12;
  snapshot.runs[0].total_steps = 500;
  snapshot.runs[0].last_step_time = 970;
  const std::string page = Page(&snapshot);
  EXPECT_THAT(page, HasSubstr(">Ended runs (2)</h2>"));
  EXPECT_THAT(page, HasSubstr("rlrun_exporter 1.2.3"));
  EXPECT_THAT(page, HasSubstr("<bdi>math</bdi>/</span><a "
                              "href=\"./runs/math/grpo-7b\"><bdi>grpo-7b"));
  EXPECT_THAT(page, HasSubstr("href=\"./runs/-/solo\"><bdi>solo</bdi></a>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Step\"><span>12 <span "
                              "class=\"dim\">of 500</span>"));
  EXPECT_THAT(page, HasSubstr("width=\"24\""));  // of 1000
  EXPECT_THAT(page, HasSubstr("data-label=\"Last step\"><span>30 s ago<"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Step\"><span>none yet</span>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Last step\"><span>unknown<"));
}

TEST(LandingPage, WorstRunComesFirstAndEndedOnesLast) {
  Snapshot snapshot;
  snapshot.ready = true;
  for (const char* name : {"a-ended", "b-good", "c-risk", "d-sick"}) {
    snapshot.runs.push_back(MakeRun("p", name));
    snapshot.runs.back().decision = "continue";
    snapshot.runs.back().health = "healthy";
  }
  snapshot.runs[0].decision = "";
  snapshot.runs[0].health = "critical";
  snapshot.runs[2].health = "at_risk";
  snapshot.runs[3].health = "critical";
  snapshot.runs[3].findings = "reward_drop, nan_inf";
  snapshot.runs[3].step_seconds = 90;
  const std::string page = Page(&snapshot);
  const auto at = [&](const std::string& name) {
    return page.find("<bdi>" + name + "</bdi></a>");
  };
  EXPECT_LT(at("d-sick"), at("c-risk"));
  EXPECT_LT(at("c-risk"), at("b-good"));
  EXPECT_LT(at("b-good"), at("a-ended"));
  EXPECT_LT(at("b-good"), page.find(">Ended runs (1)</h2>"));
  EXPECT_THAT(page,
              HasSubstr("Live runs (3)</h2>\n<p class=\"dim\">1 critical, "
                        "1 at risk, 1 healthy</p>"));
  EXPECT_THAT(page, HasSubstr("<bdi>reward_<wbr>drop, nan_<wbr>inf</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Min/step\"><span>1.5</span>"));
  EXPECT_THAT(page, HasSubstr("<span class=\"pill at_risk\">at risk</span>"));
}

TEST(LandingPage, HostileRunNameStaysText) {
  Snapshot snapshot;
  snapshot.ready = true;
  snapshot.runs = {MakeRun("</td><script>alert(1)</script>", "\"><img src=x>")};
  snapshot.runs[0].path = "/a/<b>&'.log";
  const std::string page = Page(&snapshot);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(LandingPage, NothingYetSaysWhy) {
  EXPECT_THAT(Page(nullptr), HasSubstr("first pass over the files is under"));
  Snapshot snapshot;
  EXPECT_THAT(Page(&snapshot), HasSubstr("first pass over the files is under"));
  snapshot.ready = true;
  EXPECT_THAT(Page(&snapshot), HasSubstr("No runs. The paths given hold no"));
  EXPECT_THAT(Page(&snapshot), HasSubstr("rlrun_exporter_root_up"));
}

TEST(LandingPage, LinksAreRelativeOrPrefixed) {
  EXPECT_THAT(Page(nullptr), HasSubstr("href=\"./metrics\""));
  EXPECT_THAT(Page(nullptr), HasSubstr("href=\"./-/ready\""));
  const std::string page = Page(nullptr, {.root = "/rl"}, "/m\"><i>");
  EXPECT_THAT(page, HasSubstr("href=\"/rl/-/healthy\""));
  EXPECT_THAT(page, HasSubstr("href=\"/rl/m%22%3E%3Ci%3E\""));
}

TEST(LandingPage, ManyRunsAreCutAndCounted) {
  Snapshot snapshot;
  snapshot.runs.assign(1003, MakeRun("p", "r"));
  const std::string page = Page(&snapshot);
  EXPECT_THAT(page, HasSubstr(">Ended runs (1003)</h2>"));
  EXPECT_THAT(page, HasSubstr("<p>3 more runs are not listed here"));
}

TEST(LandingPage, NoScriptAndNoOutsideAsset) {
  const std::string page = Page(nullptr);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
}

}  // namespace
}  // namespace rlrun
