// One round of the exporter with 1,000 runs of 100 keys: nothing new, and one
// new line in one of them; and the exposition of its snapshot.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "exporter/app/app.h"
#include "exporter/exposition/exposition.h"
#include "tests/bench/figures.h"
#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

constexpr int kRuns = 1000;
constexpr int kKeys = 100;

std::string StepLine(int run, int step) {
  std::string line = "step:" + std::to_string(step);
  for (int key = 0; key < kKeys; ++key) {
    line += " - critic/measure_" + std::to_string(key) +
            "/mean:" + std::to_string(run * 0.001 + key + step);
  }
  return line + "\n";
}

std::string LogPath(int run) {
  return "/logs/lab/run_" + std::to_string(run) + "/logs/run_" +
         std::to_string(run) + ".log";
}

// Everything has been read once.
struct World {
  InMemoryFileSource files;
  std::unique_ptr<App> app;
  Now now{1, 0};
  int step = 1;

  World() {
    files.Mkdir("/logs");
    for (int run = 0; run < kRuns; ++run) {
      files.Write(LogPath(run), StepLine(run, step));
    }
    Config config;
    config.roots.emplace_back().path = "/logs";
    AppOptions options;
    options.age_limits = false;
    app = std::make_unique<App>(std::move(config), options, &files);
    app->ReadInline(now);
    Require(app->snapshot()->runs.size() == kRuns, "every run is published");
  }
};

void Report(benchmark::State& state) {
  state.counters["us"] =
      benchmark::Counter(1e-6, benchmark::Counter::kIsIterationInvariantRate |
                                   benchmark::Counter::kInvert);
}

void TickIdle1000Runs(benchmark::State& state) {
  World world;
  for (auto _ : state) world.app->Tick(world.now);
  Report(state);
}
BENCHMARK(TickIdle1000Runs);

void TickOneChangedOf1000(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    world.files.Append(LogPath(500), StepLine(500, ++world.step));
    world.now.steady += 11;
    world.app->readers()[0]->Pass(world.now);
    state.SetIterationTime(Seconds([&] { world.app->Tick(world.now); }));
  }
  const Snapshot& snapshot = *world.app->snapshot();
  Require(snapshot.runs.size() == kRuns, "every run is published");
  bool seen = false;
  for (const RunSummary& run : snapshot.runs) {
    seen = seen || run.last_step == world.step;
  }
  Require(seen, "the new step is published");
  Report(state);
}
BENCHMARK(TickOneChangedOf1000)->UseManualTime();

// A pass of the reader over 1,000 idle files that are all due.
void PassOver1000DueFiles(benchmark::State& state) {
  World world;
  RootReader& reader = *world.app->readers()[0];
  for (auto _ : state) {
    reader.Wake(nullptr);
    benchmark::DoNotOptimize(reader.Pass(world.now));
  }
  Report(state);
}
BENCHMARK(PassOver1000DueFiles);

void AssembleSnapshotOf1000Runs(benchmark::State& state) {
  World world;
  const auto snapshot = world.app->snapshot();
  for (auto _ : state) {
    std::string text;
    AppendBlocks(&text, snapshot->blocks, TextFormat::kText004);
    benchmark::DoNotOptimize(text);
  }
  NanosecondsPer(state, "series", snapshot->series);
}
BENCHMARK(AssembleSnapshotOf1000Runs);

}  // namespace
}  // namespace rlrun
