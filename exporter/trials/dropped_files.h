// Follows `_dropped/*.jsonl` of one experiment: files that only grow, a line
// per trajectory that was dropped.
// Not thread-safe; belongs to one TrialScanner.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "exporter/store/trial_totals.h"
#include "exporter/tail/file_source.h"

namespace rlrun {

class DroppedFiles {
 public:
  explicit DroppedFiles(std::string directory)
      : directory_(std::move(directory)) {}

  // Counts what was added since the last call into *totals. Asks `go_on` before
  // each call of the file system; false from it ends the call early, and the
  // next one goes on. Returns true if all was read.
  bool Pass(FileSource& source, const std::function<bool()>& go_on,
            TrialTotals* totals);

 private:
  struct File {
    std::uint64_t offset = 0;
    std::string tail;       // of a line that is not complete
    bool skipping = false;  // its line is too long to keep
  };
  bool Follow(FileSource& source, const std::function<bool()>& go_on,
              const std::string& name, File* file, TrialTotals* totals);
  static void Take(std::string_view text, File* file, TrialTotals* totals);

  std::string directory_;
  std::map<std::string, File> files_;
  std::string cursor_;  // the file to go on with; empty: list first
};

}  // namespace rlrun
