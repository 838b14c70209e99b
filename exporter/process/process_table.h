// The processes of this host and what was read of each, kept from scan to scan
// so that a known process costs nothing until it is looked at again: young
// ones at each update, those of interest for their state, all from time to
// time, since a process may become another program.
// Leaves it to assign.h whose they are.
// Not thread-safe. Update may block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporter/process/command.h"
#include "exporter/process/proc_fs.h"

namespace rlrun {

struct ProcessEntry {
  std::int64_t pid = 0;
  std::uint64_t inode = 0;
  std::uint64_t start_ticks = 0;
  std::optional<double> start_time;  // Unix seconds
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t session = 0;
  double first_seen = 0;  // times of scans
  double inspected = 0;
  bool ended = false;       // a zombie
  bool unreadable = false;  // its state or command line is closed to us
  Command command;
  // Of its environment.
  std::optional<std::string> experiment;
  std::optional<std::string> project;
  bool environment_unread = false;  // not permitted
  // Regular files that it has open; of programs that are none of ours, only
  // behind standard output and error.
  std::vector<FileIdentity> files;
  std::vector<FileIdentity> pipes_out;  // behind standard output and error
  std::optional<FileIdentity> pipe_in;  // behind standard input
  bool descriptors_unread = false;      // not permitted, or too many
  bool watched = false;  // look at its state at each update; set by the scanner
};

class ProcessTable {
 public:
  struct Result {
    bool listed = false;
    bool hidden = false;
    std::size_t not_inspected = 0;
  };

  explicit ProcessTable(const ProcessOptions& options);

  // `now`: Unix seconds. If the list cannot be had the table stays as it was.
  Result Update(double now);

  const std::unordered_map<std::int64_t, ProcessEntry>& entries() const {
    return entries_;
  }
  // nullptr: not there.
  const ProcessEntry* Find(std::int64_t pid) const;
  // Its parent; nullptr: unknown, or the pid belongs to another process now.
  const ProcessEntry* Parent(const ProcessEntry& entry) const;
  void Watch(std::int64_t pid, bool watched);
  const ProcFs::Counts& counts() const { return proc_.counts(); }

 private:
  // These return false if the process is gone.
  bool Inspect(double now, ProcessEntry* entry);
  bool LookAgain(double now, ProcessEntry* entry);
  void ReadEnvironment(ProcessEntry* entry);
  void ReadDescriptors(ProcessEntry* entry);
  void ReadOutputs(ProcessEntry* entry);
  bool IsDue(double now, const ProcessEntry& entry) const;
  std::optional<double> StartTime(std::uint64_t ticks);

  const ProcessOptions options_;
  ProcFs proc_;
  const double ticks_per_second_;
  std::optional<std::uint64_t> boot_time_;
  bool boot_time_read_ = false;  // by this update
  std::unordered_map<std::int64_t, ProcessEntry> entries_;
};

}  // namespace rlrun
