// How processes of this host are looked at. Filled by config.
#pragma once

#include <cstddef>
#include <string>

namespace rlrun {

struct ProcessOptions {
  // Whether the service looks at processes at all.
  bool enabled = true;
  // Seconds between two looks of the service.
  double interval = 10;
  // Where the process file system is mounted. In a container that shall see
  // the host's processes: the mount of the host's /proc.
  std::string proc_root = "/proc";
  // The NVIDIA management library, as dlopen takes it. Empty: GPUs are not
  // asked for.
  std::string nvml_library = "libnvidia-ml.so.1";
  // Processes inspected by one scan; more new ones than that wait for the next
  // scans, and until then absences are uncertain.
  std::size_t max_inspections = 16384;
  // Open files looked at per process; of a process with more, only these.
  std::size_t max_fds = 1024;
  // Bytes of a command line that are read; the rest of a longer one is unseen.
  std::size_t max_command_bytes = 64u << 10;
  // Bytes of an environment that are read.
  std::size_t max_environment_bytes = 256u << 10;
  // A process this young (seconds) is inspected by every scan: it may yet
  // become another program. An older one again after an eighth of its age,
  // within this bound and `max_recheck`.
  double young = 60;
  double max_recheck = 600;
};

}  // namespace rlrun
