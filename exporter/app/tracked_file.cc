#include "exporter/app/tracked_file.h"

#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

// A hash of a training line: step, keys and values in any order, so that a log
// and its JSONL copy have the same one. Absent where the line holds no measured
// time: two runs of one configuration and seed may well print the same first
// loss, but not the same seconds.
std::optional<std::uint64_t> ExecutionMark(const StepRecord& record) {
  bool timed = false;
  std::uint64_t sum = static_cast<std::uint64_t>(record.step);
  for (const StepRecord::Pair& pair : record.pairs) {
    const std::string_view key = record.Key(pair);
    timed = timed || ((key.starts_with("timing_s/") ||
                       key.starts_with("perf/time_per_step") ||
                       key == "train/time(s)") &&
                      pair.value != std::floor(pair.value));
    const std::uint64_t h = std::hash<std::string_view>{}(key) ^
                            (std::hash<double>{}(pair.value) << 1);
    sum += h * 0x9e3779b97f4a7c15u;
  }
  if (!timed) return std::nullopt;
  return sum;
}

}  // namespace

TrackedFile::TrackedFile(std::string path, PathIdentity name,
                         const RootOptions& root, const StoreOptions* options,
                         SeriesBudget* budget)
    : name_(std::move(name)),
      options_(options),
      run_(options->max_keys_per_run, budget) {
  run_.path = std::move(path);
  run_.labels = root.labels;
}

void TrackedFile::Apply(const FileUpdate& update) {
  run_block_.reset();
  id_ = update.progress.id;
  error_ = update.progress.error;
  caught_up_ = caught_up_ || update.progress.caught_up;
  complete_end_ = update.progress.complete_end;
  run_.source = update.jsonl ? "jsonl" : "log";
  SourceProgress& p = run_.progress;
  p.bytes_read = update.progress.bytes_read;
  p.bytes_behind = update.progress.bytes_behind;
  p.bytes_lost = update.progress.bytes_lost;
  p.rotations = update.progress.rotations;
  p.truncations = update.progress.truncations;
  p.up = update.progress.readable;
  if (update.progress.modified_time) {
    p.modified_time = update.progress.modified_time;
  }
  const LogFacts& facts = update.facts;
  for (std::size_t i = 0; i < kLineOutcomes; ++i) p.lines[i] += facts.lines[i];
  for (std::size_t i = 0; i < kSkipReasons; ++i) {
    p.values_skipped[i] += facts.values_skipped[i];
  }
  for (std::size_t i = 0; i < kConfigOutcomes; ++i) {
    p.config_blocks[i] += facts.config_blocks[i];
  }
  if (update.new_text) {
    run_.steps.StartNewText();
    clock_.StartNewText();
    run_.events.StartNewText();
    run_.facts.reset();
    first_line_.reset();
    total_in_text_ = false;
  }
  const std::uint64_t relaunches = run_.steps.relaunches();
  for (const StepRecord& record : facts.steps) ApplyStep(record, update);
  clock_.NoteFacts(facts);
  run_.events.Apply(facts, update.live,
                    update.live ? update.arrival : p.modified_time);
  if (facts.run_facts) run_.facts = facts.run_facts;
  if (facts.total_steps) {
    run_.total_steps = facts.total_steps;
    total_in_text_ = true;
  } else if (run_.steps.relaunches() != relaunches && !total_in_text_) {
    run_.total_steps.reset();  // the old launch's plan
  }
  if (facts.mode != RunMode::kUnknown) run_.mode = facts.mode;
  UpdateTimes();
}

void TrackedFile::ApplyStep(const StepRecord& record,
                            const FileUpdate& update) {
  const auto before = run_.steps.last_step(LineClass::kTrain);
  const std::uint64_t version = run_.steps.version();
  run_.steps.Apply(record);
  is_run_ = true;
  const std::optional<double> arrival =
      update.live ? std::optional(update.arrival) : std::nullopt;
  // A heartbeat that moved nothing is no step of this run.
  if (record.pairs.empty() && run_.steps.version() == version) return;
  clock_.NoteStep(record, arrival);
  if (record.line_class != LineClass::kTrain || record.pairs.empty()) return;
  run_.durations.NoteStep(record.step);
  if (!first_line_ && !record.cut) first_line_ = ExecutionMark(record);
  if (const auto printed = run_.steps.printed_duration()) {
    run_.durations.Add(record.step, *printed);
  } else if (arrival && step_arrival_ && before &&
             arrival_step_ == record.step - 1 && *arrival > *step_arrival_) {
    // Two steps that arrive in one turn tell nothing.
    run_.durations.Add(record.step, *arrival - *step_arrival_);
  }
  if (arrival_step_ != record.step) {
    arrival_step_ = record.step;
    step_arrival_ = arrival;
  }
}

void TrackedFile::UpdateTimes() {
  run_.start_time = clock_.FirstStamp(run_.progress.modified_time);
  run_.last_step_time =
      clock_.LastStep(run_.progress.modified_time, complete_end_);
}

bool TrackedFile::Expired(double now) const {
  return run_.progress.modified_time &&
         now - *run_.progress.modified_time > options_->retention_finished;
}

void TrackedFile::Publish(RunIdentity identity,
                          const std::shared_ptr<FamilyTable>& table) {
  run_.identity = std::move(identity);
  series_ = std::make_unique<RunSeries>(table);
  run_block_.reset();
}

void TrackedFile::Withdraw() {
  series_.reset();
  run_block_.reset();
}

std::shared_ptr<const SampleBlock> TrackedFile::RunBlock() {
  if (run_block_ == nullptr) run_block_ = series_->RenderRun(run_);
  return run_block_;
}

std::uint64_t TrackedFile::TakeDroppedKeys() {
  const std::uint64_t now = run_.steps.dropped_keys();
  return now - std::exchange(taken_keys_, now);
}

std::uint64_t TrackedFile::TakeDroppedSeries() {
  const std::uint64_t now = run_.steps.dropped_series();
  return now - std::exchange(taken_series_, now);
}

}  // namespace rlrun
