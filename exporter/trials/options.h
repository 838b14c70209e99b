// How trial directories are read. Filled by config from `trials:`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rlrun {

struct TrialOptions {
  // False: trial directories are not looked at.
  bool enabled = true;
  // Seconds between two looks at the directories that may change; a network
  // file system is asked four times more rarely.
  double interval = 10;
  // A trial without a result for longer than this (seconds) is stuck, where the
  // run's own limits are not known.
  double stuck_after = 3600;
  // A step's directory that was not touched for this long (seconds) and has no
  // running trial is asked again only every `settled_interval`.
  double settle_after = 3600;
  double settled_interval = 600;
  // Globs over the path of a trial's task; `val` is asked first. No match: the
  // split is `unknown`.
  std::vector<std::string> val_patterns = {"*_val_*", "*-val-*", "*/val/*",
                                           "*validation*"};
  std::vector<std::string> train_patterns = {"*train*", "*_filtered*"};
  // Result files larger than this (bytes) are counted as `unknown`.
  std::size_t max_result_bytes = 64u << 20;
  // A result that is not whole this long (seconds) after its last write is
  // counted as `unknown`.
  double give_up_after = 600;
  // Keeps a line per finished trial here, so that a restart does not read them
  // again. Empty: nothing is kept. Never inside a run's own directories.
  std::string cache_dir;

  bool operator==(const TrialOptions&) const = default;
};

}  // namespace rlrun
