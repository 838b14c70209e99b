// What one Tailer::Poll passes from step to step. Private to the tailer.
#pragma once

#include <cstddef>

#include "exporter/tail/tailer.h"

namespace rlrun {

struct Tailer::Turn {
  FileSource& source;
  double now;
  std::size_t budget;  // bytes that may still be delivered
  TailSink* sink;
  FileStat at_path;           // the file that has the path, as last seen
  IoStatus status;            // why a step failed
  bool head_checked = false;  // the first bytes of the current file are ours
  bool fresh = false;         // the handle was opened in this turn
  bool restarted = false;     // a text was begun anew; once is enough
  bool reopened = false;      // a handle was given up for a fresh one
};

}  // namespace rlrun
