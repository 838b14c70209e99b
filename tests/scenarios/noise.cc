#include "tests/scenarios/noise.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace rlrun::scenarios {
namespace {

// `HH:MM:SS` from 09:00:00 on; never past midnight.
std::string TimeFrom9(std::int64_t second) {
  second = std::clamp<std::int64_t>(second, 0, 15 * 3600 - 1);
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%02d:%02d:%02d",
                static_cast<int>(9 + second / 3600),
                static_cast<int>(second / 60 % 60),
                static_cast<int>(second % 60));
  return buffer;
}

}  // namespace

std::string Clock::Full() const {
  return "2026-03-02 " + TimeFrom9(second) + ",000";
}
std::string Clock::MonthDay() const { return "03-02 " + TimeFrom9(second); }
std::string Clock::TimeOfDay() const { return TimeFrom9(second) + ".000"; }

std::string ProgressBar(std::int64_t done, std::int64_t total) {
  const std::int64_t tenths = done * 10 / total;
  std::string bar(static_cast<std::size_t>(tenths), '#');
  bar.resize(10, ' ');
  char buffer[128];
  std::snprintf(buffer, sizeof buffer,
                "Training Progress: %3d%%|%s| %d/%d [%02d:00<%02d:00, "
                "60.00s/it]",
                static_cast<int>(done * 100 / total), bar.c_str(),
                static_cast<int>(done), static_cast<int>(total),
                static_cast<int>(done % 60),
                static_cast<int>((total - done) % 60));
  return buffer;
}

std::string EngineLineAt(const std::string& month_day, Random* random) {
  char buffer[512];
  const int server = static_cast<int>(random->Integer(0, 7));
  const int running = static_cast<int>(random->Integer(0, 64));
  std::snprintf(
      buffer, sizeof buffer,
      "\x1b[36m(vLLMHttpServer pid=%d, ip=10.1.0.%d)\x1b[0m "
      "(EngineCore_DP0 pid=%d) INFO %s [loggers.py:208] Engine 000: "
      "Avg prompt throughput: %.1f tokens/s, Avg generation throughput: %.1f "
      "tokens/s, Running: %d reqs, Waiting: %d reqs, GPU KV cache usage: "
      "%.1f%%, Prefix cache hit rate: %.1f%%%s\n",
      5100 + server, 20 + server, 5200 + server, month_day.c_str(),
      random->Uniform(200, 9000), random->Uniform(100, 3000), running,
      static_cast<int>(random->Integer(0, 5)), random->Uniform(1, 95),
      random->Uniform(20, 90),
      random->Integer(0, 9) == 0
          ? "\x1b[32m [repeated 3x across cluster]\x1b[0m"
          : "");
  return buffer;
}

std::string EngineLine(Random* random, Clock clock) {
  return EngineLineAt(clock.MonthDay(), random);
}

std::string TrialLine(Random* random) {
  static constexpr std::array<std::string_view, 4> kEnds = {
      "finished, reward from the verifier is in",
      "attempt 1/2 timeout (no retry), 2400 s were not enough",
      "no verifier result (exception=None), retrying",
      "environment is up, handing over to the agent"};
  char buffer[256];
  std::snprintf(buffer, sizeof buffer,
                "\x1b[36m(AgentLoopWorker pid=%d, ip=10.1.0.%d)\x1b[0m "
                "[task=lab-%05d] %s after %.2f s\n",
                static_cast<int>(random->Integer(6000, 6031)),
                static_cast<int>(random->Integer(20, 27)),
                static_cast<int>(random->Integer(0, 99999)),
                kEnds[random->Next() % kEnds.size()].data(),
                random->Uniform(1, 2400));
  return buffer;
}

std::string LookAlikes(std::int64_t step) {
  const std::string n = std::to_string(step);
  return "writing /mnt/runs/checkpoints/step:" + n + " - shard:1\n" +
         "global_step:" + n + " - queue:3\n" + "[Progress] step=" + n +
         " of the warm-up\n" + "game/steps:" + n + " - moves:12\n";
}

std::string OverlongLine() {
  std::string line = "dump of a batch: ";
  line.reserve(1'100'100);
  while (line.size() < 1'100'000) line += "[151643, 198, 151644, 8948], ";
  return line + "\n";
}

void AddMeanMaxMin(Pairs* pairs, const std::string& key, double mean,
                   double spread) {
  pairs->Float(key + "/mean", mean);
  pairs->Float(key + "/max", mean + spread);
  pairs->Float(key + "/min", mean - spread);
}

}  // namespace rlrun::scenarios
