#include "exporter/metrics/trial_block.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "exporter/exposition/exposition.h"
#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string Text(const TrialTotals& totals, std::size_t most,
                 std::size_t* exceptions) {
  const auto block = std::make_shared<const SampleBlock>(
      RenderTrials(totals, "run=\"exp\"", most, exceptions));
  std::string text;
  AppendBlocks(&text, {&block, 1}, TextFormat::kText004);
  EXPECT_THAT(CheckExposition(text, false).errors, IsEmpty()) << text;
  return text;
}

TrialTotals Totals() {
  TrialTotals totals;
  totals.complete = totals.up = true;
  TrialResult trial;
  trial.reason = TrialReason::kTimeout;
  trial.reward = -0.5;
  trial.exception = "AgentTimeoutError";
  trial.seconds[0] = 5;
  totals.of(TrialSplit::kTrain).Count(trial);
  trial.exception = "Rare\"Error";
  totals.of(TrialSplit::kVal).Count(trial);
  trial.exception = "AgentTimeoutError";
  totals.of(TrialSplit::kTrain).Count(trial);
  return totals;
}

TEST(TrialBlockTest, UnfinishedWalkSaysOnlyThat) {
  TrialTotals totals = Totals();
  totals.complete = false;
  std::size_t exceptions = 1;
  const std::string text = Text(totals, 50, &exceptions);
  EXPECT_THAT(text, HasSubstr("\nrlrun_trials_scan_complete{run=\"exp\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("rlrun_trials_finished")));
  EXPECT_EQ(exceptions, 0u);
  EXPECT_EQ(CountExceptionSeries(totals), 0u);
}

// Each would be the same label value as its neighbour once it is repaired.
TEST(TrialBlockTest, NamesWithBadBytesAreSeriesOfTheirOwn) {
  TrialTotals totals = Totals();
  TrialSplitTotals& train = totals.of(TrialSplit::kTrain);
  for (const char* name : {"a\xFF", "a\xFE"}) {
    TrialResult trial;
    trial.exception = name;
    train.Count(trial);
    train.CountDropped(name);
  }
  train.CountDropped(std::string("a\0", 2));
  std::size_t exceptions = 0;
  const std::string text = Text(totals, 50, &exceptions);
  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_EQ(exceptions, 4u);
}

TEST(TrialBlockTest, NegativeRewardIsSummedAndBucketed) {
  std::size_t exceptions = 0;
  const std::string text = Text(Totals(), 50, &exceptions);
  const std::string train = "{run=\"exp\",split=\"train\"";
  EXPECT_THAT(text, HasSubstr("rlrun_trial_reward_bucket" + train +
                              ",le=\"-1.0\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_trial_reward_bucket" + train +
                              ",le=\"-0.5\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_trial_reward_bucket" + train +
                              ",le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_trial_reward_sum" + train + "} -1\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_trial_reward_count" + train + "} 2\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_trials_solved_total" + train + "} 0\n"));
  EXPECT_THAT(text, HasSubstr("rlrun_trial_duration_seconds_sum" + train +
                              ",stage=\"environment_setup\"} 10\n"));
}

TEST(TrialBlockTest, SplitThatNeverWasHasCountersAndNoBuckets) {
  std::size_t exceptions = 0;
  const std::string text = Text(Totals(), 50, &exceptions);
  EXPECT_THAT(
      text, HasSubstr("rlrun_trials_scored_total{run=\"exp\",split=\"unknown\"}"
                      " 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("_bucket{run=\"exp\",split=\"unknown\"")));
}

TEST(TrialBlockTest, MostFrequentExceptionsStayWhenThereIsNoRoom) {
  std::size_t exceptions = 0;
  EXPECT_EQ(CountExceptionSeries(Totals()), 2u);
  const std::string text = Text(Totals(), 1, &exceptions);
  EXPECT_EQ(exceptions, 1u);
  EXPECT_THAT(text, HasSubstr("exception=\"AgentTimeoutError\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("Rare")));
}

}  // namespace
}  // namespace rlrun
