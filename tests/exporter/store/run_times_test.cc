#include "exporter/store/run_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace rlrun {
namespace {

constexpr double kStart = 1764400000;
using Pairs = std::vector<std::pair<std::string, double>>;

class RunTimelineTest : public testing::Test {
 protected:
  // One read that brings one line of training, 100 bytes on.
  void Step(std::int64_t step, const Pairs& pairs = {{"actor/lr", 1}},
            std::optional<double> arrival = {},
            std::optional<double> gap = {}) {
    LogFacts facts;
    facts.steps.push_back(Record(step, pairs));
    facts.steps.back().longest_gap = gap;
    timeline_.Apply(facts, arrival);
  }
  void Timed(std::int64_t step, double seconds) {
    Step(step, {{"timing_s/step", seconds}});
  }
  StepRecord Record(std::int64_t step, const Pairs& pairs,
                    LineClass line_class = LineClass::kTrain) {
    StepRecord record;
    record.step = step;
    record.line_class = line_class;
    for (const auto& [key, value] : pairs) record.Add(key, value);
    record.begin_offset = offset_;
    record.end_offset = offset_ += 100;
    return record;
  }
  void Grow(double time) { timeline_.Apply({}, time); }
  const RunTimes& times() const { return timeline_.times(); }

  RunTimeline timeline_;
  std::uint64_t offset_ = 0;
};

TEST(RunTimesTest, SilenceIsSinceTheNewestWrite) {
  RunTimes times;
  times.now = 100;
  EXPECT_EQ(times.silence(), std::nullopt);
  times.mtime = 60;
  EXPECT_EQ(times.silence(), 40);
  times.growth = 50;
  EXPECT_EQ(times.silence(), 40);
  times.growth = 70;
  EXPECT_EQ(times.silence(), 30);
  times.mtime.reset();
  EXPECT_EQ(times.written(), 70);
  times.mtime = 1000;
  EXPECT_EQ(times.silence(), 0) << "the future counts as now";
}

TEST_F(RunTimelineTest, SilenceInsideACompletedStepSeenLive) {
  Step(1, {{"a", 1}}, kStart);
  Grow(kStart + 10);
  Grow(kStart + 1010);
  EXPECT_EQ(times().longest_silence, 0) << "the step is not complete";
  Step(2, {{"a", 1}}, kStart + 1015);
  EXPECT_EQ(times().longest_silence, 1000);
  Step(3, {{"a", 1}}, kStart + 1030);
  EXPECT_EQ(times().longest_silence, 1000);
}

TEST_F(RunTimelineTest, SilenceThatTheStepLineEndsIsOfItsStep) {
  Step(1, {{"a", 1}}, kStart);
  Step(2, {{"a", 1}}, kStart + 500);
  EXPECT_EQ(times().longest_silence, 500);
}

TEST_F(RunTimelineTest, FirstGrowthSeenLiveIsComparedWithTheFilesTime) {
  Step(1);
  timeline_.NoteSource(true, kStart);
  Step(2, {{"a", 1}}, kStart + 700);
  EXPECT_EQ(times().longest_silence, 700);
  EXPECT_EQ(times().growth, kStart + 700);
}

TEST_F(RunTimelineTest, StampsOfTheTextTellOfSilences) {
  Step(1, {{"a", 1}}, {}, 20);
  Step(2, {{"a", 1}}, {}, 900);
  Step(3, {{"a", 1}}, {}, 30);
  EXPECT_EQ(times().longest_silence, 900);
}

TEST_F(RunTimelineTest, GapBeforeAValidationLineIsOfTheStep) {
  LogFacts facts;
  facts.steps.push_back(
      Record(1, {{"val-core/d/acc/mean@1", 1}}, LineClass::kVal));
  facts.steps.back().longest_gap = 800;
  timeline_.Apply(facts, {});
  EXPECT_EQ(times().longest_silence, 0);
  EXPECT_EQ(times().training_lines, 0u);
  Step(1);
  EXPECT_EQ(times().longest_silence, 800);
}

TEST_F(RunTimelineTest, StepWithoutAnyStampMayHaveBeenSilentThroughout) {
  Timed(1, 5000);
  EXPECT_EQ(times().longest_silence, 5000);
  Step(2, {{"timing_s/step", 9000}}, {}, 10);
  EXPECT_EQ(times().longest_silence, 5000) << "its stamps say otherwise";
  Step(3, {{"timing_s/step", 9000}}, kStart);
  EXPECT_EQ(times().longest_silence, 5000) << "it was seen live";
}

TEST_F(RunTimelineTest, HoursBeforeANewLaunchAreNoSilenceOfAStep) {
  Step(1, {{"a", 1}}, kStart);
  Step(1, {{"a", 1}}, kStart + 10);
  Step(0, {{"a", 1}}, kStart + 9000);
  EXPECT_EQ(times().longest_silence, 10) << "the step went backwards";
  timeline_.StartNewText();
  offset_ = 0;
  Step(1, {{"a", 1}}, kStart + 20000);
  EXPECT_EQ(times().longest_silence, 10) << "another text";
  EXPECT_EQ(times().texts, 1u);
  LogFacts resume;
  resume.events.resume = {{offset_ + 10, {}}, false, 1};
  timeline_.Apply(resume, kStart + 30000);
  offset_ += 50;
  Step(2, {{"a", 1}}, kStart + 30010);
  EXPECT_EQ(times().longest_silence, 10) << "a resume mark";
  Step(3, {{"a", 1}}, kStart + 30100);
  EXPECT_EQ(times().longest_silence, 90) << "that mark is passed";
}

TEST_F(RunTimelineTest, ResumeMarkAtTheEdgesOfTheStep) {
  Step(1, {{"a", 1}}, kStart);
  LogFacts resume;
  resume.events.resume = {{offset_, {}}, false, 1};
  timeline_.Apply(resume, kStart);
  offset_ += 1;
  Step(2, {{"a", 1}}, kStart + 100);
  EXPECT_EQ(times().longest_silence, 0);
  resume.events.resume = {{offset_ + 500, {}}, false, 1};
  resume.steps.push_back(Record(3, {{"a", 1}}));
  timeline_.Apply(resume, kStart + 300);
  EXPECT_EQ(times().longest_silence, 200) << "the mark stands behind step 3";
  resume.steps.clear();
  resume.events.resume = {{offset_ + 600, {}}, false, 1};
  offset_ += 600;
  resume.steps.push_back(Record(4, {{"a", 1}}));
  timeline_.Apply(resume, kStart + 600);
  EXPECT_EQ(times().longest_silence, 300) << "nor in front of its own line";
}

TEST_F(RunTimelineTest, WhatCouldNotBeReadIsNoSilence) {
  Step(1, {{"a", 1}}, kStart);
  timeline_.NoteSource(false, kStart);
  EXPECT_FALSE(times().readable);
  Step(2, {{"a", 1}}, kStart + 9000);
  timeline_.NoteSource(true, kStart + 9000);
  EXPECT_TRUE(times().readable);
  EXPECT_EQ(times().longest_silence, 0);
  EXPECT_EQ(times().grown_since, std::nullopt);
  Step(3, {{"a", 1}}, kStart + 9100);
  EXPECT_EQ(times().longest_silence, 100);
}

TEST_F(RunTimelineTest, GrowthAfterHalfAnHourIsANewBeginning) {
  Grow(kStart);
  EXPECT_EQ(times().grown_since, std::nullopt);
  Grow(kStart + 1799);
  EXPECT_EQ(times().grown_since, std::nullopt);
  Grow(kStart + 1799 + 1800);
  EXPECT_EQ(times().grown_since, kStart + 1799 + 1800);
}

TEST_F(RunTimelineTest, ClockThatIsSetBackDoesNotTakeGrowthBack) {
  Grow(kStart);
  Grow(kStart - 500);
  EXPECT_EQ(times().growth, kStart);
}

TEST_F(RunTimelineTest, MedianOfItsOwnSteps) {
  EXPECT_EQ(times().step_seconds, std::nullopt);
  Timed(1, 100);
  EXPECT_EQ(times().step_seconds, 100) << "one is better than none";
  Timed(2, 200);
  EXPECT_EQ(times().step_seconds, 150);
  Timed(3, 9000);
  EXPECT_EQ(times().step_seconds, 200);
  Timed(3, 120);
  EXPECT_EQ(times().step_seconds, 120) << "the step again";
  Timed(2, 50);
  EXPECT_EQ(times().step_seconds, 75) << "a rewind";
}

TEST_F(RunTimelineTest, MedianIsOfTheNewestSixtyFour) {
  for (int i = 1; i <= 64; ++i) Timed(i, i <= 32 ? 1 : 3);
  EXPECT_EQ(times().step_seconds, 2);
  Timed(65, 3);
  EXPECT_EQ(times().step_seconds, 3);
}

TEST_F(RunTimelineTest, DifferenceOfArrivalsWhereNothingIsPrinted) {
  Step(1, {{"a", 1}}, kStart);
  Step(1, {{"b", 1}}, kStart + 40);
  Step(2, {{"a", 1}}, kStart + 100);
  EXPECT_EQ(times().step_seconds, 100) << "from its first line";
  Step(4, {{"a", 1}}, kStart + 900);
  EXPECT_EQ(times().step_seconds, 100) << "two steps later";
  Step(5, {{"a", 1}}, kStart + 900);
  EXPECT_EQ(times().step_seconds, 100) << "two lines of one turn";
}

TEST_F(RunTimelineTest, StepSecondsInTheOrderOfTheirKeys) {
  Step(1, {{"train/time(s)", 4},
           {"perf/step_time", 3},
           {"perf/time_per_step", 2},
           {"timing_s/step", 1}});
  EXPECT_EQ(times().step_seconds, 1);
  Step(1, {{"perf/step_time", 3}, {"perf/time_per_step", 2}});
  EXPECT_EQ(times().step_seconds, 2);
  Step(1, {{"train/time(s)", 4}, {"perf/step_time", 3}});
  EXPECT_EQ(times().step_seconds, 3);
  Step(1, {{"train/time(s)", 4}});
  EXPECT_EQ(times().step_seconds, 4);
  Step(1, {{"timing_s/step", -1}});
  Step(1, {{"timing_s/step", HUGE_VAL}});
  EXPECT_EQ(times().step_seconds, 4) << "no lengths of time";
  Step(1, {{"timing_s/step", 7}, {"timing_s/step", 8}});
  EXPECT_EQ(times().step_seconds, 8) << "twice in a line: the later one";
}

TEST_F(RunTimelineTest, LongestValidationAndCheckpoint) {
  EXPECT_EQ(times().longest_validation, std::nullopt);
  Step(1, {{"timing_s/testing", 50}, {"timing_s/save_checkpoint", 0}});
  EXPECT_EQ(times().longest_validation, 50);
  EXPECT_EQ(times().longest_checkpoint, 0);
  Step(2, {{"timing_s/testing", 40}, {"timing_s/save_checkpoint", 70}});
  EXPECT_EQ(times().longest_validation, 50);
  EXPECT_EQ(times().longest_checkpoint, 70);
  LogFacts facts;
  facts.steps.push_back(
      Record(2, {{"rollouter/validate_time", 90}}, LineClass::kVal));
  timeline_.Apply(facts, {});
  EXPECT_EQ(times().longest_validation, 90);
  facts.steps = {Record(2, {{"trainer/validate_time", 95}}, LineClass::kVal)};
  timeline_.Apply(facts, {});
  EXPECT_EQ(times().longest_validation, 95);
}

TEST_F(RunTimelineTest, HeartbeatsAndOtherLinesAreNoTraining) {
  LogFacts facts;
  facts.steps.push_back(Record(1, {}));
  facts.steps.push_back(Record(1, {{"x", 1}}, LineClass::kRollouter));
  timeline_.Apply(facts, {});
  EXPECT_EQ(times().training_lines, 0u);
  Step(1);
  EXPECT_EQ(times().training_lines, 1u);
}

TEST_F(RunTimelineTest, NewestTrialAndNewestMtime) {
  timeline_.NoteTrial(10);
  timeline_.NoteTrial(5);
  EXPECT_EQ(times().trial_time, 10);
  timeline_.NoteTrial(20);
  EXPECT_EQ(times().trial_time, 20);
  timeline_.NoteSource(true, 30);
  timeline_.NoteSource(true, {});
  EXPECT_EQ(times().mtime, 30);
}

}  // namespace
}  // namespace rlrun
