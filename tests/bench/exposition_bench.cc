// Rendering and assembling an exposition, in time per series, and the
// same 100,000 series through prometheus-cpp's own serializer beside it.
// `RatioToPrometheusCpp` tells how many times longer the library takes
// (medians) than sending what is rendered already (`x, cached`), and than
// rendering every sample anew and sending it (`x, all anew`).
#include <benchmark/benchmark.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <string>
#include <vector>

#include "exporter/exposition/exposition.h"
#include "exporter/metrics/run_block.h"
#include "tests/bench/figures.h"

namespace rlrun {
namespace {

constexpr int kRuns = 1000;
constexpr int kKeys = 100;

std::string KeyName(int key) {
  static constexpr const char* kGroups[] = {"actor", "critic", "perf",
                                            "response_length", "timing_s"};
  return std::string(kGroups[key % 5]) + "/metric_" + std::to_string(key);
}

double Value(int run, int key) { return 0.1 * key + 1e-3 / (run + 3); }

std::unique_ptr<Run> MakeRun(int number, int keys) {
  auto run = std::make_unique<Run>(2000, nullptr);
  run->identity = {"math_project", "qwen_grpo_" + std::to_string(number)};
  StepRecord record;
  record.step = 1;
  for (int key = 0; key < keys; ++key) {
    record.Add(KeyName(key), Value(number, key));
  }
  run->steps.Apply(record);
  return run;
}

// The runs of the big cases, with what renders them.
struct Fleet {
  std::shared_ptr<FamilyTable> table = std::make_shared<FamilyTable>();
  std::vector<std::unique_ptr<Run>> runs;
  std::vector<std::unique_ptr<RunSeries>> series;

  Fleet(int count, int keys) {
    for (int i = 0; i < count; ++i) {
      runs.push_back(MakeRun(i, keys));
      series.push_back(std::make_unique<RunSeries>(table));
      series.back()->AcquireKeys(*runs.back());
    }
  }
  // A line that changes nothing but makes the run's block old.
  void Touch(std::size_t i) {
    StepRecord record;
    record.step = 1;
    record.cut = true;
    record.Add(KeyName(0), 1);
    runs[i]->steps.Apply(record);
  }
  std::vector<std::shared_ptr<const SampleBlock>> Render() {
    std::vector<std::shared_ptr<const SampleBlock>> blocks;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      blocks.push_back(series[i]->RenderSteps(*runs[i]));
    }
    return blocks;
  }
};

void PerSeries(benchmark::State& state, std::int64_t series) {
  NanosecondsPer(state, "series", static_cast<std::size_t>(series));
}

void RenderOneRun(benchmark::State& state) {
  Fleet fleet(1, 250);
  for (auto _ : state) {
    fleet.Touch(0);
    benchmark::DoNotOptimize(fleet.series[0]->RenderSteps(*fleet.runs[0]));
  }
  PerSeries(state, 250);
}
BENCHMARK(RenderOneRun)->Unit(benchmark::kMicrosecond);

void RenderRunFamilies(benchmark::State& state) {
  Fleet fleet(1, 250);
  for (auto _ : state) {
    benchmark::DoNotOptimize(fleet.series[0]->RenderRun(*fleet.runs[0]));
  }
}
BENCHMARK(RenderRunFamilies)->Unit(benchmark::kMicrosecond);

void AssembleManyBlocks(benchmark::State& state) {
  Fleet fleet(kRuns, kKeys);
  const auto blocks = fleet.Render();
  for (auto _ : state) {
    std::string out;
    AppendBlocks(&out, blocks, TextFormat::kOpenMetrics100);
    benchmark::DoNotOptimize(out);
  }
  PerSeries(state, kRuns * kKeys);
}
BENCHMARK(AssembleManyBlocks)->Unit(benchmark::kMillisecond);

void GzipManyBlocks(benchmark::State& state) {
  Fleet fleet(kRuns, kKeys);
  std::string text;
  AppendBlocks(&text, fleet.Render(), TextFormat::kOpenMetrics100);
  std::size_t packed = 0;
  for (auto _ : state) packed = Gzip(text).size();
  state.counters["x smaller"] =
      static_cast<double>(text.size()) / static_cast<double>(packed);
  GigabytesPerSecond(state, text.size());
}
BENCHMARK(GzipManyBlocks)->Unit(benchmark::kMillisecond);

// prometheus-cpp with the same series, held in a registry.
void Fill(prometheus::Registry* registry) {
  for (int key = 0; key < kKeys; ++key) {
    auto& family = prometheus::BuildGauge()
                       .Name(RawFamilyName(KeyName(key)))
                       .Help("Step metric " + KeyName(key) + ".")
                       .Register(*registry);
    for (int run = 0; run < kRuns; ++run) {
      family
          .Add({{"run", "qwen_grpo_" + std::to_string(run)},
                {"project", "math_project"}})
          .Set(Value(run, key));
    }
  }
}

void PrometheusCpp(benchmark::State& state) {
  prometheus::Registry registry;
  Fill(&registry);
  const prometheus::TextSerializer serializer;
  for (auto _ : state) {
    benchmark::DoNotOptimize(serializer.Serialize(registry.Collect()));
  }
  PerSeries(state, kRuns * kKeys);
}
BENCHMARK(PrometheusCpp)->Unit(benchmark::kMillisecond);

// All three in turn, so that a noisy machine slows all of them.
void RatioToPrometheusCpp(benchmark::State& state) {
  prometheus::Registry registry;
  Fill(&registry);
  const prometheus::TextSerializer serializer;
  Fleet fleet(kRuns, kKeys);
  auto blocks = fleet.Render();
  std::vector<double> library, cached, anew;  // seconds
  for (auto _ : state) {
    library.push_back(Seconds([&] {
      benchmark::DoNotOptimize(serializer.Serialize(registry.Collect()));
    }));
    const double render = Seconds([&] {
      for (std::size_t i = 0; i < fleet.runs.size(); ++i) fleet.Touch(i);
      blocks = fleet.Render();
    });
    cached.push_back(Seconds([&] {
      std::string out;
      AppendBlocks(&out, blocks, TextFormat::kText004);
      benchmark::DoNotOptimize(out);
    }));
    anew.push_back(render + cached.back());
  }
  state.counters["x, cached"] = Median(library) / Median(cached);
  state.counters["x, all anew"] = Median(library) / Median(anew);
}
BENCHMARK(RatioToPrometheusCpp)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rlrun
