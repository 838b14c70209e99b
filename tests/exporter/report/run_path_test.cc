#include "exporter/report/run_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exporter/report/html.h"

namespace rlrun {
namespace {

TEST(RunPath, PlainNamesStandAsTheyAre) {
  EXPECT_EQ(RunPath("lab", "grpo-7b_lr1e-6"), "lab/grpo-7b_lr1e-6");
  EXPECT_EQ(RunPath("", "sums"), "-/sums");
  EXPECT_EQ(RunPath("a.b", "~x"), "a.b/~x");
  EXPECT_EQ(RunPath("...", ".hidden"), ".../.hidden");
}

TEST(RunPath, SlashOfANameIsNotTheOneBetweenThem) {
  EXPECT_EQ(RunPath("p/q", "a/b"), "p%2Fq/a%2Fb");
  EXPECT_EQ(RunPath("p", "q/a/b"), "p/q%2Fa%2Fb");
}

TEST(RunPath, WayUpIsAName) {
  EXPECT_EQ(RunPath("..", ".."), "~../~..");
  EXPECT_EQ(RunPath(".", "~."), "~./~~.");
  EXPECT_EQ(RunPath("-", "x"), "~-/x");
}

TEST(RunPath, NoTwoRunsShareOneAndBrowsersKeepIt) {
  std::vector<std::string> names = {".",  "..",  "-",   "a",  "/",    "a/",
                                    "/a", "%2F", "%2e", "\\", "a/..", "%"};
  for (std::size_t i = 0; i < 6; ++i) names.push_back("~" + names[i]);
  for (std::size_t i = 0; i < 3; ++i) names.push_back("~~" + names[i]);
  std::vector<std::string> paths;
  for (const std::string& project : names) {
    for (const std::string& run : names) {
      const std::string path = RunPath(project, run);
      EXPECT_EQ(CanonicalPath(path), path);
      EXPECT_EQ(path.find('\\'), path.npos);
      EXPECT_EQ(("/" + path + "/").find("/./"), path.npos) << path;
      EXPECT_EQ(("/" + path + "/").find("/../"), path.npos) << path;
      paths.push_back(path);
    }
    paths.push_back(RunPath("", project));
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
}

}  // namespace
}  // namespace rlrun
