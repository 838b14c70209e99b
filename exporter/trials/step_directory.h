// One `step_NNNN` directory of an experiment: which of its trials have
// finished, which are still running. A finished trial is read once, and
// remembered as a hash of its name. Not thread-safe; belongs to one
// TrialScanner.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "exporter/store/trial_totals.h"
#include "exporter/tail/file_source.h"
#include "exporter/trials/options.h"
#include "exporter/trials/trial_cache.h"

namespace rlrun {

// What every step directory of a scanner works with.
struct TrialScan {
  FileSource& source;
  const TrialOptions& options;
  TrialCache& cache;
  TrialTotals& totals;
  // Asked before each trial and each listing; false: enough for this time.
  std::function<bool()> go_on;
  double steady = 0;  // seconds
  double wall = 0;    // Unix seconds
  double slower = 1;  // factor on intervals: a network file system
};

class StepDirectory {
 public:
  // `name`: `step_0003`, below `parent`.
  StepDirectory(const std::string& parent, std::string name)
      : name_(std::move(name)), path_(parent + "/" + name_) {}

  // Does what is due. False: `go_on` ended it early; call again.
  bool Pass(TrialScan* scan);
  // Steady seconds at which something is due.
  double due() const { return due_; }
  // Running and stuck trials, by split, as of `wall`; a trial is stuck once it
  // is older than `stuck_after` seconds of its split.
  void CountRunning(double wall,
                    const std::array<double, kTrialSplits>& stuck_after,
                    TrialTotals* totals) const;
  // Newest time of modification, Unix seconds; absent before a listing.
  std::optional<double> changed() const { return changed_; }
  bool listed() const { return listed_; }
  std::size_t finished() const { return finished_.size(); }
  std::size_t running() const { return running_.size(); }

 private:
  struct Running {
    std::optional<double> since;  // Unix seconds
    TrialSplit split = TrialSplit::kUnknown;
    bool looked = false;      // since and split were asked for
    bool unreadable = false;  // its result may not be read
    double due = 0;           // steady seconds of the next try
  };
  enum class Outcome : std::uint8_t { kRunning, kFinished, kGone };

  bool List(TrialScan* scan);
  void TakeEntries(const std::vector<DirEntry>& entries, TrialScan* scan);
  Outcome Try(const std::string& name, Running* trial, TrialScan* scan);
  Outcome Look(const std::string& name, Running* trial, TrialScan* scan);
  Outcome Unfinished(double modified, Running* trial, TrialScan* scan);
  void Finish(const std::string& name, const TrialResult& result,
              TrialScan* scan);
  void Plan(TrialScan* scan);

  std::string name_;
  std::string path_;
  std::unordered_set<std::uint64_t> finished_;
  std::map<std::string, Running> running_;
  std::string cursor_;          // trial to go on with, inside of a pass
  bool in_pass_ = false;        // listed, trials are being tried
  bool listed_ = false;         // once at least
  std::int64_t mtime_ns_ = -1;  // at the newest listing
  bool mtime_settled_ = false;  // it was old enough then to be trusted
  std::optional<double> changed_;
  double settled_wait_ = 0;
  double due_ = 0;
};

}  // namespace rlrun
