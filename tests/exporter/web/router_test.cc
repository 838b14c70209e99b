#include "exporter/web/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "exporter/report/run_path.h"

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// A router over runs of these projects and names; the state of each says which
// of them it is.
class RouterTest : public ::testing::Test {
 protected:
  void Run(const std::string& project, const std::string& run) {
    auto page = std::make_shared<RunPage>();
    page->report.project = project;
    page->report.run = run;
    page->report.headline = "this is " + std::to_string(set_->runs.size());
    set_->runs.push_back(std::move(page));
  }
  WebResponse Ask(const std::string& path, const std::string& encoding = "") {
    WebCallbacks callbacks;
    callbacks.snapshot = [this] {
      auto snapshot = std::make_shared<Snapshot>();
      snapshot->ready = ready_;
      for (const auto& page : set_->runs) {
        RunSummary summary;
        summary.project = page->report.project;
        summary.run = page->report.run;
        snapshot->runs.push_back(summary);
      }
      return snapshot;
    };
    callbacks.reports = [this] { return set_; };
    return Router(options_, callbacks).Answer({"GET", path, "", encoding, ""});
  }
  // What is said at that path: which run, or the status.
  std::string At(const std::string& path) {
    const WebResponse response = Ask(path);
    const std::size_t at = response.body.find("this is ");
    if (response.status != 200 || at == std::string::npos) {
      return std::to_string(response.status);
    }
    return response.body.substr(at, 9);
  }

  WebOptions options_;
  std::shared_ptr<ReportSet> set_ = std::make_shared<ReportSet>();
  bool ready_ = true;
};

TEST_F(RouterTest, EveryNameHasAPageOfItsOwn) {
  const std::pair<const char*, const char*> names[] = {
      {"p/q", "a/b"}, {"p", "q/a/b"}, {"..", ".."},  {".", "."},
      {"", "x"},      {"-", "x"},     {"~..", ".."}, {"p", "a%2Fb"},
      {"p", "a b?#"}, {"p", "\\"},    {"p", "x/"},   {"p", "x"}};
  for (const auto& [project, run] : names) Run(project, run);
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const std::string path = RunPath(names[i].first, names[i].second);
    const std::string what = "this is " + std::to_string(i).substr(0, 1);
    EXPECT_EQ(At("/runs/" + path), what) << path;
    EXPECT_EQ(At("/api/v1/runs/" + path), what) << path;
    EXPECT_THAT(Ask("/").body, HasSubstr("href=\"./runs/" + path + "\""));
  }
}

TEST_F(RouterTest, OtherSpellingsOfAPathAreTheSame) {
  Run("lab", "a/b!");
  for (const char* path : {"/runs/lab/a%2Fb!", "/runs/lab/a%2fb%21",
                           "/%72uns/%6Cab/%61%2Fb!", "/runs/lab/a%2Fb!/"}) {
    EXPECT_EQ(At(path), "this is 0") << path;
  }
}

// What an alert links to: each part as Go's urlquery writes it.
TEST_F(RouterTest, ProxyThatDecodesLeavesTheNameFindable) {
  Run("p/q", "a");
  Run("lab", "x");
  EXPECT_EQ(At("/runs/p/q/a"), "this is 0");
  EXPECT_EQ(At("/runs/lab%2Fx"), "this is 1");
  Run("p", "q/a");
  EXPECT_EQ(At("/runs/p/q/a"), "404");  // which of the two is not known
  EXPECT_THAT(Ask("/runs/p/q/a").body,
              AllOf(HasSubstr("href=\"/runs/p%2Fq/a\""),
                    HasSubstr("href=\"/runs/p/q%2Fa\"")));
}

TEST_F(RouterTest, PrefixThatIsAlsoAPath) {
  options_.external_url = "https://example.org/runs/";
  Run("lab", "sums");
  for (const char* path : {"/runs/runs/lab/sums", "/runs/lab/sums"}) {
    EXPECT_EQ(At(path), "this is 0") << path;
  }
  EXPECT_EQ(At("/runs/api/v1/runs/lab/sums"), "this is 0");
  EXPECT_THAT(Ask("/runs/").body, HasSubstr("href=\"/runs/runs/lab/sums\""));
  EXPECT_EQ(Ask("/runs/-/ready").status, 200);
  for (const char* path : {"/runs/lab/sumz", "/runs/runs/lab/sumz"}) {
    const WebResponse missing = Ask(path);
    EXPECT_EQ(missing.status, 404);
    EXPECT_THAT(missing.body, HasSubstr("href=\"/runs/runs/lab/sums\""));
  }
}

TEST_F(RouterTest, PrefixWithEncodedBytes) {
  options_.external_url = "/my%20runs";
  EXPECT_EQ(Ask("/my%20runs/-/ready").status, 200);
  EXPECT_THAT(Ask("/my%20runs/").body,
              HasSubstr("href=\"/my%20runs/api/v1/runs\""));
}

TEST_F(RouterTest, ListAndRunbooksWithAndWithoutTheirSlash) {
  Run("lab", "sums");
  EXPECT_THAT(Ask("/runs").body, HasSubstr("href=\"./runs/lab/sums\""));
  EXPECT_THAT(Ask("/runs/").body, HasSubstr("href=\"../runs/lab/sums\""));
  EXPECT_EQ(Ask("/runs/").status, 200);
  EXPECT_EQ(Ask("/runbooks").status, 200);
  EXPECT_EQ(Ask("/runbooks/").body, Ask("/runbooks").body);
  EXPECT_EQ(Ask("/runsx").status, 404);
}

TEST_F(RouterTest, WhatIsNotReadYetIsNotMissing) {
  ready_ = false;
  for (const char* path :
       {"/runs/lab/sums", "/api/v1/runs/lab/sums", "/api/v1/runs"}) {
    const WebResponse response = Ask(path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_THAT(response.body, HasSubstr("first pass")) << path;
    EXPECT_THAT(response.body, Not(HasSubstr("o such run"))) << path;
  }
  Run("lab", "sums");
  EXPECT_EQ(At("/runs/lab/sums"), "this is 0");
  EXPECT_EQ(Ask("/api/v1/runs").status, 200);
  EXPECT_THAT(Ask("/api/v1/runs").body, HasSubstr("\"partial\":true"));
  EXPECT_THAT(Ask("/api/v1/runs/lab/sums").body, Not(HasSubstr("partial")));
  ready_ = true;
  EXPECT_THAT(Ask("/api/v1/runs").body, Not(HasSubstr("partial")));
}

TEST_F(RouterTest, PagesArePacked) {
  Run("lab", "sums");
  for (const char* path :
       {"/", "/runs/lab/sums", "/runs/lab/x", "/api/v1/runs"}) {
    EXPECT_THAT(Ask(path, "gzip").headers,
                Contains(Pair("Content-Encoding", "gzip")))
        << path;
    EXPECT_THAT(Ask(path).headers,
                Not(Contains(Pair("Content-Encoding", testing::_))));
    EXPECT_THAT(Ask(path).headers, Contains(Pair("Vary", "Accept-Encoding")));
  }
}

}  // namespace
}  // namespace rlrun
