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
                 LandingLinks links = {"", "/metrics"}) {
  return LandingPage(snapshot, "1.2.3", links, 1000);
}

TEST(LandingPage, RunsWithStepAndAge) {
  Snapshot snapshot;
  snapshot.ready = true;
  snapshot.runs = {MakeRun("math", "grpo-7b"), MakeRun("", "solo")};
  snapshot.runs[0].last_step = 12;
  snapshot.runs[0].total_steps = 500;
  snapshot.runs[0].last_step_time = 970;
  const std::string page = Page(&snapshot);
  EXPECT_THAT(page, HasSubstr("<h2>Runs (2)</h2>"));
  EXPECT_THAT(page, HasSubstr("version 1.2.3"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Project\"><bdi>math</bdi></td>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Run\"><bdi><a "
                              "href=\"./runs/math/grpo-7b\">grpo-7b</a>"));
  EXPECT_THAT(page, HasSubstr("href=\"./runs/-/solo\">solo</a>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Step\"><bdi>12 of 500</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Last step\"><bdi>30 s ago</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Step\"><bdi>none yet</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Last step\"><bdi>unknown</bdi>"));
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
  const auto at = [&](const char* name) { return page.find(name); };
  EXPECT_LT(at("d-sick</a>"), at("c-risk</a>"));
  EXPECT_LT(at("c-risk</a>"), at("b-good</a>"));
  EXPECT_LT(at("b-good</a>"), at("a-ended</a>"));
  EXPECT_THAT(page, HasSubstr("<bdi>reward_drop, nan_inf</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Min/step\"><bdi>1.5</bdi>"));
  EXPECT_THAT(page, HasSubstr("class=\"at_risk\" data-label=\"Health\"><bdi>at "
                              "risk</bdi>"));
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
  const std::string page = Page(nullptr, {"/rl", "/m\"><i>"});
  EXPECT_THAT(page, HasSubstr("href=\"/rl/-/healthy\""));
  EXPECT_THAT(page, HasSubstr("href=\"/rl/m%22%3E%3Ci%3E\""));
}

TEST(LandingPage, ManyRunsAreCutAndCounted) {
  Snapshot snapshot;
  snapshot.runs.assign(1003, MakeRun("p", "r"));
  const std::string page = Page(&snapshot);
  EXPECT_THAT(page, HasSubstr("<h2>Runs (1003)</h2>"));
  EXPECT_THAT(page, HasSubstr("<p>3 more runs are not listed here"));
}

TEST(LandingPage, NoScriptAndNoOutsideAsset) {
  const std::string page = Page(nullptr);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
}

}  // namespace
}  // namespace rlrun
