#include "exporter/metrics/self_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "exporter/metrics/catalogue.h"
#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr TextFormat kText = TextFormat::kText004;
constexpr TextFormat kOpen = TextFormat::kOpenMetrics100;

std::string Text(const SelfMetrics& metrics, TextFormat format = kText) {
  std::string out;
  EXPECT_EQ(metrics.Append(&out, format), 0u);
  return out;
}

SelfMetricsOptions Deterministic() { return {"1.2.3", "abcdef", true}; }

TEST(SelfMetrics, DeterministicTextInFull) {
  SelfMetrics metrics(Deterministic());
  metrics.SetRuns(2);
  metrics.SetSeries(500);
  metrics.SetFiles(FileOutcome::kTooOld, 3);
  metrics.CountDropped(DropReason::kMaxSeries, 7);
  metrics.CountCollision();
  metrics.SetRootUp("/b", false);
  metrics.SetRootUp("/a", true);
  metrics.SetReload(true, 1764400000);
  metrics.ObserveTick(0.5);
  std::string samples;
  const std::string text = Text(metrics);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text.find('\n', i) + 1;
    if (text[i] != '#') samples += text.substr(i, end - i);
    i = end;
  }
  EXPECT_EQ(
      samples,
      "rlrun_exporter_build_info{revision=\"abcdef\",version=\"1.2.3\"} 1\n"
      "rlrun_exporter_config_last_reload_successful 1\n"
      "rlrun_exporter_files{outcome=\"capped\"} 0\n"
      "rlrun_exporter_files{outcome=\"not_a_log\"} 0\n"
      "rlrun_exporter_files{outcome=\"run\"} 0\n"
      "rlrun_exporter_files{outcome=\"side_file\"} 0\n"
      "rlrun_exporter_files{outcome=\"too_old\"} 3\n"
      "rlrun_exporter_files{outcome=\"unreadable\"} 0\n"
      "rlrun_exporter_name_collisions_total 1\n"
      "rlrun_exporter_root_up{root=\"/a\"} 1\n"
      "rlrun_exporter_root_up{root=\"/b\"} 0\n"
      "rlrun_exporter_runs 2\n"
      "rlrun_exporter_scrape_errors_total 0\n"
      "rlrun_exporter_series 500\n"
      "rlrun_exporter_series_dropped_total{reason=\"max_keys_per_run\"} 0\n"
      "rlrun_exporter_series_dropped_total{reason=\"max_series\"} 7\n");
}

TEST(SelfMetrics, EveryRowOfTheCatalogueIsWrittenAndNoOther) {
  SelfMetrics metrics({"1", "2", false});
  metrics.SetRootUp("/a", true);
  metrics.SetReload(true, 1764400000);
  metrics.ObserveTick(0.5);
  metrics.SetShard(1, 4);
  const CheckedExposition checked = CheckExposition(Text(metrics), false);
  EXPECT_THAT(checked.errors, IsEmpty());
  std::set<std::string> rows;
  for (const CatalogueRow& row : Catalogue()) {
    if (row.scope == FamilyScope::kExporter) rows.emplace(row.name);
  }
  EXPECT_EQ(
      std::set<std::string>(checked.families.begin(), checked.families.end()),
      rows);
}

TEST(SelfMetrics, ValidInOpenMetrics) {
  SelfMetrics metrics({"1\n\"", "\xFF", false});
  metrics.SetRootUp("/a\"\\\n\xFF", true);
  metrics.ObserveTick(0.0007);
  const std::string text = Text(metrics, kOpen) + "# EOF\n";
  EXPECT_THAT(CheckExposition(text, true).errors, IsEmpty()) << text;
  EXPECT_THAT(text, HasSubstr("# TYPE process_cpu_seconds counter\n"));
  EXPECT_THAT(text, HasSubstr("process_cpu_seconds_total "));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"1.0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"0.0005\"} 0\n"));
}

TEST(SelfMetrics, ShardsAreAbsentWhereThereAreNone) {
  SelfMetrics metrics(Deterministic());
  EXPECT_THAT(Text(metrics), Not(HasSubstr("rlrun_exporter_shards")));
  metrics.SetShard(0, 4);
  EXPECT_THAT(Text(metrics),
              HasSubstr("\nrlrun_exporter_shards{shard=\"0\"} 4\n"));
}

TEST(SelfMetrics, ReloadIsAbsentUntilThereWasOne) {
  SelfMetrics metrics({"1", "2", false});
  EXPECT_THAT(Text(metrics), Not(HasSubstr("reload")));
  metrics.SetReload(false, 10);
  EXPECT_THAT(Text(metrics), HasSubstr("reload_successful 0\n"));
  EXPECT_THAT(Text(metrics), Not(HasSubstr("reload_success_timestamp")));
  metrics.SetReload(true, 20);
  metrics.SetReload(false, 30);
  EXPECT_THAT(Text(metrics), HasSubstr("reload_successful 0\n"));
  EXPECT_THAT(Text(metrics),
              HasSubstr("reload_success_timestamp_seconds 20\n"));
}

TEST(SelfMetrics, RemovedRootIsGone) {
  SelfMetrics metrics(Deterministic());
  metrics.SetRootUp("/a", true);
  metrics.RemoveRoot("/a");
  metrics.RemoveRoot("/never");
  EXPECT_THAT(Text(metrics), Not(HasSubstr("root_up")));
}

TEST(SelfMetrics, RootsThatAreRepairedToOneTextAreOne) {
  SelfMetrics metrics(Deterministic());
  metrics.SetRootUp("/a\xFF", true);
  metrics.SetRootUp("/a\xFE", false);
  EXPECT_THAT(CheckExposition(Text(metrics), false).errors, IsEmpty());
}

TEST(ProcessCollector, CommandNameMayLookLikeFields) {
  const auto stat = ParseProcStat(
      "42 (a) b 7 (x) S 1 42 42 0 -1 4194560 100 0 0 0 "
      "250 50 0 0 20 0 4 0 123456 7340032 300 18446744073709551615 1\n");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->cpu_ticks, 300u);
  EXPECT_EQ(stat->start_ticks, 123456u);
  EXPECT_EQ(stat->virtual_bytes, 7340032u);
  EXPECT_EQ(stat->resident_pages, 300u);
}

TEST(ProcessCollector, ShortOrOddStatIsRejected) {
  EXPECT_FALSE(ParseProcStat(""));
  EXPECT_FALSE(ParseProcStat("42 (a) S 1 42"));
  EXPECT_FALSE(ParseProcStat(
      "42 (a) S 1 42 42 0 -1 1 1 0 0 0 x 50 0 0 20 0 4 0 1 7 3 1\n"));
}

TEST(ProcessCollector, BootTime) {
  EXPECT_EQ(ParseBootTime("cpu 1 2\nbtime 1764400000\nprocesses 5\n"),
            1764400000u);
  EXPECT_FALSE(ParseBootTime("cpu 1 2\n"));
  EXPECT_FALSE(ParseBootTime("cpu 1 2\nbtime\n"));
}

TEST(ProcessCollector, ThisProcessHasMemoryAndFiles) {
  std::set<std::string> names;
  for (const auto& family : ProcessCollector().Collect()) {
    names.insert(family.name);
    ASSERT_EQ(family.metric.size(), 1u);
    if (family.name != "process_cpu_seconds_total") {
      EXPECT_GT(family.metric[0].gauge.value, 0) << family.name;
    }
  }
  EXPECT_THAT(names, Contains("process_resident_memory_bytes"));
  EXPECT_THAT(names, Contains("process_start_time_seconds"));
  EXPECT_THAT(names, Contains("process_open_fds"));
}

}  // namespace
}  // namespace rlrun
