// Which process belongs to which run, from what was read of the processes.
// A statement of the experiment is believed, and narrowed by the project and
// by the log that the process writes; without one the log decides, then paths
// in arguments (the longest name wins), then the company of a `tee` of the log,
// then the tree of processes. What fits two runs equally well is given to none.
// Pure; reads the table, changes nothing. Safe to call from any thread while
// the table is not updated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exporter/process/process_report.h"
#include "exporter/process/process_table.h"

namespace rlrun {

struct Assignment {
  std::size_t run = 0;  // index of the key
  MatchedBy by = MatchedBy::kNone;
  // kNone: no role, yet part of the tree (a raylet, a tee).
  ProcessRole role = ProcessRole::kNone;
  // How sure the role is: 3 a trainer's or runner's command line, 2 the title
  // of a ray actor, 1 a python program that writes the log.
  int rank = 0;
};

struct Assignments {
  std::unordered_map<std::int64_t, Assignment> by_pid;
  // Alive, and could be of any run: a command line that could not be read, or
  // a trainer or runner whose run is not known for want of permission or
  // because it fits several.
  std::vector<std::int64_t> undecided;
};

Assignments Assign(const ProcessTable& table, const std::vector<RunKey>& runs);

}  // namespace rlrun
