// How run-record stores are read. Filled by the application from `poll:`,
// `retention:` and the limits of the root.
#pragma once

#include <cstddef>
#include <limits>

namespace rlrun {

struct RecordOptions {
  // Seconds between two looks at a run that goes on; a network file system is
  // asked `network_factor` times more rarely.
  double interval = 10;
  double network_factor = 4;
  // Seconds between two looks at a run that has ended: it may be tried again.
  double settled_interval = 60;
  // Of a run whose newest sign of life is older than this (seconds), or of one
  // that ended longer ago than `max_ended_age`, nothing but the record is read.
  double max_age = std::numeric_limits<double>::infinity();
  double max_ended_age = std::numeric_limits<double>::infinity();
  // A store that is empty or cannot be listed keeps its runs for this long,
  // seconds.
  double vanish_grace = 900;
  // Nobody looks again: what may still grow is given out as it is.
  bool one_look = false;
  // Records of one store; further ones are counted as `capped`.
  std::size_t max_runs = 10000;
  // Larger documents are not read, bytes. Chunks of a metric series hold up to
  // 1,000 steps.
  std::size_t max_document_bytes = 16u << 20;
  std::size_t max_chunk_bytes = 64u << 20;

  bool operator==(const RecordOptions&) const = default;
};

}  // namespace rlrun
