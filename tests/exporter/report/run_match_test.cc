#include "exporter/report/run_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<RunName>& Runs() {
  static const std::vector<RunName> runs = {{"swe", "grpo-8b"},
                                            {"swe", "grpo-8b-long"},
                                            {"math", "grpo-8b"},
                                            {"", "Solo"},
                                            {"math", "base/grpo"}};
  return runs;
}

TEST(MatchRuns, ExactNameWinsOverLongerOnes) {
  EXPECT_THAT(MatchRuns("grpo-8b-long", Runs()), ElementsAre(1));
  EXPECT_THAT(MatchRuns("swe/grpo-8b", Runs()), ElementsAre(0));
}

TEST(MatchRuns, OneNameInTwoProjectsIsAmbiguous) {
  EXPECT_THAT(MatchRuns("grpo-8b", Runs()), ElementsAre(0, 2));
}

TEST(MatchRuns, PrefixWinsOverMiddle) {
  EXPECT_THAT(MatchRuns("grpo", Runs()), ElementsAre(0, 1, 2));
  EXPECT_THAT(MatchRuns("base", Runs()), ElementsAre(4));
  EXPECT_THAT(MatchRuns("8b-l", Runs()), ElementsAre(1));
  EXPECT_THAT(MatchRuns("math/g", Runs()), ElementsAre(2));
}

TEST(MatchRuns, LetterCaseCountsOnlyInTheExactName) {
  EXPECT_THAT(MatchRuns("solo", Runs()), ElementsAre(3));
  EXPECT_THAT(MatchRuns("SWE/GRPO-8B-L", Runs()), ElementsAre(1));
}

TEST(MatchRuns, DashIsTheProjectOfRunsWithoutOne) {
  EXPECT_THAT(MatchRuns("-/Solo", Runs()), ElementsAre(3));
  EXPECT_THAT(MatchRuns("-/grpo-8b", Runs()), IsEmpty());
}

TEST(MatchRuns, SlashInsideANameIsPartOfIt) {
  EXPECT_THAT(MatchRuns("base/grpo", Runs()), ElementsAre(4));
  EXPECT_THAT(MatchRuns("math/base/grpo", Runs()), ElementsAre(4));
}

TEST(MatchRuns, NothingMeansNothing) {
  EXPECT_THAT(MatchRuns("", Runs()), IsEmpty());
  EXPECT_THAT(MatchRuns("-/", Runs()), IsEmpty());
  EXPECT_THAT(MatchRuns("ppo", Runs()), IsEmpty());
}

TEST(NearestRuns, TypingErrorsAreFound) {
  EXPECT_THAT(NearestRuns("slo", Runs(), 1), ElementsAre(3));
  EXPECT_THAT(NearestRuns("swe/grpo-9b", Runs(), 2), ElementsAre(0, 1));
  EXPECT_THAT(NearestRuns("x", {}, 3), IsEmpty());
}

// A longer name that begins nearly so is nearer than a short one of few
// letters.
TEST(NearestRuns, NameThatGoesOnIsNear) {
  const std::vector<RunName> runs = {{"lab", "lost"},
                                     {"lab", "no_signal"},
                                     {"lab", "kl_blowup-critical"},
                                     {"lab", "kl_blowup"}};
  EXPECT_THAT(NearestRuns("kl_blowap", runs, 2), ElementsAre(3, 2));
  EXPECT_THAT(NearestRuns("lab/kl_blowap", runs, 2), ElementsAre(3, 2));
}

TEST(FullName, UnknownProjectIsLeftOut) {
  EXPECT_EQ(FullName({"swe", "a"}), "swe/a");
  EXPECT_EQ(FullName({"", "a"}), "a");
}

}  // namespace
}  // namespace rlrun
