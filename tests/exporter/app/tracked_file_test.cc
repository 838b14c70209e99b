#include "exporter/app/tracked_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

using ::testing::Optional;
using Pairs = std::initializer_list<std::pair<std::string_view, double>>;

class TrackedFileTest : public ::testing::Test {
 protected:
  static StepRecord Record(std::int64_t step, Pairs pairs) {
    StepRecord record;
    record.step = step;
    for (const auto& [key, value] : pairs) record.Add(key, value);
    return record;
  }
  // One turn that brings one line.
  void Apply(StepRecord record, std::optional<double> arrival = std::nullopt) {
    FileUpdate update;
    update.facts.steps.push_back(std::move(record));
    update.live = arrival.has_value();
    update.arrival = arrival.value_or(0);
    update.progress.modified_time = 1000;
    update.progress.caught_up = true;
    file_.Apply(update);
  }

  StoreOptions options_;
  RulesForRun rules_ = [](const RunIdentity&) {
    return std::make_shared<const RunRules>();
  };
  RootOptions root_;
  TrackedFile File(const std::string& path, SeriesBudget* budget = nullptr) {
    return {path, path, {"", "exp"}, root_, 0, &options_, budget, &rules_};
  }
  TrackedFile file_ = File("/r/exp.log");
};

TEST_F(TrackedFileTest, PublishableNeedsAStepAndTheEnd) {
  FileUpdate update;
  update.progress.caught_up = true;
  file_.Apply(update);
  EXPECT_FALSE(file_.Publishable());
  update.progress.caught_up = false;
  update.facts.steps.push_back(Record(1, {{"a", 1}}));
  file_.Apply(update);
  EXPECT_TRUE(file_.Publishable());  // it was there once
  TrackedFile young = File("/r/young.log");
  young.Apply(update);
  EXPECT_FALSE(young.Publishable());
}

TEST_F(TrackedFileTest, DurationIsThePrintedOne) {
  Apply(Record(1, {{"timing_s/step", 61.5}}), 100);
  Apply(Record(2, {{"timing_s/step", 62.5}}), 500);
  EXPECT_THAT(file_.run().durations.newest(), Optional(62.5));
}

TEST_F(TrackedFileTest, DurationIsTheDifferenceOfArrivals) {
  Apply(Record(1, {{"a", 1}}), 100);
  EXPECT_EQ(file_.run().durations.newest(), std::nullopt);
  Apply(Record(2, {{"a", 1}}), 130.5);
  EXPECT_THAT(file_.run().durations.newest(), Optional(30.5));
}

TEST_F(TrackedFileTest, StepsThatArriveTogetherTellNoDuration) {
  Apply(Record(1, {{"a", 1}}), 100);
  Apply(Record(2, {{"a", 1}}), 100);
  EXPECT_EQ(file_.run().durations.newest(), std::nullopt);
  Apply(Record(3, {{"a", 1}}), 140);
  EXPECT_THAT(file_.run().durations.newest(), Optional(40.0));
}

TEST_F(TrackedFileTest, StepsOfABacklogHaveNoArrival) {
  Apply(Record(1, {{"a", 1}}));
  Apply(Record(2, {{"a", 1}}), 130);
  EXPECT_EQ(file_.run().durations.newest(), std::nullopt);
}

TEST_F(TrackedFileTest, AGapBetweenStepsIsNoDuration) {
  Apply(Record(1, {{"a", 1}}), 100);
  Apply(Record(4, {{"a", 1}}), 190);
  EXPECT_EQ(file_.run().durations.newest(), std::nullopt);
}

TEST_F(TrackedFileTest, SecondLineOfAStepDoesNotMoveItsArrival) {
  Apply(Record(1, {{"a", 1}}), 100);
  Apply(Record(1, {{"b", 1}}), 110);
  Apply(Record(2, {{"a", 1}}), 150);
  EXPECT_THAT(file_.run().durations.newest(), Optional(50.0));
}

TEST_F(TrackedFileTest, ValidationLineIsNoStepOfItsOwn) {
  Apply(Record(1, {{"a", 1}}), 100);
  StepRecord val = Record(1, {{"val-core/x/acc/mean@8", 0.5}});
  val.line_class = LineClass::kVal;
  Apply(val, 120);
  Apply(Record(2, {{"a", 1}}), 160);
  EXPECT_THAT(file_.run().durations.newest(), Optional(60.0));
  EXPECT_THAT(file_.run().last_step_time, Optional(160.0));
}

TEST_F(TrackedFileTest, HeartbeatThatMovesNothingIsNoStep) {
  Apply(Record(5, {{"a", 1}}), 100);
  Apply(Record(3, {}), 200);
  EXPECT_THAT(file_.run().last_step_time, Optional(100.0));
  Apply(Record(6, {}), 300);
  EXPECT_THAT(file_.run().last_step_time, Optional(300.0));
}

TEST_F(TrackedFileTest, ExpiredAfterTheRetention) {
  EXPECT_FALSE(file_.Expired(1e12));  // nothing is known of it yet
  Apply(Record(1, {{"a", 1}}));
  options_.retention_finished = 50;
  EXPECT_FALSE(file_.Expired(1050));
  EXPECT_TRUE(file_.Expired(1050.5));
}

TEST_F(TrackedFileTest, CountersOfTurnsAddUp) {
  FileUpdate update;
  update.facts.lines[0] = 2;
  update.facts.values_skipped[1] = 3;
  update.progress.bytes_read = 10;
  file_.Apply(update);
  update.progress.bytes_read = 25;
  file_.Apply(update);
  EXPECT_EQ(file_.run().progress.lines[0], 4u);
  EXPECT_EQ(file_.run().progress.values_skipped[1], 6u);
  EXPECT_EQ(file_.run().progress.bytes_read, 25u);
}

TEST_F(TrackedFileTest, FirstLineTellsExecutionsApartWhereItIsTimed) {
  Apply(Record(1, {{"a", 1}}));
  EXPECT_EQ(file_.first_line(), std::nullopt);
  const auto mark = [this](Pairs pairs) {
    TrackedFile file = File("/r/x.log");
    FileUpdate update;
    update.facts.steps.push_back(Record(1, pairs));
    file.Apply(update);
    return file.first_line();
  };
  EXPECT_NE(mark({{"a", 1}, {"timing_s/step", 1.5}}), std::nullopt);
  EXPECT_EQ(mark({{"a", 1}, {"timing_s/step", 1.5}}),
            mark({{"timing_s/step", 1.5}, {"a", 1}}));
  EXPECT_NE(mark({{"a", 1}, {"timing_s/step", 1.5}}),
            mark({{"a", 1}, {"timing_s/step", 1.75}}));
}

TEST_F(TrackedFileTest, TakesDroppedCountsOnce) {
  options_.max_keys_per_run = 1;
  SeriesBudget budget;
  TrackedFile file = File("/r/x.log", &budget);
  FileUpdate update;
  update.facts.steps.push_back(Record(1, {{"a", 1}, {"b", 1}, {"c", 1}}));
  file.Apply(update);
  EXPECT_EQ(file.TakeDroppedKeys(), 2u);
  EXPECT_EQ(file.TakeDroppedKeys(), 0u);
  EXPECT_EQ(file.TakeDroppedSeries(), 0u);
}

}  // namespace
}  // namespace rlrun
