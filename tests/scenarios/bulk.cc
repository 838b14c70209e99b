#include "tests/scenarios/bulk.h"

#include <string>
#include <vector>

#include "tests/scenarios/noise.h"

namespace rlrun::scenarios {
namespace {

constexpr std::size_t kNoisePerStep = 2000;
constexpr std::size_t kPool = 8192;  // distinct noise lines

// Key names of the usual groups, in the order of a line.
std::vector<std::string> BulkKeyNames() {
  std::vector<std::string> names = {"training/global_step"};
  const char* groups[] = {"actor",         "critic/score",    "rollout_corr",
                          "timing_s",      "response_length", "perf",
                          "variance_proxy"};
  for (std::size_t i = 0; names.size() < kBulkKeys; ++i) {
    names.push_back(std::string(groups[i % 7]) + "/measure_" +
                    std::to_string(i / 7) + (i % 3 ? "/mean" : ""));
  }
  return names;
}

std::string StepLine(std::uint64_t step, const std::string& prefix,
                     const std::vector<std::string>& names, Random* random) {
  Pairs pairs;
  pairs.Int(names[0], static_cast<std::int64_t>(step));
  for (std::size_t i = 1; i < names.size(); ++i) {
    const double value = random->Uniform(0, i % 5 ? 1 : 5000);
    if (i % 10 == 7) {
      pairs.Numpy(names[i], "float64", value);
    } else {
      pairs.Float(names[i], value);
    }
  }
  return prefix + "step:" + std::to_string(step) + pairs.text() + "\n";
}

}  // namespace

BulkStats WriteBulk(std::uint64_t bytes, std::uint64_t seed,
                    const std::function<bool(std::string_view)>& sink) {
  Random random(seed);
  const std::string prefix = ActorPrefix("TaskRunner", 4711, "10.1.0.7");
  const std::vector<std::string> names = BulkKeyNames();
  // Drawn from a pool: printing numbers would be slower than any disk.
  std::vector<std::string> pool;
  pool.reserve(kPool);
  for (std::size_t i = 0; i < kPool; ++i) {
    const auto second = static_cast<std::int64_t>(i);
    pool.push_back(random.Integer(0, 19) < 11 ? EngineLine(&random, {second})
                                              : TrialLine(&random));
  }
  BulkStats stats;
  std::string piece;
  while (stats.bytes < bytes) {
    piece.clear();
    for (std::size_t i = 0; i < kNoisePerStep; ++i) {
      piece += pool[random.Next() % kPool];
    }
    piece += StepLine(++stats.last_step, prefix, names, &random);
    ++stats.step_lines;
    stats.lines += kNoisePerStep + 1;
    stats.bytes += piece.size();
    if (!sink(piece)) break;
  }
  return stats;
}

}  // namespace rlrun::scenarios
