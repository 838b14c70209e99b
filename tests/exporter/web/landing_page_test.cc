#include "exporter/web/landing_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

TEST(EscapeHtml, EveryCharacterThatMeansSomething) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" b='y'>&"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
}

TEST(EscapeHtml, ControlAndInvalidBytesAreReplaced) {
  EXPECT_EQ(EscapeHtml(std::string_view("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(EscapeHtml("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(EscapeHtml("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

TEST(AgeText, EachUnit) {
  EXPECT_EQ(AgeText(1000, 1000), "0 s ago");
  EXPECT_EQ(AgeText(1000, 1119.9), "119 s ago");
  EXPECT_EQ(AgeText(1000, 1120), "2 min ago");
  EXPECT_EQ(AgeText(0, 7200), "2 h ago");
  EXPECT_EQ(AgeText(0, 2 * 86400), "2 d ago");
}

TEST(AgeText, TimeAheadOfTheClock) {
  EXPECT_EQ(AgeText(5000, 1000), "0 s ago");
}

TEST(AgeText, AbsurdTimesDoNotOverflow) {
  EXPECT_EQ(AgeText(std::numeric_limits<double>::quiet_NaN(), 0), "unknown");
  EXPECT_EQ(AgeText(-1e300, 0), "1000000000 d ago");
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
  EXPECT_THAT(page, HasSubstr("data-label=\"Run\"><bdi>grpo-7b</bdi></td>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Step\"><bdi>12 of 500</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Last step\"><bdi>30 s ago</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Log\"><bdi>/data/x.log</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Step\"><bdi>none yet</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-label=\"Last step\"><bdi>unknown</bdi>"));
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
