// The main of every *_bench.cc. With --table, one line per figure on standard
// output: name, median, minimum and maximum of the repetitions, unit; tabs
// between them. A figure is a counter, named by its unit; a benchmark without
// counters gives its CPU time. Without --table: Google Benchmark's own output.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.run_name.function_name +
                               (run.run_name.args.empty() ? "" : "/") +
                               run.run_name.args;
      if (run.error_occurred) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(),
                     run.error_message.c_str());
        continue;
      }
      for (const auto& [unit, counter] : run.counters) {
        Add(name, unit, counter.value);
      }
      if (run.counters.empty()) {
        Add(name, benchmark::GetTimeUnitString(run.time_unit),
            run.GetAdjustedCPUTime());
      }
    }
  }

  void Finalize() override {
    for (const Figure& figure : figures_) {
      std::vector<double> values = figure.values;
      std::sort(values.begin(), values.end());
      std::printf("%s\t%.4g\t%.4g\t%.4g\t%s\n", figure.name.c_str(),
                  values[values.size() / 2], values.front(), values.back(),
                  figure.unit.c_str());
    }
  }

 private:
  struct Figure {
    std::string name;
    std::string unit;
    std::vector<double> values;
  };

  void Add(const std::string& name, const std::string& unit, double value) {
    const auto [it, is_new] = index_.try_emplace({name, unit}, figures_.size());
    if (is_new) figures_.push_back({name, unit, {}});
    figures_[it->second].values.push_back(value);
  }

  std::vector<Figure> figures_;  // in the order in which they came
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

}  // namespace

int main(int argc, char** argv) {
  char** const end = std::remove_if(argv + 1, argv + argc, [](const char* a) {
    return std::string_view(a) == "--table";
  });
  const int kept = static_cast<int>(end - argv);
  const bool table = kept != argc;
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 64;
  TableReporter reporter;
  const std::size_t ran = table ? benchmark::RunSpecifiedBenchmarks(&reporter)
                                : benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran == 0 ? 1 : 0;
}
