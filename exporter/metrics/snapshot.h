// What one Tick leaves for the HTTP threads: immutable, shared, complete. A
// scrape only concatenates what is here.
// Immutable after publication; safe to read from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/exposition/exposition.h"
#include "exporter/store/prefetch.h"

namespace rlrun {

// One line of the list of runs.
struct RunSummary {
  std::string project;  // empty: unknown
  std::string run;
  std::string path;  // of the log
  std::optional<std::int64_t> last_step;
  std::optional<std::int64_t> total_steps;
  std::optional<double> last_step_time;  // Unix seconds
  std::string_view state, health;        // names, as the labels have them
  std::string_view decision;             // empty: the run has ended
  std::string findings;                  // active ones, the worst first
  std::optional<double> step_seconds;    // mean of the newest steps
};

struct Snapshot {
  Snapshot() = default;
  Snapshot(Snapshot&&) = default;
  // Most blocks are in no cache by then.
  ~Snapshot() { ReleaseAll(&blocks); }

  // Rendered samples: for each run its step, run and engine series.
  std::vector<std::shared_ptr<const SampleBlock>> blocks;
  std::vector<RunSummary> runs;  // in the order of the list
  std::size_t series = 0;        // samples in blocks
  bool ready = false;            // the first full pass is done
};

}  // namespace rlrun
