#include "exporter/signatures/failure_step_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kTime = "timing_s/step";

FailureRun Steady() {
  FailureRun run(kStepSlowdownRule);
  run.base = {{"actor/pg_loss", 0}, {std::string(kTime), 100}};
  return run;
}

TEST(StepSlowdownTest, SecondOfThreeSlowStepsIsAWarning) {
  FailureRun run = Steady();
  run.facts.nodes = 4;
  run.facts.engine_replicas = 8;
  EXPECT_TRUE(IsSilent(run.StepsTo(30)));
  EXPECT_TRUE(IsSilent(run.Step(31, {{kTime, 900}})));
  const RuleResult r = run.Step(32, {{kTime, 150}});
  EXPECT_EQ(r.level, Level::kWarning);
  EXPECT_THAT(
      r.evidence,
      ElementsAre(Evidence{std::string(kTime), 32, 150, 150.0, Side::kAbove},
                  Evidence{"nodes", 32, 4, std::nullopt},
                  Evidence{"engine_replicas", 32, 8, std::nullopt}));
}

TEST(StepSlowdownTest, FiveStepsBeforeAreEnough) {
  FailureRun run = Steady();
  run.StepsTo(5);
  EXPECT_TRUE(IsAbsent(run.StepsTo(7, {{kTime, 150}})));
  EXPECT_EQ(run.Step(8, {{kTime, 150}}).level, Level::kWarning);
}

TEST(StepSlowdownTest, HalfAsLongAgainIsTheBound) {
  FailureRun run = Steady();
  run.StepsTo(30);
  EXPECT_EQ(run.FiresUpTo(39, {{kTime, 149.9}}), std::nullopt);
}

TEST(StepSlowdownTest, OnlyTwentyStepsBeforeAreComparedWith) {
  FailureRun run = Steady();
  run.StepsTo(30);
  run.StepsTo(42, {{kTime, 200}});  // 9 of 20 before: their median is 100
  EXPECT_EQ(run.Now().level, Level::kWarning);
  EXPECT_TRUE(IsSilent(run.Step(43, {{kTime, 200}})));  // 10 of 20: 150
}

TEST(StepSlowdownTest, CreepIsSeenAgainstTheFirstSteps) {
  FailureRun run = Steady();
  run.rules.options.failures.slowdown_recent = 1e9;  // the other bound alone
  run.StepsTo(5);
  EXPECT_EQ(run.FiresUpTo(40, {{kTime, 299.9}}), std::nullopt);
  run = Steady();
  run.rules.options.failures.slowdown_recent = 1e9;
  run.StepsTo(5);
  EXPECT_EQ(run.FiresUpTo(40, {{kTime, 300}}), 15);
  EXPECT_EQ(run.Now().evidence[0].bound, 300.0);
}

TEST(StepSlowdownTest, SlowCreepOfARealRunIsFound) {
  FailureRun run = Steady();
  std::optional<std::int64_t> fired;
  double time = 100;
  for (int step = 1; step <= 80 && !fired; ++step, time *= 1.03) {
    if (run.Step(step, {{kTime, time}}).level != Level::kNone) fired = step;
  }
  // 1.03^(n - 5.5) x 100 = 3 x 1.03^2 x 100, the medians of ten and of five.
  EXPECT_EQ(fired, 45);
}

TEST(StepSlowdownTest, NanIsNoPoint) {
  FailureRun run = Steady();
  run.StepsTo(30);
  run.Step(31, {{kTime, 150}});
  EXPECT_TRUE(IsAbsent(run.Step(32, {{kTime, kNan}})));
  EXPECT_EQ(run.Step(33, {{kTime, 150}}).level, Level::kWarning);
}

TEST(StepSlowdownTest, WithoutTimesThereIsNoSeries) {
  FailureRun run = Steady();
  run.base.erase(std::string(kTime));
  EXPECT_TRUE(IsAbsent(run.StepsTo(30, {{"perf/throughput", 3}})));
}

TEST(StepSlowdownTest, RewindTakesItsPointsAlong) {
  FailureRun run = Steady();
  run.StepsTo(30);
  run.StepsTo(32, {{kTime, 150}});
  EXPECT_TRUE(IsSilent(run.Step(31, {{kTime, 150}})));
}

}  // namespace
}  // namespace rlrun
