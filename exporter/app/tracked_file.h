// What Tick knows of one followed file: the run that its lines make up, when
// they came, and the text that was rendered of it last.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "exporter/app/followed_file.h"
#include "exporter/app/step_time.h"
#include "exporter/discovery/identity.h"
#include "exporter/metrics/run_block.h"
#include "exporter/store/options.h"
#include "exporter/store/run.h"

namespace rlrun {

class TrackedFile {
 public:
  // `path` is the canonical one: it names the run in messages and tells it
  // from others of its name.
  TrackedFile(std::string path, PathIdentity name, const RootOptions& root,
              const StoreOptions* options, SeriesBudget* budget);

  // Takes in what a turn brought.
  void Apply(const FileUpdate& update);

  // It is a run (a step line was read) and was read to its end once.
  bool Publishable() const { return is_run_ && caught_up_; }
  // Tells one execution from another by its first training line; absent where
  // that line does not.
  const std::optional<std::uint64_t>& first_line() const { return first_line_; }
  // No write for longer than ended runs are kept.
  bool Expired(double now) const;
  const FileId& id() const { return id_; }
  // Why the file cannot be read; empty: it can, or it is gone.
  const std::string& error() const { return error_; }
  const std::string& path() const { return run_.path; }
  // The name that the path gives; the run's identity starts from it.
  const PathIdentity& name() const { return name_; }

  // Publishes under `identity`, or moves to it.
  void Publish(RunIdentity identity, const std::shared_ptr<FamilyTable>& table);
  void Withdraw();
  bool published() const { return series_ != nullptr; }

  Run& run() { return run_; }
  const Run& run() const { return run_; }

  // Tells the table of new keys; call it for every published file before any of
  // them is rendered.
  void AcquireKeys() { series_->AcquireKeys(run_); }
  // Samples of the run; made anew only where something has changed.
  std::shared_ptr<const SampleBlock> StepBlock() {
    return series_->RenderSteps(run_);
  }
  std::shared_ptr<const SampleBlock> RunBlock();
  std::shared_ptr<const SampleBlock> EngineBlock(double now) {
    return series_->RenderEngines(run_, now);
  }

  // Values refused by caps since the last call.
  std::uint64_t TakeDroppedKeys();
  std::uint64_t TakeDroppedSeries();

 private:
  void ApplyStep(const StepRecord& record, const FileUpdate& update);
  void UpdateTimes();

  PathIdentity name_;
  const StoreOptions* options_;  // outlives this; a reload changes it
  Run run_;
  StepClock clock_;
  FileId id_;
  std::string error_;
  std::optional<std::uint64_t> first_line_;
  bool total_in_text_ = false;  // the current text states total_steps
  bool is_run_ = false;
  bool caught_up_ = false;
  std::uint64_t complete_end_ = 0;
  // Arrival of the newest training step seen live, for durations.
  std::optional<double> step_arrival_;
  std::optional<std::int64_t> arrival_step_;
  std::uint64_t taken_keys_ = 0;
  std::uint64_t taken_series_ = 0;
  std::unique_ptr<RunSeries> series_;
  std::shared_ptr<const SampleBlock> run_block_;  // null: to be made
};

}  // namespace rlrun
