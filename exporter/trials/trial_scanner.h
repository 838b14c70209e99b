// The trial directories of one experiment: `<directory>/step_NNNN/<trial>/`.
// Works in slices, so that a slow file system never holds up its thread for
// long; after the first walk only what may have changed is asked again.
// Leaves finished trials alone for good, `logs/` and everything that is no
// step's directory always.
// Not thread-safe; only the thread that may block on the file system calls
// Pass and totals.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "exporter/store/trial_totals.h"
#include "exporter/tail/file_source.h"
#include "exporter/trials/dropped_files.h"
#include "exporter/trials/options.h"
#include "exporter/trials/step_directory.h"
#include "exporter/trials/trial_cache.h"

namespace rlrun {

// Seconds after which a trial without a result is stuck. One whose split is not
// known has the longer time.
struct StuckAfter {
  std::optional<double> train, val;
  bool operator==(const StuckAfter&) const = default;
};

class TrialScanner {
 public:
  // `source` must outlive this object.
  TrialScanner(std::string directory, TrialOptions options, FileSource* source);

  const std::string& directory() const { return directory_; }
  // As the run's own configuration has them; absent: as the options say.
  void SetStuckAfter(const StuckAfter& limits) { stuck_after_ = limits; }

  // Does what is due. `go_on` is asked before each piece of work, of at most
  // four calls of the file system; false from it ends the slice. `steady`,
  // `wall`: seconds. Returns the seconds until something is due; 0: more is
  // waiting.
  double Pass(double steady, double wall, const std::function<bool()>& go_on);

  // Running trials as of the last Pass.
  TrialTotals totals() const;
  std::size_t step_directories() const { return steps_.size(); }
  // It could be listed at the last try.
  bool up() const { return totals_.up; }
  // It holds, or held, something that only trials leave behind.
  bool has_trials() const { return !steps_.empty() || has_dropped_; }
  // Why the cache is not used; empty: it is, or none was asked for.
  const std::string& cache_error() const { return cache_.error(); }

 private:
  bool ListSteps(TrialScan* scan);
  double NextDue(double steady) const;

  std::string directory_;
  TrialOptions options_;
  FileSource* source_;
  StuckAfter stuck_after_;
  TrialCache cache_;
  TrialTotals totals_;
  DroppedFiles dropped_;
  // By number, then name: `step_0007` and `step_7` are two.
  std::map<std::pair<std::uint64_t, std::string>, StepDirectory> steps_;
  std::optional<std::pair<std::uint64_t, std::string>> cursor_;  // downwards
  bool has_dropped_ = false;
  bool dropped_waiting_ = false;
  bool network_known_ = false;
  double slower_ = 1;
  double list_due_ = 0;
  double wall_ = 0;
};

// The number of a step's directory: `step_0007` -> 7. Absent: it is none.
std::optional<std::uint64_t> StepNumber(std::string_view name);

}  // namespace rlrun
