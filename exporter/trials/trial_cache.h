// A line per finished trial, kept over restarts, so that its result file is not
// read again. Only saves reading: what it holds of trials that are not listed
// any more counts for nothing.
//
//   v1<TAB>step_0003/task-1a2b3c4d<TAB>timeout<TAB>0.5<TAB>...
//
// A line that is not whole or not ours is skipped. One exporter writes a file;
// of two that share a folder each may read trials that the other has read.
// Not thread-safe; belongs to one TrialScanner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "parsers/model/trial_result.h"

namespace rlrun {

class TrialCache {
 public:
  // Of the experiment `directory`; an empty `folder` keeps nothing.
  TrialCache(const std::string& folder, const std::string& directory);

  // The result of `trial` (`step_0003/name`), once: it is forgotten then.
  std::optional<TrialResult> Take(std::string_view trial);
  void Keep(std::string_view trial, const TrialResult& result);
  // The lines of this object are in the file.
  void Flush() { out_.flush(); }

  std::size_t size() const { return lines_.size(); }
  // Why nothing is kept; empty: it is, or nothing was asked for.
  const std::string& error() const { return error_; }

 private:
  std::unordered_map<std::string, TrialResult> lines_;
  std::ofstream out_;
  std::string error_;
};

}  // namespace rlrun
