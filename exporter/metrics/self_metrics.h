// What the exporter says of itself as a whole, under the names of the
// catalogue. The counts about one run are run_block.h's.
// All functions may be called from any thread at any time.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "exporter/exposition/family.h"
#include "exporter/metrics/process_collector.h"

namespace rlrun {

// What a file below a root is: the label `outcome` of rlrun_exporter_files.
enum class FileOutcome : std::uint8_t {
  kRun = 0,
  kSideFile,
  kNotALog,
  kTooOld,
  kUnreadable,
  kCapped,
};
inline constexpr std::size_t kFileOutcomes = 6;
inline constexpr std::array<std::string_view, kFileOutcomes> kFileOutcomeNames =
    {"run", "side_file", "not_a_log", "too_old", "unreadable", "capped"};

// Which cap refused a step series: the label `reason` of
// rlrun_exporter_series_dropped_total.
enum class DropReason : std::uint8_t { kMaxKeysPerRun = 0, kMaxSeries };
inline constexpr std::size_t kDropReasons = 2;
inline constexpr std::array<std::string_view, kDropReasons> kDropReasonNames = {
    "max_keys_per_run", "max_series"};

struct SelfMetricsOptions {
  std::string version;
  std::string revision;
  // Leaves out what differs from one process to the next: `process_*`, the
  // histogram of tick durations, and the time of the last reload.
  bool deterministic = false;
};

class SelfMetrics {
 public:
  explicit SelfMetrics(const SelfMetricsOptions& options);

  void SetRuns(std::size_t runs);
  void SetSeries(std::size_t series);
  void SetFiles(FileOutcome outcome, std::size_t files);
  void CountDropped(DropReason reason, std::uint64_t values);
  void CountCollision();
  // Roots whose names are repaired to one text are one root here.
  void SetRootUp(std::string_view root, bool up);
  void RemoveRoot(std::string_view root);
  void ObserveTick(double seconds);
  // `now`: Unix seconds. A failure leaves the time of the last success. Both
  // families are absent before the first call.
  void SetReload(bool successful, double now);
  void CountScrapeError();
  // Absent before the first call.
  void SetShard(std::size_t shard, std::size_t shards);

  // Header and samples of all of it, by name. Returns how many metrics could
  // not be written (always 0, see AppendFamily).
  std::size_t Append(std::string* out, TextFormat format) const;

 private:
  prometheus::Family<prometheus::Gauge>& Gauges(std::string_view name);
  prometheus::Family<prometheus::Counter>& Counters(std::string_view name);

  const bool deterministic_;
  prometheus::Registry registry_;
  ProcessCollector process_;
  prometheus::Family<prometheus::Gauge>& root_up_;
  prometheus::Family<prometheus::Gauge>& reload_ok_;
  prometheus::Family<prometheus::Gauge>& reload_time_;
  prometheus::Gauge& runs_;
  prometheus::Gauge& series_;
  prometheus::Counter& collisions_;
  prometheus::Counter& scrape_errors_;
  std::array<prometheus::Gauge*, kFileOutcomes> files_{};
  std::array<prometheus::Counter*, kDropReasons> dropped_{};
  prometheus::Histogram* tick_ = nullptr;  // null: deterministic
};

}  // namespace rlrun
