#include "exporter/metrics/self_metrics.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporter/exposition/collected.h"
#include "exporter/exposition/text.h"
#include "exporter/metrics/catalogue.h"

namespace rlrun {
namespace {

// From a pass over idle files to one that waits for a slow disk.
const prometheus::Histogram::BucketBoundaries kTickBounds = {
    0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10};

std::map<std::string, std::string> RootLabels(std::string_view root) {
  return {{"root", RepairUtf8(root)}};
}

}  // namespace

prometheus::Family<prometheus::Gauge>& SelfMetrics::Gauges(
    std::string_view name) {
  const auto header = Family(name);
  return prometheus::BuildGauge()
      .Name(header->name)
      .Help(header->help)
      .Register(registry_);
}

prometheus::Family<prometheus::Counter>& SelfMetrics::Counters(
    std::string_view name) {
  const auto header = Family(name);
  return prometheus::BuildCounter()
      .Name(header->name)
      .Help(header->help)
      .Register(registry_);
}

SelfMetrics::SelfMetrics(const SelfMetricsOptions& options)
    : deterministic_(options.deterministic),
      root_up_(Gauges("rlrun_exporter_root_up")),
      reload_ok_(Gauges("rlrun_exporter_config_last_reload_successful")),
      reload_time_(Gauges("rlrun_exporter_config_last_reload_success_timestamp_"
                          "seconds")),
      runs_(Gauges("rlrun_exporter_runs").Add({})),
      series_(Gauges("rlrun_exporter_series").Add({})),
      collisions_(Counters("rlrun_exporter_name_collisions_total").Add({})),
      scrape_errors_(Counters("rlrun_exporter_scrape_errors_total").Add({})) {
  Gauges("rlrun_exporter_build_info")
      .Add({{"version", options.version}, {"revision", options.revision}})
      .Set(1);
  auto& files = Gauges("rlrun_exporter_files");
  for (std::size_t i = 0; i < kFileOutcomes; ++i) {
    files_[i] = &files.Add({{"outcome", std::string(kFileOutcomeNames[i])}});
  }
  auto& dropped = Counters("rlrun_exporter_series_dropped_total");
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    dropped_[i] = &dropped.Add({{"reason", std::string(kDropReasonNames[i])}});
  }
  if (deterministic_) return;
  const auto tick = Family("rlrun_exporter_tick_duration_seconds");
  tick_ = &prometheus::BuildHistogram()
               .Name(tick->name)
               .Help(tick->help)
               .Register(registry_)
               .Add({}, kTickBounds);
}

void SelfMetrics::SetRuns(std::size_t runs) {
  runs_.Set(static_cast<double>(runs));
}

void SelfMetrics::SetSeries(std::size_t series) {
  series_.Set(static_cast<double>(series));
}

void SelfMetrics::SetFiles(FileOutcome outcome, std::size_t files) {
  files_[static_cast<std::size_t>(outcome)]->Set(static_cast<double>(files));
}

void SelfMetrics::CountDropped(DropReason reason, std::uint64_t values) {
  dropped_[static_cast<std::size_t>(reason)]->Increment(
      static_cast<double>(values));
}

void SelfMetrics::CountCollision() { collisions_.Increment(); }

void SelfMetrics::SetRootUp(std::string_view root, bool up) {
  root_up_.Add(RootLabels(root)).Set(up ? 1 : 0);
}

void SelfMetrics::RemoveRoot(std::string_view root) {
  // Add finds the gauge where there is one.
  root_up_.Remove(&root_up_.Add(RootLabels(root)));
}

void SelfMetrics::ObserveTick(double seconds) {
  if (tick_ != nullptr) tick_->Observe(seconds);
}

void SelfMetrics::SetReload(bool successful, double now) {
  reload_ok_.Add({}).Set(successful ? 1 : 0);
  if (successful && !deterministic_) reload_time_.Add({}).Set(now);
}

void SelfMetrics::SetShard(std::size_t shard, std::size_t shards) {
  Gauges("rlrun_exporter_shards")
      .Add({{"shard", std::to_string(shard)}})
      .Set(static_cast<double>(shards));
}

void SelfMetrics::CountScrapeError() { scrape_errors_.Increment(); }

std::size_t SelfMetrics::Append(std::string* out, TextFormat format) const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  if (!deterministic_) {
    std::vector<prometheus::MetricFamily> process = process_.Collect();
    families.insert(families.end(), std::make_move_iterator(process.begin()),
                    std::make_move_iterator(process.end()));
  }
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::size_t left_out = 0;
  for (prometheus::MetricFamily& family : families) {
    std::sort(family.metric.begin(), family.metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
    left_out += AppendFamily(out, family, format);
  }
  return left_out;
}

}  // namespace rlrun
