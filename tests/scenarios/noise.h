// What stands between the step lines of a log: clocks, engine throughput,
// progress bars, per-trial messages, look-alikes of step lines.
// Pure functions (Random aside); safe to call from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "tests/scenarios/log_writer.h"

namespace rlrun::scenarios {

// Second `second` of an invented day, as different printers show it.
struct Clock {
  std::int64_t second = 0;  // since 2026-03-02 09:00:00, below 15 hours

  std::string Full() const;       // `2026-03-02 09:14:07,000`
  std::string MonthDay() const;   // `03-02 09:14:07`
  std::string TimeOfDay() const;  // `09:14:07.000`
};

// `Training Progress:  10%|#         | 6/60 [01:00<09:00, 10.00s/it]`
std::string ProgressBar(std::int64_t done, std::int64_t total);

// An engine throughput line with two prefixes, LF included. `month_day`:
// `03-02 09:14:07`.
std::string EngineLineAt(const std::string& month_day, Random* random);
std::string EngineLine(Random* random, Clock clock);

// A per-trial message with prefix, LF included.
std::string TrialLine(Random* random);

// Lines that hold `step:` and are no step lines, LF included.
std::string LookAlikes(std::int64_t step);

// More than 1 MiB without a line end, then LF: readers skip it.
std::string OverlongLine();

// Mean, max and min of one quantity, with max and min `spread` around it.
void AddMeanMaxMin(Pairs* pairs, const std::string& key, double mean,
                   double spread);

}  // namespace rlrun::scenarios
