#include "exporter/store/run_events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

namespace rlrun {
namespace {

using Kind = LogErrorKind;

LogMark At(std::uint64_t offset) { return {offset, std::nullopt}; }

LogMark At(std::uint64_t offset, int day, int hour, int minute = 0) {
  return {offset, Stamp{0, 3, day, hour, minute, 0, 0, offset}};
}

ErrorBurst Burst(std::uint64_t first, std::uint64_t newest) {
  ErrorBurst burst;
  burst.first = {Kind::kNccl, At(first), "first"};
  burst.newest = At(newest);
  burst.errors = newest - first + 1;
  return burst;
}

LogFacts Step(std::uint64_t offset, std::int64_t step = 1,
              LineClass line_class = LineClass::kTrain) {
  LogFacts facts;
  StepRecord record;
  record.step = step;
  record.line_class = line_class;
  record.begin_offset = offset;
  record.Add("actor/lr", 1e-6);
  facts.steps.push_back(std::move(record));
  return facts;
}

LogFacts End(std::uint64_t offset, EndKind kind) {
  LogFacts facts;
  facts.events.end = EndMark{At(offset), kind};
  return facts;
}

LogFacts Engine(const std::string& name, LogMark at) {
  LogFacts facts;
  EngineReading reading;
  reading.engine = name;
  reading.at = at;
  facts.events.engines.push_back(reading);
  facts.last_stamp = at.stamp;
  return facts;
}

class RunEventsTest : public testing::Test {
 protected:
  void Apply(const LogFacts& facts) { events_.Apply(facts, true, 1000.0); }
  RunEvents events_;
};

TEST_F(RunEventsTest, ErrorsAddUp) {
  LogFacts facts;
  facts.events.errors[2] = 3;
  facts.events.trial_lines[1] = 2;
  Apply(facts);
  Apply(facts);
  EXPECT_EQ(events_.errors[2], 6u);
  EXPECT_EQ(events_.trial_lines[1], 4u);
}

TEST_F(RunEventsTest, BurstThatGoesOnInTheNextBatchIsOne) {
  LogFacts facts;
  facts.events.first_burst = facts.events.newest_burst = Burst(10, 12);
  Apply(facts);
  LogFacts more;
  more.events.newest_burst = Burst(10, 30);
  Apply(more);
  EXPECT_EQ(events_.first_burst->newest.offset, 30u);
  EXPECT_EQ(events_.newest_burst->newest.offset, 30u);
}

TEST_F(RunEventsTest, FirstBurstStaysWhenAnotherBegins) {
  LogFacts facts;
  facts.events.first_burst = facts.events.newest_burst = Burst(10, 12);
  Apply(facts);
  LogFacts more;
  more.events.first_burst = more.events.newest_burst = Burst(50, 51);
  Apply(more);
  EXPECT_EQ(events_.first_burst->first.at.offset, 10u);
  EXPECT_EQ(events_.newest_burst->first.at.offset, 50u);
}

TEST_F(RunEventsTest, SevereBurstStaysBesideANewerOneUntilATrainingLine) {
  LogFacts facts;
  facts.events.newest_burst = facts.events.severe_burst = Burst(10, 12);
  Apply(facts);
  LogFacts more;
  more.events.newest_burst = Burst(50, 51);
  Apply(more);
  EXPECT_EQ(events_.severe_burst->first.at.offset, 10u);
  EXPECT_EQ(events_.newest_burst->first.at.offset, 50u);
  EXPECT_TRUE(events_.severe_burst_is_last());
  Apply(Step(60));
  EXPECT_FALSE(events_.severe_burst_is_last());
  events_.StartNewText();
  EXPECT_FALSE(events_.severe_burst_is_last());
}

TEST_F(RunEventsTest, BatchWithTheFirstBurstsEndAndAnother) {
  LogFacts facts;
  facts.events.first_burst = facts.events.newest_burst = Burst(10, 12);
  Apply(facts);
  LogFacts more;
  more.events.first_burst = Burst(50, 51);
  more.events.newest_burst = Burst(70, 75);
  Apply(more);
  EXPECT_EQ(events_.first_burst->first.at.offset, 10u);
  EXPECT_EQ(events_.newest_burst->first.at.offset, 70u);
}

TEST_F(RunEventsTest, WhatStandsBeforeATrainingLineIsNotLast) {
  LogFacts facts = End(10, EndKind::kTrainer);
  facts.events.interrupt = LogText{At(11), "KeyboardInterrupt"};
  facts.events.newest_burst = Burst(5, 12);
  Apply(facts);
  EXPECT_TRUE(events_.end_is_last());
  EXPECT_TRUE(events_.interrupt_is_last());
  EXPECT_TRUE(events_.burst_is_last());
  Apply(Step(20, 1, LineClass::kVal));  // no training line
  EXPECT_TRUE(events_.end_is_last());
  Apply(Step(30));
  EXPECT_FALSE(events_.end_is_last());
  EXPECT_FALSE(events_.interrupt_is_last());
  EXPECT_FALSE(events_.burst_is_last());
}

TEST_F(RunEventsTest, NothingIsLastInAnEmptyText) {
  EXPECT_FALSE(events_.end_is_last());
  EXPECT_FALSE(events_.interrupt_is_last());
  EXPECT_FALSE(events_.burst_is_last());
  EXPECT_EQ(events_.current_samples(), nullptr);
}

TEST_F(RunEventsTest, HeartbeatIsNoTrainingLine) {
  LogFacts facts = Step(30);
  facts.steps[0].pairs.clear();
  Apply(End(10, EndKind::kTrainer));
  Apply(facts);
  EXPECT_TRUE(events_.end_is_last());
}

TEST_F(RunEventsTest, WrappersWordDoesNotReplaceTheTrainers) {
  Apply(End(10, EndKind::kAmbiguous));
  Apply(End(11, EndKind::kWrapper));
  EXPECT_EQ(events_.end->kind, EndKind::kAmbiguous);
  Apply(End(12, EndKind::kTrainer));
  Apply(End(13, EndKind::kAmbiguous));
  EXPECT_EQ(events_.end->kind, EndKind::kTrainer);
  EXPECT_EQ(events_.end->at.offset, 12u);
}

TEST_F(RunEventsTest, EndOfAnEarlierLaunchGivesWay) {
  Apply(End(10, EndKind::kTrainer));
  Apply(Step(20));
  Apply(End(30, EndKind::kWrapper));
  EXPECT_EQ(events_.end->kind, EndKind::kWrapper);
  EXPECT_TRUE(events_.end_is_last());
}

TEST_F(RunEventsTest, SamplesGoWithTheStepsLine) {
  LogFacts facts;
  facts.events.samples = SampleProgress{At(5), 3, 8};
  Apply(facts);
  ASSERT_NE(events_.current_samples(), nullptr);
  EXPECT_EQ(events_.current_samples()->collected, 3);
  Apply(Step(9));
  EXPECT_EQ(events_.current_samples(), nullptr);
}

TEST_F(RunEventsTest, PhasesShownAreKept) {
  LogFacts facts;
  facts.events.phases[5].begin = At(1);
  facts.events.phase = RunPhase::kGenerateRollouts;
  Apply(facts);
  LogFacts more;
  more.events.phases[5].end = At(2);
  more.events.phase = RunPhase::kTraining;
  Apply(more);
  EXPECT_EQ(events_.phase, RunPhase::kTraining);
  EXPECT_EQ(events_.phases_shown, 1u << 5 | 1u << 13);
  EXPECT_EQ(events_.phases[5].begin->offset, 1u);
  EXPECT_EQ(events_.phases[5].end->offset, 2u);
}

TEST_F(RunEventsTest, PrintedTimesAddUpByPhase) {
  LogFacts facts = Step(1);
  facts.steps[0].Add("timing_s/old_log_prob", 2);
  facts.steps[0].Add("timing_s/ref", 0.5);
  facts.steps[0].Add("timing_s/reshard", 9);
  facts.steps[0].Add("timing_s/gen", -1);
  facts.steps[0].Add("timing_s/testing", NAN);
  facts.steps[0].Add("timing_s/update_weights", 4);
  facts.steps[0].Add("timing_s/timing_s/param_sync", 3.5);
  Apply(facts);
  Apply(facts);  // printed twice
  facts.steps[0].step = 2;
  Apply(facts);
  const auto of = [&](RunPhase p) {
    return events_.phase_seconds[static_cast<std::size_t>(p)];
  };
  EXPECT_EQ(of(RunPhase::kComputeLogProbs), 5.0);
  EXPECT_EQ(of(RunPhase::kGenerateRollouts), std::nullopt);
  EXPECT_EQ(of(RunPhase::kEvaluateRollouts), std::nullopt);
  EXPECT_EQ(of(RunPhase::kCheckpointSave), std::nullopt);
  EXPECT_EQ(of(RunPhase::kWeightSync), 8.0);
}

TEST_F(RunEventsTest, LiveEngineLinesHaveTheirArrival) {
  events_.Apply(Engine("b", At(1, 1, 10)), true, 1000.0);
  events_.Apply(Engine("a", At(2, 1, 10)), true, 1100.0);
  events_.Apply(Engine("b", At(3, 1, 10)), true, 1200.0);
  ASSERT_EQ(events_.engines.size(), 2u);
  EXPECT_EQ(events_.engines[0].reading.engine, "a");
  EXPECT_EQ(events_.engines[0].time, 1100.0);
  EXPECT_EQ(events_.engines[1].time, 1200.0);
}

TEST_F(RunEventsTest, BacklogIsDatedBackFromTheFilesTime) {
  events_.Apply(Engine("a", At(1, 1, 23, 50)), false, 9000.0);
  EXPECT_EQ(events_.engines[0].time, 9000.0);
  events_.Apply(Engine("b", At(2, 2, 0, 10)), false, 9000.0);
  EXPECT_EQ(events_.engines[0].time, 9000.0 - 1200);
  EXPECT_EQ(events_.engines[1].time, 9000.0);
  // Lines that arrive later move nothing of it.
  LogFacts live;
  live.last_stamp = Stamp{0, 3, 2, 5, 0, 0, 0, 9};
  events_.Apply(live, true, 20000.0);
  EXPECT_EQ(events_.engines[1].time, 9000.0);
}

TEST_F(RunEventsTest, StampsOverNewYearAndWithoutDates) {
  LogFacts facts = Engine("a", {1, Stamp{0, 12, 31, 23, 0, 0, 0, 1}});
  facts.last_stamp = Stamp{0, 1, 1, 1, 0, 0, 0, 2};
  events_.Apply(facts, false, 9000.0);
  EXPECT_EQ(events_.engines[0].time, 9000.0 - 7200);
  facts.last_stamp = Stamp{0, 0, 0, 0, 30, 0, 0, 2};
  events_.Apply(facts, false, 9000.0);
  EXPECT_EQ(events_.engines[0].time, 9000.0 - 5400);
  facts.last_stamp = Stamp{2026, 12, 31, 22, 0, 0, 0, 2};  // another clock
  events_.Apply(facts, false, 9000.0);
  EXPECT_EQ(events_.engines[0].time, 9000.0);
}

TEST_F(RunEventsTest, ReplicasBeyondTheCapAreCounted) {
  for (std::size_t i = 0; i < kMaxEngines + 3; ++i) {
    Apply(Engine("e" + std::to_string(i), At(i)));
  }
  EXPECT_EQ(events_.engines.size(), kMaxEngines);
  EXPECT_EQ(events_.engines_dropped, 3u);
}

TEST_F(RunEventsTest, SilentReplicasMakeRoomForThoseOfARelaunch) {
  for (std::size_t i = 0; i < kMaxEngines; ++i) {
    Apply(Engine("old" + std::to_string(i), At(i)));
  }
  events_.Apply(Engine("new", At(999)), true, 1300.0);
  EXPECT_EQ(events_.engines_dropped, 1u);
  events_.Apply(Engine("new", At(999)), true, 1300.5);
  EXPECT_EQ(events_.engines.size(), 1u);
  EXPECT_FALSE(events_.engines[0].IsCurrent(1600.6));
  EXPECT_TRUE(events_.engines[0].IsCurrent(1600.5));
}

TEST_F(RunEventsTest, NewTextKeepsCountersOnly) {
  LogFacts facts = Step(40);
  facts.steps[0].Add("timing_s/gen", 3);
  facts.events.errors[0] = 2;
  facts.events.first_burst = facts.events.newest_burst = Burst(10, 12);
  facts.events.end = EndMark{At(50), EndKind::kTrainer};
  facts.events.phase = RunPhase::kTraining;
  facts.events.samples = SampleProgress{At(60), 1, 2};
  Apply(facts);
  Apply(Engine("a", At(70)));
  events_.StartNewText();
  EXPECT_EQ(events_.errors[0], 2u);
  EXPECT_EQ(events_.phase_seconds[5], 3.0);
  EXPECT_FALSE(events_.first_burst || events_.newest_burst || events_.end);
  EXPECT_FALSE(events_.phase || events_.samples ||
               events_.newest_training_line);
  EXPECT_EQ(events_.phases_shown, 0u);
  EXPECT_TRUE(events_.engines.empty());
  Apply(End(3, EndKind::kWrapper));
  EXPECT_TRUE(events_.end_is_last());
}

}  // namespace
}  // namespace rlrun
