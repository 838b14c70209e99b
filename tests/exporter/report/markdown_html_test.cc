#include "exporter/report/markdown_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exporter/report/runbook_page.h"
#include "exporter/report/runbooks.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MarkdownHtml, HeadingsParagraphsAndLists) {
  EXPECT_EQ(
      MarkdownHtml("# A\n\n## B\n\none\ntwo\n\n- x\n  y\n- z\n\n1. p\n", 1, ""),
      "<h1>A</h1>\n<h2>B</h2>\n<p>one two</p>\n<ul>\n<li>x y</li>\n"
      "<li>z</li>\n</ul>\n<ol>\n<li>p</li>\n</ol>\n");
}

TEST(MarkdownHtml, CodeIsNeitherMarkupNorLink) {
  EXPECT_EQ(MarkdownHtml("a `<b> RLRunStall` c", 1, "/r/"),
            "<p>a <code>&lt;b&gt; RLRunStall</code> c</p>\n");
  EXPECT_EQ(MarkdownHtml("```\n# x\n- <y>\n```\nz", 1, ""),
            "<pre># x\n- &lt;y&gt;\n</pre>\n<p>z</p>\n");
  EXPECT_EQ(MarkdownHtml("a ` b", 1, ""), "<p>a <code> b</code></p>\n");
}

TEST(MarkdownHtml, NamesOfRunbooksAreLinks) {
  EXPECT_EQ(MarkdownHtml("See RLRunStall, not RLRunNothing.", 1, "/r/"),
            "<p>See <a href=\"/r/RLRunStall\">RLRunStall</a>, not "
            "RLRunNothing.</p>\n");
}

TEST(MarkdownHtml, LinksHaveTheirEnd) {
  EXPECT_EQ(MarkdownHtml("RLRunStall", 1, "/r/", "?project=a&run=b"),
            "<p><a href=\"/r/RLRunStall?project=a&amp;run=b\">RLRunStall</a>"
            "</p>\n");
}

TEST(MarkdownSection, FromItsHeadingToTheNextOne) {
  const char* text = "# A\n\n## B\n\nb\n\n## C\n\nc\n";
  EXPECT_EQ(MarkdownSection(text, "B"), "## B\n\nb\n\n");
  EXPECT_EQ(MarkdownSection(text, "C"), "## C\n\nc\n");
  EXPECT_EQ(MarkdownSection(text, "D"), "");
}

TEST(Runbooks, NamesAreThoseOfTheAlerts) {
  EXPECT_EQ(RunbookOfSignature("r3_misalignment"), "RLRunR3Misalignment");
  EXPECT_EQ(RunbookOfCheck("num_turns"), "RLRunCheckNumTurns");
  ASSERT_NE(FindRunbook("RLRunNoSignal"), nullptr);
  EXPECT_THAT(FindRunbook("RLRunNoSignal")->text, HasSubstr("## Meaning"));
  EXPECT_EQ(FindRunbook("RLRunNothing"), nullptr);
}

TEST(RunbookPage, EveryRunbookHasWhatAPageShowsOfIt) {
  ASSERT_FALSE(Runbooks().empty());
  for (const Runbook& runbook : Runbooks()) {
    const std::string name(runbook.name);
    EXPECT_THAT(RunbookPageHtml({}, name), HasSubstr("<h1>" + name + "</h1>"));
    EXPECT_EQ(RunbookPageHtml({}, name), RunbookPageHtml({}, name + ".md"));
    const std::string fold = RunbookFold({}, name, {}, true);
    EXPECT_THAT(fold, HasSubstr("<h4>Now</h4>")) << name;
    EXPECT_THAT(fold, Not(HasSubstr("`"))) << name;
  }
  EXPECT_EQ(RunbookPageHtml({}, "RLRunNothing"), "");
  EXPECT_EQ(RunbookPageHtml({}, "RLRunNothing", {"lab", "sums"}), "");
  EXPECT_THAT(RunbookPageHtml({.root = "/rl"}, ""),
              HasSubstr("href=\"/rl/runbooks/RLRunStall\""));
}

// Who comes from an alert can paste what stands there.
TEST(RunbookPage, QueriesAreAboutTheRun) {
  for (const Runbook& runbook : Runbooks()) {
    SCOPED_TRACE(runbook.name);
    const bool asks = runbook.text.find("PROJECT") != std::string::npos;
    // Where the two words come from is said in front of the first of them.
    if (asks) {
      EXPECT_LT(runbook.text.find(kUnfilled), runbook.text.find("\"PROJECT\""));
    }
    const std::string text = FillRunbook(runbook, "lab", "sums");
    EXPECT_THAT(text, Not(HasSubstr("PROJECT")));
    EXPECT_THAT(text, Not(HasSubstr("RUN ")));
    EXPECT_THAT(text, Not(HasSubstr("\"RUN\"")));
    EXPECT_EQ(text.find("{project=\"lab\",run=\"sums\"") != std::string::npos,
              asks);
  }
  const std::string html =
      RunbookPageHtml({.root = "/rl"}, "RLRunStall", {"lab", "sums"});
  EXPECT_THAT(html, HasSubstr("About the run <a href=\"/rl/runs/lab/sums\">"));
  EXPECT_THAT(html, HasSubstr("rlrun_process_up{<wbr>project=&quot;lab&quot;,"
                              "<wbr>run=&quot;sums&quot;}"));
  EXPECT_THAT(html, HasSubstr("href=\"/rl/runbooks/RLRunDiedSilently?project="
                              "lab&amp;run=sums\""));
}

TEST(RunbookPage, HostileNamesStayInsideTheirQuery) {
  const Runbook runbook{"x", "`{project=\"PROJECT\",run=\"RUN\"}`"};
  EXPECT_EQ(FillRunbook(runbook, "", "a\"b\\c`d\n## e"),
            "`{project=\"\",run=\"a\\\"b\\\\c\\x60d\\n## e\"}`");
  // A name that holds the other word is not filled in again.
  EXPECT_EQ(FillRunbook(runbook, "\"RUN\"", "x"),
            "`{project=\"\\\"RUN\\\"\",run=\"x\"}`");
  const std::string html = RunbookPageHtml(
      {}, "RLRunStall", {"<b>", "'\"><script>alert(1)</script>"});
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("'\">")));
}

}  // namespace
}  // namespace rlrun
