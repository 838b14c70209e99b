// measure_serve: the real binary, serving. How long it takes from a line in a
// log to its value on /metrics, and what watching idle runs costs.
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/daemon/exporter_process.h"

namespace {

using rlrun::daemon::AppendFile;
using rlrun::daemon::ExporterProcess;
using rlrun::daemon::SampleValue;
using rlrun::daemon::TempDir;
using rlrun::daemon::WriteFile;
using Clock = std::chrono::steady_clock;

constexpr int kUsage = 64;
constexpr char kHelp[] =
    "usage: measure_serve latency [--inotify=no|yes] [--samples=100]\n"
    "       measure_serve idle [--runs=1000] [--files=10]\n"
    "                     [--seconds=60] [--settle=10]\n"
    "\n"
    "latency: milliseconds from a line that is appended to a log until\n"
    "  /metrics, asked again and again, shows its value. The lines come at\n"
    "  irregular times.\n"
    "idle: CPU seconds of an exporter that watches RUNS folders with a log "
    "and\n"
    "  FILES - 1 other files each, over SECONDS in which nothing changes, "
    "from\n"
    "  SETTLE seconds behind the first look on. The longer it lasts, the "
    "rarer\n"
    "  the files are looked at.\n"
    "Prints figures as tab-separated lines: name, median, minimum, maximum,\n"
    "unit.\n";

struct Options {
  std::string mode;
  bool inotify = false;
  int samples = 100;
  int runs = 1000;
  int files = 10;
  int seconds = 60;
  int settle = 10;
};

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool ParseArguments(int argc, char** argv, Options* options) {
  if (argc < 2) return false;
  options->mode = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = argument.substr(0, equals);
    const std::string_view value = argument.substr(equals + 1);
    if (name == "--inotify") {
      options->inotify = value == "yes";
      if (value != "yes" && value != "no") return false;
      continue;
    }
    int* const number = name == "--samples"   ? &options->samples
                        : name == "--runs"    ? &options->runs
                        : name == "--files"   ? &options->files
                        : name == "--seconds" ? &options->seconds
                        : name == "--settle"  ? &options->settle
                                              : nullptr;
    if (number == nullptr) return false;
    const auto result =
        std::from_chars(value.data(), value.data() + value.size(), *number);
    if (result.ec != std::errc() || *number < 1) return false;
  }
  return options->mode == "latency" || options->mode == "idle";
}

void PrintFigure(const std::string& name, std::vector<double> values,
                 const char* unit) {
  std::sort(values.begin(), values.end());
  std::printf("%s\t%.4g\t%.4g\t%.4g\t%s\n", name.c_str(),
              values[values.size() / 2], values.front(), values.back(), unit);
}

bool Fail(const char* what, ExporterProcess& exporter) {
  std::fprintf(stderr, "measure_serve: %s\n%s", what, exporter.Err().c_str());
  return false;
}

bool MeasureLatency(const Options& options) {
  const TempDir dir;
  const std::string root = dir.File("logs");
  const std::string log = root + "/sums.log";
  std::filesystem::create_directory(root);
  const std::string config = dir.File("config.yaml");
  WriteFile(config, std::string("poll:\n  inotify: ") +
                        (options.inotify ? "true\n" : "false\n"));
  WriteFile(log, "step:0 - actor/lr:0.5 - training/global_step:0\n");
  ExporterProcess exporter({root, "--config.file=" + config});
  if (!exporter.WaitForSample("rlrun_step_training_global_step", 0)) {
    return Fail("the exporter does not serve the log", exporter);
  }
  std::vector<double> milliseconds;
  for (int step = 1; step <= options.samples; ++step) {
    // No multiple of any interval, so that no phase is preferred.
    std::this_thread::sleep_for(
        std::chrono::milliseconds(200 + step * 37 % 500));
    const std::string n = std::to_string(step);
    const auto begin = Clock::now();
    AppendFile(log, "step:" + n +
                        " - actor/lr:0.5 - training/global_step:" + n + "\n");
    while (SampleValue(exporter.Metrics(), "rlrun_step_training_global_step") !=
           step) {
      if (Since(begin) > 60) return Fail("a line does not show", exporter);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    milliseconds.push_back(Since(begin) * 1e3);
  }
  PrintFigure(options.inotify ? "line to /metrics, inotify"
                              : "line to /metrics, polling only",
              std::move(milliseconds), "ms");
  return true;
}

void WriteRuns(const Options& options, const TempDir& dir) {
  for (int run = 0; run < options.runs; ++run) {
    const std::string folder = dir.File("run_" + std::to_string(run));
    std::filesystem::create_directory(folder);
    std::string text;
    for (int step = 1; step <= 3; ++step) {
      text += "step:" + std::to_string(step) +
              " - actor/lr:0.5 - run/number:" + std::to_string(run) + "\n";
    }
    WriteFile(folder + "/run_" + std::to_string(run) + ".log", text);
    for (int file = 1; file < options.files; ++file) {
      WriteFile(folder + "/shard_" + std::to_string(file) + ".pt", "weights\n");
    }
  }
}

bool MeasureIdle(const Options& options) {
  const TempDir dir;
  WriteRuns(options, dir);
  ExporterProcess exporter({dir.path()});
  if (!exporter.WaitForSample("rlrun_exporter_runs", options.runs)) {
    return Fail("the exporter does not serve every run", exporter);
  }
  const auto cpu = [&] {
    return SampleValue(exporter.Metrics(), "process_cpu_seconds_total");
  };
  std::this_thread::sleep_for(std::chrono::seconds(options.settle));
  const auto begin = Clock::now();
  const std::optional<double> before = cpu();
  std::this_thread::sleep_for(std::chrono::seconds(options.seconds));
  const std::optional<double> after = cpu();
  if (!before || !after) return Fail("no CPU time on /metrics", exporter);
  const double percent = 100 * (*after - *before) / Since(begin);
  PrintFigure(std::to_string(options.runs) + " idle runs, " +
                  std::to_string(options.files) + " files each",
              {percent}, "% of a core");
  const auto rss =
      SampleValue(exporter.Metrics(), "process_resident_memory_bytes");
  PrintFigure("the same, resident memory", {rss.value_or(0) * 1e-6}, "MB");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(kHelp, stdout);
    return EXIT_SUCCESS;
  }
  Options options;
  if (!ParseArguments(argc, argv, &options)) {
    std::fputs(kHelp, stderr);
    return kUsage;
  }
  const bool good = options.mode == "latency" ? MeasureLatency(options)
                                              : MeasureIdle(options);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
