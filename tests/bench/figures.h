// How a benchmark names its figures, and how it refuses to measure nonsense.
// Pure but for the state; each function belongs to the thread of the benchmark.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace rlrun {

// CPU nanoseconds per item, `items` of them in one iteration.
inline void NanosecondsPer(benchmark::State& state, const std::string& item,
                           std::size_t items) {
  state.counters["ns/" + item] =
      benchmark::Counter(static_cast<double>(items) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

// 10^9 bytes per CPU second, `bytes` of them in one iteration.
inline void GigabytesPerSecond(benchmark::State& state, std::size_t bytes) {
  state.counters["GB/s"] =
      benchmark::Counter(static_cast<double>(bytes) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate);
}

// Ends the program: what would be measured is not what the name says.
inline void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not as expected: %s\n", what);
  std::exit(1);
}

template <typename F>
double Seconds(F&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// The same as CPU time of this thread: what else runs on the machine counts
// little.
template <typename F>
double CpuSeconds(F&& work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) +
           1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Of at least one value.
inline double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace rlrun
