#include "exporter/metrics/engine_series.h"

#include <gtest/gtest.h>

#include <string>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

std::string Common() {
  std::string text;
  const Label label{"run", "a"};
  AppendLabels(&text, {&label, 1});
  return text;
}

class EngineSeriesTest : public testing::Test {
 protected:
  void Add(const std::string& name, double time) {
    EngineReading reading;
    reading.engine = name;
    reading.running = 3;
    reading.kv_cache_usage = 0.25;
    events_.engines.push_back({reading, time});
    ++events_.version;
  }
  std::shared_ptr<const SampleBlock> Render(double now) {
    return series_.Render(events_, common_, now, &budget_);
  }

  std::string common_ = Common();
  SeriesBudget budget_{10, 1000};
  RunEvents events_;
  EngineSeries series_;
};

TEST_F(EngineSeriesTest, ReadingsThatAreThere) {
  Add("local:7/000", 100);
  EXPECT_EQ(Render(100)->text,
            "rlrun_engine_kv_cache_usage_ratio{run=\"a\",engine=\"local:7/000\""
            "} 0.25\n"
            "rlrun_engine_requests{run=\"a\",engine=\"local:7/000\",state="
            "\"running\"} 3\n");
  EXPECT_EQ(budget_.used, 12u);
}

TEST_F(EngineSeriesTest, GoneFiveMinutesBehindItsLastLine) {
  Add("a", 100);
  Add("b", 150);
  EXPECT_EQ(Render(400)->samples, 4u);
  EXPECT_EQ(Render(400.5)->samples, 2u);
  EXPECT_EQ(budget_.used, 12u);
  EXPECT_EQ(Render(450.5)->samples, 0u);
  EXPECT_EQ(budget_.used, 10u);
}

TEST_F(EngineSeriesTest, EngineWithoutATimeIsNotShown) {
  Add("a", 100);
  events_.engines[0].time.reset();
  EXPECT_EQ(Render(100)->samples, 0u);
}

TEST_F(EngineSeriesTest, SameBlockWhileNothingChanges) {
  Add("a", 100);
  const auto block = Render(100);
  EXPECT_EQ(Render(200), block);
  ++events_.version;
  EXPECT_NE(Render(200), block);
}

TEST_F(EngineSeriesTest, ValuesBeyondTheCeilingAreCounted) {
  budget_.max = 13;
  Add("a", 100);
  Add("b", 100);
  EXPECT_EQ(Render(100)->samples, 3u);
  EXPECT_EQ(budget_.used, 13u);
  EXPECT_EQ(budget_.refused, 1u);
  Render(101);  // the same block: nothing is refused anew
  EXPECT_EQ(budget_.refused, 1u);
}

TEST_F(EngineSeriesTest, ShareOfTheBudgetIsGivenBack) {
  {
    EngineSeries other;
    Add("a", 100);
    other.Render(events_, common_, 100, &budget_);
    EXPECT_EQ(budget_.used, 12u);
  }
  EXPECT_EQ(budget_.used, 10u);
  EXPECT_EQ(series_.Render(events_, common_, 100, nullptr)->samples, 2u);
}

}  // namespace
}  // namespace rlrun
