// What the caller says about its runs, and what is said back about their
// processes on this host.
// Plain data; freely moved between threads. Times are Unix seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/process/proc_fs.h"

namespace rlrun {

struct RunKey {
  struct Log {
    std::string path;   // absolute
    FileIdentity file;  // zero: not known
  };
  std::string id;  // the caller's; the same run has the same at each scan
  std::string experiment;  // empty: not known
  std::string project;     // empty: not known
  std::vector<Log> logs;   // only those that no other run writes to
  std::string trial_dir;   // absolute; empty: none
};

// Why a process is taken for one of a run, the first that applied.
enum class MatchedBy : std::uint8_t {
  kNone = 0,
  kArgument,     // states the experiment on its command line
  kEnvironment,  // states it in its environment
  kOpenFile,     // has the log open
  kPipeline,     // writes into a pipe that a `tee` of the log reads
  kPath,         // an argument names the run, its log or its trial directory
  kGroup,        // shares the process group, or session, with that `tee`
  kTree,         // is an ancestor or a descendant of a process of the run
};
// `argument`, `environment`, `open_file`, ...; empty for kNone.
std::string_view MatchedByName(MatchedBy matched);

enum class Presence : std::uint8_t {
  kNeverSeen = 0,  // nothing is known: it may run on another host
  kAlive,
  kGone,  // was alive at an earlier scan and has ended
};

struct RoleProcess {
  Presence presence = Presence::kNeverSeen;
  // Of the process that is, or was, the run's in this role.
  std::int64_t pid = 0;
  std::optional<double> start_time;
  MatchedBy matched_by = MatchedBy::kNone;
  double last_seen = 0;   // time of the last scan that saw it alive
  double gone_since = 0;  // time of the first scan that did not, with kGone
  // Not kAlive, and a process that could not be read may be it or its
  // successor: no death may be concluded.
  bool incomplete = false;
};

struct RunProcesses {
  std::string id;
  RoleProcess trainer;
  RoleProcess runner;
  // GPUs that the run's processes, and what descends from them, compute on.
  // Absent: no process of it is alive here, or it cannot be told.
  std::optional<std::size_t> gpus;
};

struct ProcessReport {
  std::vector<RunProcesses> runs;  // in the order of the keys
  // False: the process file system could not be listed, and every answer is
  // the one before, marked incomplete.
  bool listed = false;
  // Processes of other users are hidden from us; what was never seen may
  // well be there.
  bool hidden = false;
  std::size_t processes = 0;      // seen alive, of anybody
  std::size_t unreadable = 0;     // of those, not even the command line
  std::size_t not_inspected = 0;  // left for the next scans
  bool gpus_available = false;    // NVML answered
};

}  // namespace rlrun
