// What judging costs: 1,000 runs, each with the watched keys of 64 and 512
// steps behind it, get one step each, as in one tick.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "exporter/signatures/judge.h"
#include "exporter/signatures/role.h"
#include "tests/bench/figures.h"

namespace rlrun {
namespace {

constexpr int kSteps = 512;

// Every watched key, filled up to 64 with keys of timings.
StepRecord Record(int run, int step) {
  StepRecord record;
  record.step = step;
  record.decimals = StepRecord::kExponent;
  std::size_t keys = 0;
  for (const RoleRow& row : RoleTable()) {
    if (row.keys[0].empty()) continue;
    const double phase = static_cast<double>(keys) + run;
    record.Add(row.keys[0], 1 + 0.1 * std::sin(0.3 * step + phase));
    ++keys;
  }
  record.Add("trajectory_filter/reason/agent_completed", 500);
  record.Add("trajectory_filter/reason/timeout", 12);
  for (keys += 2; keys < 64; ++keys) {
    record.Add("timing_s/phase_" + std::to_string(keys), 1.5);
  }
  return record;
}

void JudgeOneTick(benchmark::State& state) {
  const auto runs = static_cast<int>(state.range(0));
  const auto rules = std::make_shared<const RunRules>();
  std::vector<Judge> judges;
  for (int run = 0; run < runs; ++run) {
    judges.emplace_back(rules);
    for (int step = 1; step <= kSteps; ++step) {
      judges.back().Apply(Record(run, step));
    }
  }
  int step = kSteps;
  for (auto _ : state) {
    state.PauseTiming();
    const StepRecord record = Record(0, ++step);
    state.ResumeTiming();
    for (Judge& judge : judges) judge.Apply(record);
  }
  Require(judges.front().history().steps() == static_cast<std::size_t>(step),
          "every step is judged");
  NanosecondsPer(state, "step", static_cast<std::size_t>(runs));
}
BENCHMARK(JudgeOneTick)->Arg(1)->Arg(1000)->Unit(benchmark::kMillisecond);

void MakeJudgement(benchmark::State& state) {
  Judge judge(nullptr);
  for (int step = 1; step <= kSteps; ++step) judge.Apply(Record(0, step));
  for (auto _ : state) benchmark::DoNotOptimize(judge.StepJudgement());
}
BENCHMARK(MakeJudgement);

}  // namespace
}  // namespace rlrun
