// How files are polled and read. Filled by config from `poll:` and `limits:`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rlrun {

struct TailOptions {
  // Seconds between two looks at a file that grew lately. Longer: less load on
  // the file system, later values.
  double active_interval = 0.5;
  // Ceiling of the back-off for files that do not grow. An idle file is looked
  // at each (time since it last grew) / 20, within these two bounds.
  double idle_interval = 10;
  // Seconds between two listings of a directory.
  double directory_interval = 10;
  // Network file systems are polled this many times slower.
  double network_factor = 4;
  // A root that answers no call for this many seconds is down.
  double root_timeout = 10;
  // Bytes read from one file before the next file has its turn.
  std::size_t bytes_per_turn = 4u << 20;
  // A longer line is skipped and counted.
  std::size_t max_line_bytes = 1u << 20;
  // Files held open at once per root; beyond it the longest idle are closed
  // and reopened at their offset when they grow.
  std::size_t max_open_files = 256;
  // A renamed file is read on for this many seconds after its last growth as
  // long as the file that took its path has no text: its writer may still hold
  // it. What is written to it later is counted as lost.
  double rotate_wait = 5;
  // What looks damaged in a file of W&B or TensorBoard is looked at again for
  // this many seconds before it is passed over and counted: a page of the file
  // may not have come yet.
  double damage_wait = 30;
  // False: do not use inotify even as a hint.
  bool use_inotify = true;
};

}  // namespace rlrun
