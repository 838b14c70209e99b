#include "exporter/store/step_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

using Pairs = std::initializer_list<std::pair<const char*, double>>;
using Current = std::map<std::string, double>;

StepRecord Line(std::int64_t step, Pairs pairs, LineClass c = LineClass::kTrain,
                bool cut = false) {
  StepRecord r;
  r.step = step;
  r.line_class = c;
  r.cut = cut;
  for (const auto& [key, value] : pairs) r.Add(key, value);
  return r;
}

Current Values(const StepState& state) {
  Current out;
  state.ForEachCurrent([&](std::string_view key, double value) {
    EXPECT_TRUE(out.emplace(key, value).second) << "twice: " << key;
  });
  return out;
}

TEST(StepStateTest, KeyThatNewestLineLacksIsGone) {
  StepState s;
  s.Apply(Line(1, {{"a", 1}, {"b", 2}}));
  s.Apply(Line(2, {{"a", 3}}));
  EXPECT_EQ(Values(s), (Current{{"a", 3}}));
}

TEST(StepStateTest, LinesOfOneStepAreMergedLaterWins) {
  StepState s;
  s.Apply(Line(1, {{"a", 1}, {"b", 2}}));
  s.Apply(Line(1, {{"b", 5}, {"c", 6}}));
  EXPECT_EQ(Values(s), (Current{{"a", 1}, {"b", 5}, {"c", 6}}));
}

TEST(StepStateTest, KeyTwiceInOneLineLastWins) {
  StepState s;
  s.Apply(Line(1, {{"a", 1}, {"a", 2}}));
  EXPECT_EQ(Values(s), (Current{{"a", 2}}));
}

TEST(StepStateTest, ValidationKeysOnTrainLineStayUntilNextValidation) {
  StepState s;
  s.Apply(
      Line(10, {{"a", 1}, {"val-core/ds/acc/mean@1", 0.5}, {"val/loss", 0.1}}));
  s.Apply(Line(11, {{"a", 2}}));
  EXPECT_EQ(
      Values(s),
      (Current{{"a", 2}, {"val-core/ds/acc/mean@1", 0.5}, {"val/loss", 0.1}}));
  s.Apply(Line(20, {{"a", 3}, {"val-core/ds/acc/mean@1", 0.6}}));
  EXPECT_EQ(Values(s), (Current{{"a", 3}, {"val-core/ds/acc/mean@1", 0.6}}));
  EXPECT_EQ(s.last_step(LineClass::kVal), 20);
  EXPECT_EQ(s.last_step(LineClass::kTrain), 20);
}

TEST(StepStateTest, ClassesDoNotRemoveEachOthersKeys) {
  StepState s;
  s.Apply(Line(3, {{"fully_async/rollouter/idle_ratio", 0.3}},
               LineClass::kRollouter));
  s.Apply(Line(3, {{"actor/lr", 1e-6}}));
  s.Apply(Line(3,
               {{"val-core/d/acc/mean@1", 1}, {"rollouter/validate_time", 9}},
               LineClass::kVal));
  s.Apply(Line(4, {{"fully_async/rollouter/idle_ratio", 0.4}},
               LineClass::kRollouter));
  EXPECT_EQ(Values(s).size(), 4u);
  EXPECT_EQ(s.last_step(LineClass::kRollouter), 4);
  EXPECT_EQ(s.last_step(LineClass::kTrain), 3);
}

TEST(StepStateTest, KeyThatMovesToAnotherClassIsThereOnce) {
  StepState s;
  s.Apply(Line(3, {{"x", 1}}, LineClass::kRollouter));
  s.Apply(Line(3, {{"x", 2}}));
  EXPECT_EQ(Values(s), (Current{{"x", 2}}));
}

TEST(StepStateTest, CutLineRemovesNothing) {
  StepState s;
  s.Apply(Line(1, {{"a", 1}, {"b", 2}}));
  s.Apply(Line(2, {{"a", 3}}, LineClass::kTrain, /*cut=*/true));
  EXPECT_EQ(Values(s), (Current{{"a", 3}, {"b", 2}}));
  s.Apply(Line(3, {{"a", 4}}));
  EXPECT_EQ(Values(s), (Current{{"a", 4}}));
}

TEST(StepStateTest, WholeLineBehindCutLineOfSameStepKeepsOnlyThatStep) {
  StepState s;
  s.Apply(Line(1, {{"a", 1}, {"b", 2}}));
  s.Apply(Line(2, {{"c", 3}}, LineClass::kTrain, /*cut=*/true));
  s.Apply(Line(2, {{"a", 4}}));
  EXPECT_EQ(Values(s), (Current{{"a", 4}, {"c", 3}}));
}

TEST(StepStateTest, RewindIsCountedAndLaterWins) {
  StepState s;
  s.Apply(Line(100, {{"a", 1}, {"b", 1}}));
  s.Apply(Line(81, {{"a", 2}}));
  EXPECT_EQ(s.rewinds(), 1u);
  EXPECT_EQ(s.last_step(LineClass::kTrain), 81);
  EXPECT_EQ(Values(s), (Current{{"a", 2}}));
}

TEST(StepStateTest, ValidationOfOlderStepIsNoRewind) {
  StepState s;
  s.Apply(Line(11, {{"a", 1}}));
  s.Apply(Line(10, {{"val-core/d/acc/mean@1", 1}}, LineClass::kVal));
  EXPECT_EQ(s.rewinds(), 0u);
  EXPECT_EQ(Values(s).size(), 2u);
}

TEST(StepStateTest, HeartbeatMovesOnByOneAndTouchesNoKey) {
  StepState s;
  s.Apply(Line(1, {}));
  EXPECT_EQ(s.last_step(LineClass::kTrain), 1);
  s.Apply(Line(2, {{"a", 1}}));
  s.Apply(Line(3, {}));
  EXPECT_EQ(s.last_step(LineClass::kTrain), 3);
  EXPECT_EQ(Values(s), (Current{{"a", 1}}));
}

TEST(StepStateTest, ModelThatPrintsStepNumbersMovesNothing) {
  StepState s;
  s.Apply(Line(50, {{"a", 1}}));
  s.Apply(Line(3, {}));
  s.Apply(Line(5000, {}));
  EXPECT_EQ(s.last_step(LineClass::kTrain), 50);
  EXPECT_EQ(s.rewinds(), 0u);
}

TEST(StepStateTest, HeartbeatFollowsTheRollouterOfResumedRun) {
  StepState s;
  s.Apply(Line(101, {{"fully_async/rollouter/idle_ratio", 0.3}},
               LineClass::kRollouter));
  s.Apply(Line(101, {}));
  EXPECT_EQ(s.last_step(LineClass::kTrain), 101);
}

TEST(StepStateTest, NonFiniteValuesAreKeptAndCounted) {
  StepState s;
  s.Apply(Line(1, {{"a", std::nan("")},
                   {"b", std::numeric_limits<double>::infinity()}}));
  s.Apply(Line(2, {{"a", std::nan("")}, {"b", 1}}));
  EXPECT_EQ(s.nonfinite().at("a"), 2u);
  EXPECT_EQ(s.nonfinite().at("b"), 1u);
  EXPECT_TRUE(std::isnan(Values(s).at("a")));
}

TEST(StepStateTest, NonFiniteKeysAreCappedAtFifty) {
  StepState s;
  StepRecord r = Line(1, {});
  for (int i = 0; i < 60; ++i) r.Add("k" + std::to_string(i), std::nan(""));
  s.Apply(r);
  EXPECT_EQ(s.nonfinite().size(), 50u);
  EXPECT_EQ(Values(s).size(), 60u);
}

TEST(StepStateTest, KeysBeyondTheCapAreDroppedAndCounted) {
  StepState s(2);
  s.Apply(Line(1, {{"a", 1}, {"b", 2}, {"c", 3}}));
  s.Apply(Line(2, {{"c", 3}, {"a", 4}}));
  EXPECT_EQ(Values(s), (Current{{"a", 4}}));
  EXPECT_EQ(s.dropped_keys(), 2u);
}

TEST(StepStateTest, BudgetIsSharedAndGivenBack) {
  SeriesBudget budget{0, 3};
  auto a = std::make_unique<StepState>(100, &budget);
  StepState b(100, &budget);
  a->Apply(Line(1, {{"a", 1}, {"b", 2}}));
  b.Apply(Line(1, {{"a", 1}, {"b", 2}}));
  EXPECT_EQ(b.dropped_series(), 1u);
  EXPECT_EQ(budget.used, 3u);
  a.reset();
  EXPECT_EQ(budget.used, 1u);
  b.Apply(Line(2, {{"a", 1}, {"b", 2}}));
  EXPECT_EQ(Values(b).size(), 2u);
}

TEST(StepStateTest, RelaunchInTruncatedFileForgetsTheOldText) {
  StepState s;
  s.Apply(Line(300, {{"a", 1}, {"val-core/d/acc/mean@1", 1}}));
  s.StartNewText();
  EXPECT_EQ(Values(s).size(), 2u);  // until it says otherwise
  s.Apply(Line(1, {{"a", 2}}));
  EXPECT_EQ(Values(s), (Current{{"a", 2}}));
  EXPECT_EQ(s.last_step(LineClass::kVal), std::nullopt);
  EXPECT_EQ(s.rewinds(), 1u);
}

TEST(StepStateTest, RelaunchThatBeginsWithAValidationIsARewindToo) {
  StepState s;
  s.Apply(Line(0, {{"val-core/d/acc/mean@1", 1}}, LineClass::kVal));
  s.Apply(Line(2, {{"val-core/d/acc/mean@1", 2}}, LineClass::kVal));
  s.Apply(Line(3, {{"a", 1}}));
  s.StartNewText();
  s.Apply(Line(0, {{"val-core/d/acc/mean@1", 3}}, LineClass::kVal));
  s.Apply(Line(1, {{"a", 2}}));
  EXPECT_EQ(s.rewinds(), 1u);
  EXPECT_EQ(s.last_step(LineClass::kTrain), 1);
}

TEST(StepStateTest, CopyTruncatedLogGoesOn) {
  StepState s;
  s.Apply(Line(300, {{"a", 1}, {"val-core/d/acc/mean@1", 1}}));
  s.StartNewText();
  s.Apply(Line(301, {{"a", 2}}));
  EXPECT_EQ(Values(s), (Current{{"a", 2}, {"val-core/d/acc/mean@1", 1}}));
  EXPECT_EQ(s.rewinds(), 0u);
}

TEST(StepStateTest, PrintedDurationTakesTheFirstKeyThatIsThere) {
  StepState s;
  EXPECT_EQ(s.printed_duration(), std::nullopt);
  s.Apply(Line(1, {{"perf/time_per_step", 8}, {"timing_s/step", 9}}));
  EXPECT_EQ(s.printed_duration(), 9);
  s.Apply(Line(2, {{"perf/time_per_step", 7}}));
  EXPECT_EQ(s.printed_duration(), 7);
  s.Apply(Line(3, {{"train/time(s)", 6}}));
  EXPECT_EQ(s.printed_duration(), 6);
  s.Apply(Line(4, {{"perf/step_time", std::nan("")}}));
  EXPECT_EQ(s.printed_duration(), std::nullopt);
}

TEST(StepStateTest, VersionMovesOnlyWhenSomethingMayHaveChanged) {
  StepState s;
  s.Apply(Line(5, {{"a", 1}}));
  const auto v = s.version();
  s.Apply(Line(5, {}));
  EXPECT_EQ(s.version(), v);
  s.Apply(Line(6, {{"a", 1}}));
  EXPECT_NE(s.version(), v);
}

// What several sources say together, the most trusted first.
Current Merged(StepState* merged, std::initializer_list<StepState*> sources) {
  std::vector<const StepState*> all(sources.begin(), sources.end());
  merged->Merge(all);
  return Values(*merged);
}

TEST(StepStateMergeTest, NewestStepWinsWhoeverHasIt) {
  StepState log, copy, m;
  log.Apply(Line(4, {{"a", 4}, {"old", 1}}));
  copy.Apply(Line(5, {{"a", 5}}));
  EXPECT_EQ(Merged(&m, {&log, &copy}), (Current{{"a", 5}}));
  EXPECT_EQ(m.last_step(LineClass::kTrain), 5);
  log.Apply(Line(5, {{"a", 5.5}}));
  EXPECT_EQ(Merged(&m, {&log, &copy}), (Current{{"a", 5.5}}));
}

TEST(StepStateMergeTest, KeyComesFromTheFirstSourceThatCarriesItAtThatStep) {
  StepState log, jsonl, m;
  log.Apply(Line(5, {{"a", 0.123}, {"b", 1}}));
  jsonl.Apply(Line(5, {{"a", 0.12345}, {"c", 2}}));
  EXPECT_EQ(Merged(&m, {&log, &jsonl}),
            (Current{{"a", 0.123}, {"b", 1}, {"c", 2}}));
}

TEST(StepStateMergeTest, KeysOfOlderStepsBehindACutLineYieldToAWholeLine) {
  StepState copy, jsonl, m;
  copy.Apply(Line(4, {{"a", 4}, {"gone", 4}}));
  copy.Apply(Line(5, {{"a", 5}}, LineClass::kTrain, /*cut=*/true));
  EXPECT_EQ(Merged(&m, {&copy}), (Current{{"a", 5}, {"gone", 4}}));
  jsonl.Apply(Line(5, {{"a", 5}, {"b", 5}}));
  EXPECT_EQ(Merged(&m, {&jsonl, &copy}), (Current{{"a", 5}, {"b", 5}}));
  EXPECT_EQ(Merged(&m, {&copy, &jsonl}), (Current{{"a", 5}, {"b", 5}}));
}

TEST(StepStateMergeTest, ClassesAreMergedEachForItself) {
  StepState log, jsonl, m;
  log.Apply(Line(7, {{"a", 7}}));
  jsonl.Apply(Line(6, {{"a", 6}, {"val-core/d/acc/mean@1", 0.5}}));
  EXPECT_EQ(Merged(&m, {&log, &jsonl}),
            (Current{{"a", 7}, {"val-core/d/acc/mean@1", 0.5}}));
  EXPECT_EQ(m.last_step(LineClass::kVal), 6);
}

TEST(StepStateMergeTest, SourceThatLeavesTakesItsStepsAlong) {
  StepState log, copy, m;
  log.Apply(Line(1, {{"a", 1}}));
  copy.Apply(Line(90, {{"a", 90}, {"b", 90}, {"val/x", 1}}));
  Merged(&m, {&log, &copy});
  const auto version = m.version();
  EXPECT_EQ(Merged(&m, {&log}), (Current{{"a", 1}}));
  EXPECT_EQ(m.last_step(LineClass::kTrain), 1);
  EXPECT_EQ(m.last_step(LineClass::kVal), std::nullopt);
  EXPECT_NE(m.version(), version);
}

}  // namespace
}  // namespace rlrun
