// One round of the exporter with 1,000 runs: nothing new, one new line in one
// of them, a step in each of them; and the exposition of its snapshot.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exporter/app/app.h"
#include "exporter/exposition/exposition.h"
#include "exporter/signatures/role.h"
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

// Logs of 1,000 runs whose lines have one length: what stands at an offset is
// made when it is read, so that the logs take no memory.
class SteppedLogs : public FileSource {
 public:
  static constexpr std::size_t kKeys = 64;
  static constexpr std::int64_t kFirstStep = 100000;

  SteppedLogs() {
    for (const RoleRow& row : RoleTable()) {
      if (!row.keys[0].empty() && keys_.size() < kKeys - 2) {
        keys_.emplace_back(row.keys[0]);
      }
    }
    keys_.emplace_back("trajectory_filter/reason/agent_completed");
    keys_.emplace_back("trajectory_filter/reason/timeout");
    for (int key = 0; keys_.size() < kKeys; ++key) {
      keys_.push_back("timing_s/phase_" + std::to_string(key));
    }
    width_ = Line(0, 0).size();
  }

  std::int64_t steps = 0;  // lines of each log

  IoStatus Stat(const std::string& path, FileStat* stat) override {
    stat->kind = path == "/logs" ? FileKind::kDirectory : FileKind::kRegular;
    stat->id = {1, path == "/logs" ? 1 : 10 + static_cast<unsigned>(Run(path))};
    stat->size = width_ * static_cast<std::size_t>(steps);
    stat->mtime_ns = 1750000000000000000 + steps;
    return IoStatus::Ok();
  }
  IoStatus List(const std::string&, std::vector<DirEntry>* entries) override {
    for (int run = 0; run < kRuns; ++run) {
      entries->push_back({Name(run), FileKind::kRegular});
    }
    return IoStatus::Ok();
  }
  IoStatus Open(const std::string& path,
                std::unique_ptr<OpenFile>* file) override {
    *file = std::make_unique<File>(this, path);
    return IoStatus::Ok();
  }
  std::string Canonical(const std::string& path) override { return path; }
  bool IsNetwork(const std::string&) override { return false; }

 private:
  class File : public OpenFile {
   public:
    File(SteppedLogs* logs, std::string path)
        : logs_(logs), path_(std::move(path)) {}
    IoStatus Read(std::uint64_t offset, char* buffer, std::size_t size,
                  std::size_t* got) override {
      const auto width = static_cast<std::uint64_t>(logs_->width_);
      const auto step = static_cast<std::int64_t>(offset / width);
      *got = 0;
      if (step >= logs_->steps) return IoStatus::Ok();
      const std::string line = logs_->Line(Run(path_), step);
      const std::size_t at = offset % width;
      *got = std::min(size, line.size() - at);
      std::copy_n(line.data() + at, *got, buffer);
      return IoStatus::Ok();
    }
    IoStatus Stat(FileStat* stat) override { return logs_->Stat(path_, stat); }

   private:
    SteppedLogs* logs_;
    std::string path_;
  };

  static std::string Name(int run) {
    return "run_" + std::to_string(run) + ".log";
  }
  static int Run(const std::string& path) {
    const std::size_t at = path.rfind('_');
    return at == std::string::npos ? 0 : std::stoi(path.substr(at + 1));
  }
  std::string Line(int run, std::int64_t step) const {
    std::string line = "step:" + std::to_string(kFirstStep + step);
    for (std::size_t key = 0; key < kKeys; ++key) {
      const double phase = static_cast<double>(key) + 0.37 * run;
      // Always eight characters: 0.890000 to 1.110000.
      line += " - " + keys_[key] + ":" +
              std::to_string(
                  1 + 0.11 * std::sin(0.3 * static_cast<double>(step) + phase));
    }
    return line + "\n";
  }

  std::vector<std::string> keys_;
  std::size_t width_ = 0;
};

// 512 watched steps lie behind each run; every run gets one more. What readers
// do (read, parse) and what Tick does (store, judge, render) are two figures.
void TickOneStepOfEach1000(benchmark::State& state) {
  SteppedLogs files;
  Config config;
  config.roots.emplace_back().path = "/logs";
  AppOptions options;
  options.age_limits = false;
  Now now{1, 1750000000};
  files.steps = 512;
  App app(std::move(config), options, &files);
  app.ReadInline(now);
  Require(app.snapshot()->runs.size() == kRuns, "every run is published");
  double reading = 0;
  for (auto _ : state) {
    ++files.steps;
    now.steady += 11;
    now.wall += 11;
    reading += CpuSeconds([&] { app.readers()[0]->Pass(now); });
    state.SetIterationTime(CpuSeconds([&] { app.Tick(now); }));
  }
  for (const RunSummary& run : app.snapshot()->runs) {
    Require(run.last_step == SteppedLogs::kFirstStep + files.steps - 1,
            "every new step is published");
  }
  state.counters["reading_ms"] = benchmark::Counter(
      reading * 1e3 / static_cast<double>(state.iterations()));
  Report(state);
}
BENCHMARK(TickOneStepOfEach1000)
    ->UseManualTime()
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rlrun
