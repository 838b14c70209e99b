#include "exporter/metrics/run_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exporter/exposition/exposition.h"
#include "exporter/metrics/catalogue.h"
#include "exporter/metrics/judgement_block.h"
#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Block = std::shared_ptr<const SampleBlock>;

void Apply(Run* run, std::int64_t step,
           const std::vector<std::pair<std::string, double>>& pairs,
           LineClass line_class = LineClass::kTrain) {
  StepRecord record;
  record.step = step;
  record.line_class = line_class;
  for (const auto& [key, value] : pairs) record.Add(key, value);
  run->steps.Apply(record);
}

std::unique_ptr<Run> MakeRun(std::string name, std::string project = "") {
  auto run = std::make_unique<Run>(2000, nullptr);
  run->identity = {std::move(project), std::move(name)};
  return run;
}

// The samples of an exposition that holds in both formats.
std::map<std::string, std::string> Samples(const std::vector<Block>& blocks) {
  std::string text;
  AppendBlocks(&text, blocks, TextFormat::kText004);
  EXPECT_THAT(CheckExposition(text, false).errors, IsEmpty()) << text;
  std::string open_metrics;
  AppendBlocks(&open_metrics, blocks, TextFormat::kOpenMetrics100);
  open_metrics += "# EOF\n";
  EXPECT_THAT(CheckExposition(open_metrics, true).errors, IsEmpty())
      << open_metrics;
  return CheckExposition(text, false).samples;
}

class RunSeriesTest : public testing::Test {
 protected:
  std::shared_ptr<FamilyTable> table_ = std::make_shared<FamilyTable>();
};

TEST_F(RunSeriesTest, StepValuesWithRunProjectAndStaticLabels) {
  const auto run = MakeRun("exp", "proj");
  run->labels = {{"team", "blue"}};
  Apply(run.get(), 3,
        {{"actor/lr", 1e-6}, {"timing_s/gen", 12.5}, {"a/b", 100000}});
  RunSeries series(table_);
  EXPECT_THAT(
      Samples({series.RenderSteps(*run)}),
      ElementsAre(
          std::pair(
              "rlrun_step_a_b{project=\"proj\",run=\"exp\",team=\"blue\"}",
              "100000"),
          std::pair(
              "rlrun_step_actor_lr{project=\"proj\",run=\"exp\",team=\"blue\"}",
              "1e-06"),
          std::pair("rlrun_step_timing_s{phase=\"gen\",project=\"proj\",run="
                    "\"exp\",team=\"blue\"}",
                    "12.5")));
}

TEST_F(RunSeriesTest, UnknownProjectIsNotWritten) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a", 1}});
  RunSeries series(table_);
  EXPECT_EQ(series.RenderSteps(*run)->text, "rlrun_step_a{run=\"exp\"} 1\n");
}

TEST_F(RunSeriesTest, NotFiniteValuesAreData) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a", std::nan("")}, {"b", HUGE_VAL}, {"c", -HUGE_VAL}});
  RunSeries series(table_);
  EXPECT_EQ(series.RenderSteps(*run)->text,
            "rlrun_step_a{run=\"exp\"} NaN\nrlrun_step_b{run=\"exp\"} +Inf\n"
            "rlrun_step_c{run=\"exp\"} -Inf\n");
}

TEST_F(RunSeriesTest, KeyThatLeftTheLineIsGone) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a", 1}, {"b", 2}, {"val-core/d/acc/mean@1", 3}});
  RunSeries series(table_);
  series.RenderSteps(*run);
  Apply(run.get(), 2, {{"b", 4}, {"c", 5}});
  EXPECT_THAT(
      Samples({series.RenderSteps(*run)}),
      ElementsAre(std::pair("rlrun_step_b{run=\"exp\"}", "4"),
                  std::pair("rlrun_step_c{run=\"exp\"}", "5"),
                  std::pair("rlrun_step_val_core{data_source=\"d\",run=\"exp\","
                            "statistic=\"mean@1\",variable=\"acc\"}",
                            "3")));
}

TEST_F(RunSeriesTest, UnchangedRunGivesTheSameBlock) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a", 1}});
  RunSeries series(table_);
  const Block first = series.RenderSteps(*run);
  EXPECT_EQ(series.RenderSteps(*run), first);
  run->identity.run = "exp@0a1b2c3d";
  const Block renamed = series.RenderSteps(*run);
  EXPECT_THAT(renamed->text, HasSubstr("run=\"exp@0a1b2c3d\""));
  Apply(run.get(), 2, {{"a", 2}});
  EXPECT_NE(series.RenderSteps(*run), renamed);
  EXPECT_THAT(first->text, HasSubstr("} 1\n")) << "blocks given out stay";
}

TEST_F(RunSeriesTest, CollisionAcrossRunsShowsInAllOfThem) {
  const auto one = MakeRun("one");
  const auto two = MakeRun("two");
  Apply(one.get(), 1, {{"a/b", 1}, {"c", 7}});
  RunSeries first(table_);
  const Block before = first.RenderSteps(*one);
  EXPECT_THAT(before->text, HasSubstr("rlrun_step_a_b{run=\"one\"} 1\n"));
  {
    Apply(two.get(), 1, {{"a.b", 2}});
    RunSeries second(table_);
    first.AcquireKeys(*one);
    second.AcquireKeys(*two);
    EXPECT_THAT(
        Samples({first.RenderSteps(*one), second.RenderSteps(*two)}),
        ElementsAre(std::pair("rlrun_step_a_b{key=\"a.b\",run=\"two\"}", "2"),
                    std::pair("rlrun_step_a_b{key=\"a/b\",run=\"one\"}", "1"),
                    std::pair("rlrun_step_c{run=\"one\"}", "7")));
  }
  EXPECT_EQ(first.RenderSteps(*one)->text, before->text)
      << "the other run is gone";
}

TEST_F(RunSeriesTest, CollisionInsideARun) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1,
        {{"timing_s", 1}, {"timing_s/gen", 2}, {"x\xFF", 3}, {"x\xFE", 4}});
  RunSeries series(table_);
  EXPECT_EQ(Samples({series.RenderSteps(*run)}).size(), 4u);
}

TEST_F(RunSeriesTest, HiddenKeyHasNoSeries) {
  MetricsOptions options;
  options.exclude = {"b"};
  RunSeries series(std::make_shared<FamilyTable>(options));
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a", 1}, {"b", 2}, {"c", 3}});
  EXPECT_EQ(series.RenderSteps(*run)->text,
            "rlrun_step_a{run=\"exp\"} 1\nrlrun_step_c{run=\"exp\"} 3\n");
}

TEST_F(RunSeriesTest, StaticLabelThatMeetsAnotherIsNotWritten) {
  const auto run = MakeRun("exp");
  run->labels = {{"run", "x"}, {"phase", "x"}, {"bad-name", "x"}, {"ok", "y"}};
  Apply(run.get(), 1, {{"timing_s/gen", 1}});
  RunSeries series(table_);
  EXPECT_EQ(series.RenderSteps(*run)->text,
            "rlrun_step_timing_s{run=\"exp\",ok=\"y\",phase=\"gen\"} 1\n");
}

TEST_F(RunSeriesTest, HostileNamesStayInsideTheirQuotes) {
  const auto run = MakeRun("e\"x\\p\n\xFF", "\xC3\xA4 {}");
  Apply(run.get(), 1,
        {{"k\"\\\n", 1},
         {"\xE2\x82\xAC", 2},
         {"timing_s/a\"b\n", 3},
         {"", 4},
         {"a} 1\n# EOF", std::nan("")}});
  RunSeries series(table_);
  EXPECT_EQ(
      Samples({series.RenderSteps(*run), series.RenderRun(*run)})
          .count("rlrun_step_timing_s{phase=\"a\"b\n\",project=\"\xC3\xA4 "
                 "{}\",run=\"e\"x\\p\n\xEF\xBF\xBD\"}"),
      1u);
}

TEST_F(RunSeriesTest, RunThatOnlyWasFound) {
  const auto run = MakeRun("exp");
  RunSeries series(table_);
  EXPECT_THAT(series.RenderSteps(*run)->text, IsEmpty());
  EXPECT_EQ(
      series.RenderRun(*run)->text,
      "rlrun_exporter_lines_total{run=\"exp\",outcome=\"step\"} 0\n"
      "rlrun_exporter_lines_total{run=\"exp\",outcome=\"event\"} 0\n"
      "rlrun_exporter_lines_total{run=\"exp\",outcome=\"ignored\"} 0\n"
      "rlrun_exporter_lines_total{run=\"exp\",outcome=\"malformed\"} 0\n"
      "rlrun_exporter_lines_total{run=\"exp\",outcome=\"too_long\"} 0\n"
      "rlrun_exporter_log_bytes_behind{run=\"exp\"} 0\n"
      "rlrun_exporter_log_bytes_lost_total{run=\"exp\"} 0\n"
      "rlrun_exporter_log_bytes_read_total{run=\"exp\"} 0\n"
      "rlrun_exporter_log_rotations_total{run=\"exp\"} 0\n"
      "rlrun_exporter_log_truncations_total{run=\"exp\"} 0\n"
      "rlrun_exporter_values_skipped_total{run=\"exp\",reason=\"not_a_number\""
      "} 0\n"
      "rlrun_exporter_values_skipped_total{run=\"exp\",reason=\"no_value\"} 0\n"
      "rlrun_exporter_values_skipped_total{run=\"exp\",reason=\"cut\"} 0\n"
      "rlrun_exporter_values_skipped_total{run=\"exp\",reason=\"glued\"} 0\n"
      "rlrun_info{run=\"exp\",framework=\"verl\",sources=\"log\"} 1\n"
      "rlrun_rewinds_total{run=\"exp\"} 0\n"
      "rlrun_source_up{run=\"exp\",source=\"log\"} 0\n");
}

TEST_F(RunSeriesTest, RunOfWhichAllIsKnown) {
  const auto run = MakeRun("exp", "proj");
  run->mode = RunMode::kAsync;
  run->source = "jsonl";
  run->total_steps = 500;
  run->start_time = 1764400000.25;
  run->last_step_time = 1764403600;
  run->progress.modified_time = 1764403601.5;
  run->progress.up = true;
  run->progress.bytes_read = 1000;
  run->progress.bytes_behind = 24;
  run->progress.rotations = 1;
  run->progress.truncations = 2;
  run->progress.lines = {5, 4, 3, 2, 1};
  run->progress.values_skipped = {9, 8, 7, 6};
  for (int step = 1; step <= 7; ++step) {
    Apply(run.get(), step, {{"a", step == 4 ? std::nan("") : 1.0}});
    run->durations.Add(step, 10 + step);
  }
  Apply(run.get(), 6, {{"a", HUGE_VAL}});
  Apply(run.get(), 5, {{"val-core/d/acc/mean@1", 1}}, LineClass::kVal);
  RunSeries series(table_);
  const auto samples = Samples({series.RenderRun(*run)});
  const auto value = [&](const std::string& name, const std::string& before,
                         const std::string& behind = "") {
    const auto it =
        samples.find(name + "{" + before + "project=\"proj\",run=" + "\"exp\"" +
                     behind + "}");
    return it == samples.end() ? "absent" : it->second;
  };
  EXPECT_EQ(value("rlrun_info", "framework=\"verl\",mode=\"async\",",
                  ",sources=\"jsonl\""),
            "1");
  EXPECT_EQ(value("rlrun_source_up", "", ",source=\"jsonl\""), "1");
  EXPECT_EQ(value("rlrun_last_step", "line=\"train\","), "6");
  EXPECT_EQ(value("rlrun_last_step", "line=\"val\","), "5");
  EXPECT_EQ(value("rlrun_last_step", "line=\"rollouter\","), "absent");
  EXPECT_EQ(value("rlrun_total_steps", ""), "500");
  EXPECT_EQ(value("rlrun_start_timestamp_seconds", ""), "1764400000.25");
  EXPECT_EQ(value("rlrun_last_step_timestamp_seconds", ""), "1764403600");
  EXPECT_EQ(value("rlrun_log_modified_timestamp_seconds", ""), "1764403601.5");
  EXPECT_EQ(value("rlrun_last_step_duration_seconds", ""), "17");
  EXPECT_EQ(value("rlrun_baseline_step_duration_seconds", ""), "13.5");
  EXPECT_EQ(value("rlrun_rewinds_total", ""), "1");
  EXPECT_EQ(value("rlrun_nonfinite_values_total", "key=\"a\","), "2");
  EXPECT_EQ(value("rlrun_exporter_log_bytes_read_total", ""), "1000");
  EXPECT_EQ(value("rlrun_exporter_log_bytes_behind", ""), "24");
  EXPECT_EQ(value("rlrun_exporter_log_rotations_total", ""), "1");
  EXPECT_EQ(value("rlrun_exporter_log_truncations_total", ""), "2");
  EXPECT_EQ(value("rlrun_exporter_lines_total", "outcome=\"step\","), "5");
  EXPECT_EQ(value("rlrun_exporter_lines_total", "outcome=\"too_long\","), "1");
  EXPECT_EQ(samples.at("rlrun_exporter_values_skipped_total{project=\"proj\","
                       "reason=\"glued\",run=\"exp\"}"),
            "6");
}

TEST_F(RunSeriesTest, EveryRunRowOfTheCatalogueIsWrittenAndNoOther) {
  const auto run = MakeRun("exp", "proj");
  run->mode = RunMode::kSync;
  run->total_steps = 1;
  run->start_time = run->last_step_time = 1;
  run->progress.modified_time = 1;
  run->processes.emplace();
  run->processes->gpus = 1;
  run->processes->trainer.presence = ProcessPresence::kAlive;
  run->processes->trainer.start_time = 1;
  Apply(run.get(), 1, {{"a", std::nan("")}});
  for (int step = 1; step <= 7; ++step) run->durations.Add(step, 10);
  run->progress.up = true;
  run->events.phases_shown = 1;
  run->events.phase_seconds[0] = 1;
  run->events.samples.emplace();
  EngineReading reading{"e", {}, 1, 2, 3, 4, 0.5, 0.6};
  run->events.engines.push_back({reading, 100.0});
  TrialTotals trials;
  trials.complete = true;
  TrialResult trial;
  trial.exception = "AgentTimeoutError";
  trials.of(TrialSplit::kTrain).Count(trial);
  trials.of(TrialSplit::kTrain).CountDropped("empty");
  run->trials = std::make_shared<const TrialTotals>(trials);
  run->had_wandb = true;
  RecordedRun record;
  record.record.attempts = record.progress.current = 1;
  record.updated_at = 1;
  record.rollouts = 1;
  record.rollouts_listed = true;
  record.newest.push_back({0, 1.0, 2, 0.5, 3.0});
  run->record = std::make_shared<const RecordedRun>(record);
  RunSeries series(table_);
  EXPECT_TRUE(series.RenderRun(*run)->in_order) << series.RenderRun(*run)->text;
  std::vector<std::string> written;
  for (const Block& block :
       {series.RenderRun(*run), series.RenderEngines(*run, 100),
        series.RenderTrials(*run, nullptr)}) {
    for (const auto& slice : block->slices) {
      written.push_back(slice.family->name);
    }
  }
  Judgement judgement;
  judgement.decision = Decision::kWait;
  judgement.checks.resize(1);
  judgement.checks[0].min = 0;
  judgement.findings.resize(1);
  judgement.findings[0].severities = LevelBit(Level::kWarning);
  judgement.findings[0].level = Level::kWarning;
  judgement.findings[0].since_step = 1;
  judgement.findings[0].evidence.push_back({"a", 1, 1, {}});
  const SampleBlock held = RenderJudgement(judgement, "run=\"exp\"");
  EXPECT_TRUE(held.in_order);
  for (const auto& slice : held.slices) {
    written.push_back(slice.family->name);
  }
  std::vector<std::string> rows;
  for (const CatalogueRow& row : Catalogue()) {
    if (row.scope == FamilyScope::kRun) rows.emplace_back(row.name);
  }
  EXPECT_THAT(written, testing::UnorderedElementsAreArray(rows));
}

// What lies between the values is copied where only they are others: it must
// give the very text that rendering anew gives.
TEST_F(RunSeriesTest, RunThatChangesIsRenderedLikeANewOne) {
  const auto run = MakeRun("exp", "proj");
  RunSeries series(table_);
  RecordedRun record;
  record.rollouts_listed = true;
  record.newest.push_back({0, 1.0, 2, 0.5, 3.0});
  const auto rollout = [&](std::int64_t id) {
    record.newest.back().id = id;
    record.rollouts = static_cast<std::uint64_t>(id) + 1;
    record.updated_at = 1750000000.5 + static_cast<double>(id);
    record.record.attempts = record.progress.current = id + 1;
    run->record = std::make_shared<const RecordedRun>(record);
  };
  const std::vector<std::function<void()>> changes = {
      [&] { run->framework = "verl"; },
      [&] { run->progress.bytes_read = 12345; },
      [&] { run->progress.lines[0] = 7; },
      [&] { run->progress.up = true; },
      [&] {
        run->sources = {{"log", true}};
      },
      [&] { run->had_wandb = true; },
      [&] {
        run->sources = {{"log", true}, {"wandb", false}};
      },
      [&] {
        run->sources = {{"log", true}, {"wandb", true}};
      },
      [&] { run->data_source = "wandb_ok"; },
      [&] {
        Apply(run.get(), 3, {{"a", 1}, {"b", std::nan("")}});
      },
      [&] {
        Apply(run.get(), 400000, {{"a", 1}, {"b", std::nan("")}});
      },
      [&] {
        Apply(run.get(), 5, {{"val-core/a", 1}}, LineClass::kVal);
      },
      [&] { run->durations.Add(1, 2.5); },
      [&] { run->durations.Add(2, 1234.25); },
      [&] { run->last_step_time = 1750000000.25; },
      [&] { run->total_steps = 10; },
      [&] { run->events.phase = RunPhase::kGenerateRollouts; },
      [&] { run->events.phase_seconds[0] = 1.5; },
      [&] { run->events.phase_seconds[0] = 1000.5; },
      [&] { rollout(9); },
      [&] { rollout(10); },
      [&] { run->framework = "slime"; },
      [&] { run->identity.run = "other"; },
      [&] { run->record = nullptr; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]();
    const Block block = series.RenderRun(*run);
    RunSeries fresh(table_);
    const Block expected = fresh.RenderRun(*run);
    EXPECT_EQ(block->text, expected->text) << i;
    ASSERT_EQ(block->slices.size(), expected->slices.size()) << i;
    for (std::size_t k = 0; k < block->slices.size(); ++k) {
      EXPECT_EQ(block->slices[k].begin, expected->slices[k].begin) << i;
      EXPECT_EQ(block->slices[k].size, expected->slices[k].size) << i;
    }
    EXPECT_EQ(series.RenderRun(*run), block) << i << ": nothing has changed";
  }
}

TEST_F(RunSeriesTest, ErrorsAreKnownOnceConsoleTextIs) {
  const auto run = MakeRun("exp");
  RunSeries series(table_);
  const auto errors = [&] {
    std::size_t n = 0;
    for (const auto& [name, value] : Samples({series.RenderRun(*run)})) {
      n += name.starts_with("rlrun_log_errors_total") ? 1 : 0;
    }
    return n;
  };
  EXPECT_EQ(errors(), 0u);  // never readable
  run->progress.up = true;
  EXPECT_EQ(errors(), kLogErrorKinds);
  run->progress.up = false;
  run->progress.bytes_read = 1;
  EXPECT_EQ(errors(), kLogErrorKinds);
  run->source = "jsonl";
  EXPECT_EQ(errors(), 0u);
  run->sources = {{"jsonl", true}, {"wandb", true}};
  EXPECT_EQ(errors(), kLogErrorKinds);
}

TEST_F(RunSeriesTest, PhasesShownAndTheCurrentOne) {
  const auto run = MakeRun("exp");
  run->events.phases_shown = 1u << 5 | 1u << 13;
  run->events.phase = RunPhase::kTraining;
  run->events.phase_seconds[8] = 2.5;
  RunSeries series(table_);
  std::map<std::string, std::string> phases;
  for (const auto& [name, value] : Samples({series.RenderRun(*run)})) {
    if (name.starts_with("rlrun_phase")) phases[name] = value;
  }
  EXPECT_EQ(
      phases,
      (std::map<std::string, std::string>{
          {"rlrun_phase{phase=\"generate_rollouts\",run=\"exp\"}", "0"},
          {"rlrun_phase{phase=\"training\",run=\"exp\"}", "1"},
          {"rlrun_phase_seconds_total{phase=\"optimizer_step\",run=\"exp\"}",
           "2.5"}}));
}

TEST_F(RunSeriesTest, SamplesOfTheCurrentStepOnly) {
  const auto run = MakeRun("exp");
  run->events.samples = SampleProgress{{5, {}}, 3, 8};
  run->events.newest_training_line = 4;
  RunSeries series(table_);
  EXPECT_EQ(Samples({series.RenderRun(*run)})
                .at("rlrun_samples_collected{run=\"exp\"}"),
            "3");
  run->events.newest_training_line = 6;
  EXPECT_EQ(Samples({series.RenderRun(*run)})
                .count("rlrun_samples_required{run=\"exp\"}"),
            0u);
}

TEST_F(RunSeriesTest, NonFiniteKeysThatAreRepairedToOneTextStayApart) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a\xFF", std::nan("")}, {"a\xFE", std::nan("")}});
  RunSeries series(table_);
  EXPECT_EQ(Samples({series.RenderRun(*run)}).size(), 20u);
}

TEST_F(RunSeriesTest, KeysAreGivenBack) {
  const auto run = MakeRun("exp");
  Apply(run.get(), 1, {{"a", 1}, {"timing_s/gen", 2}});
  {
    RunSeries series(table_);
    series.AcquireKeys(*run);
    EXPECT_EQ(table_->families(), 2u);
  }
  EXPECT_EQ(table_->families(), 0u);
}

TEST_F(RunSeriesTest, SourcesInTheirOrderAndEachWhetherItIsUp) {
  const auto run = MakeRun("exp");
  run->sources = {{"log", true}, {"jsonl", false}};
  RunSeries series(table_);
  const auto samples = Samples({series.RenderRun(*run)});
  EXPECT_EQ(samples.count("rlrun_info{framework=\"verl\",run=\"exp\",sources="
                          "\"log,jsonl\"}"),
            1u);
  EXPECT_EQ(samples.at("rlrun_source_up{run=\"exp\",source=\"log\"}"), "1");
  EXPECT_EQ(samples.at("rlrun_source_up{run=\"exp\",source=\"jsonl\"}"), "0");
}

TEST_F(RunSeriesTest, OnlyProcessesThatWereSeenAndWhoseEndIsCertain) {
  const auto run = MakeRun("exp");
  RunSeries series(table_);
  EXPECT_THAT(Samples({series.RenderProcesses(*run)}), IsEmpty());
  run->processes.emplace();
  EXPECT_THAT(Samples({series.RenderProcesses(*run)}), IsEmpty());
  ProcessFact& trainer = run->processes->trainer;
  trainer.presence = ProcessPresence::kAlive;
  trainer.start_time = 1767323045;
  run->processes->runner.presence = ProcessPresence::kGone;
  run->processes->runner.incomplete = true;
  run->processes->gpus = 8;
  EXPECT_THAT(
      Samples({series.RenderProcesses(*run)}),
      ElementsAre(
          std::pair("rlrun_process_gpus{run=\"exp\"}", "8"),
          std::pair("rlrun_process_start_timestamp_seconds{role=\"trainer\","
                    "run=\"exp\"}",
                    "1767323045"),
          std::pair("rlrun_process_up{role=\"trainer\",run=\"exp\"}", "1")));
  trainer.presence = ProcessPresence::kGone;
  run->processes->runner.incomplete = false;
  const auto samples = Samples({series.RenderRun(*run)});
  EXPECT_EQ(samples.at("rlrun_process_up{role=\"trainer\",run=\"exp\"}"), "0");
  EXPECT_EQ(samples.at("rlrun_process_up{role=\"runner\",run=\"exp\"}"), "0");
}

}  // namespace
}  // namespace rlrun
