// One look at the processes of this host per interval: which of them are
// trainers and runners of the runs at hand, since when, and which have ended
// since the last look. Remembers, per run and role, the process it saw, so that
// "gone" is never said of a process that was not there.
// Leaves it to the caller what a death means, and to it alone when to look.
// One thread calls it; Scan may block (file systems, driver).
// Reads only; never signals a process.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporter/process/assign.h"
#include "exporter/process/nvml.h"
#include "exporter/process/options.h"
#include "exporter/process/process_report.h"
#include "exporter/process/process_table.h"

namespace rlrun {

class ProcessScanner {
 public:
  explicit ProcessScanner(const ProcessOptions& options = {});

  // `runs`: all that are of interest now; the memory of a run that is not
  // among them is dropped. `now`: Unix seconds, not smaller than before.
  ProcessReport Scan(const std::vector<RunKey>& runs, double now);

  // Calls into the process file system so far.
  const ProcFs::Counts& counts() const { return table_.counts(); }

 private:
  struct Memory {
    RoleProcess process;
    std::uint64_t start_ticks = 0;
    int rank = 0;
  };
  struct RunMemory {
    Memory trainer;
    Memory runner;
  };
  struct Candidate {
    const ProcessEntry* entry = nullptr;
    Assignment assignment;
  };

  void Judge(const std::vector<Candidate>& candidates,
             const ProcessTable::Result& update,
             const std::vector<std::int64_t>& undecided, double now,
             Memory* memory) const;
  void CountGpus(const Assignments& assignments, double now,
                 ProcessReport* report);

  ProcessTable table_;
  Nvml nvml_;
  std::unordered_map<std::string, RunMemory> memory_;
  std::vector<std::int64_t> watched_;
};

}  // namespace rlrun
