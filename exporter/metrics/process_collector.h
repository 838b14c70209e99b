// The `process_*` families of this process, read from /proc/self whenever they
// are asked for. What cannot be read is left out.
// Safe to call from any thread.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rlrun {

// What we take from `/proc/<pid>/stat`.
struct ProcStat {
  std::uint64_t cpu_ticks = 0;    // user and system time
  std::uint64_t start_ticks = 0;  // since boot
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};

// Line: `42 (a name) S 1 42 42 0 -1 4194560 ...`
// Accepts: any command name, parentheses and spaces inside it included.
// Rejects: fewer than 24 fields, or something else than numbers in ours.
std::optional<ProcStat> ParseProcStat(std::string_view text);

// Unix time of the boot from the line `btime 1764400000` of /proc/stat.
std::optional<std::uint64_t> ParseBootTime(std::string_view text);

class ProcessCollector : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace rlrun
