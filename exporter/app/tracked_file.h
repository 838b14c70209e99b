// What Tick knows of one followed file: the run as its lines alone tell it,
// when they came, and what it says about which run it belongs to. Which files
// make up one run is decided by run_joins.h. Not thread-safe; only the thread
// that runs Tick touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exporter/app/first_clocks.h"
#include "exporter/app/first_step.h"
#include "exporter/app/followed_file.h"
#include "exporter/app/judged_run.h"
#include "exporter/app/run_evidence.h"
#include "exporter/app/run_naming.h"
#include "exporter/app/step_time.h"
#include "exporter/app/step_trail.h"
#include "exporter/discovery/identity.h"
#include "exporter/discovery/source_kind.h"
#include "exporter/store/options.h"
#include "exporter/store/run.h"

namespace rlrun {

class RunGroup;

// What a file states of its run.
struct RunStatement {
  std::string project;     // empty: not stated
  std::string experiment;  // empty: not stated
  std::string train_log;   // path that a launcher announces; empty: none
  // A tracker says so, not the trainer: the name of a log goes before it.
  bool by_tracker = false;
  bool operator==(const RunStatement&) const = default;
};

class TrackedFile {
 public:
  // `path` is the canonical one: it names the run in messages and tells it
  // from others of its name. `listed` is where root number `root_number` has
  // found it.
  TrackedFile(std::string path, std::string listed, PathIdentity name,
              const RootOptions& root, std::size_t root_number,
              const StoreOptions* options, SeriesBudget* budget,
              const RulesForRun* rules);

  // Takes in what a turn brought.
  void Apply(const FileUpdate& update);
  // Asks for the memory that Apply() and the group's Prepare() will touch;
  // stages 0 to 4, each a while after the one before.
  static constexpr std::size_t kPrefetchStages = 5;
  void Prefetch(std::size_t stage) const;
  // The rules may be others now: for the name that this file alone claims.
  void UpdateRules();
  // Unix seconds of a stamp of its current text; absent: nothing tells.
  std::optional<double> TimeOf(const Stamp& stamp) const {
    return clock_.TimeOf(stamp, run_.progress.modified_time);
  }
  // Unix seconds of its last stamp, if that stands beside its newest step and
  // the file was never seen to grow: then its mtime may be that of a copy.
  std::optional<double> LastStamp() const {
    return judged_.grown() ? std::nullopt
                           : clock_.LastStamp(run_.progress.modified_time);
  }
  // What its lines alone make of the run's health.
  JudgedRun& judged() { return judged_; }
  const JudgedRun& judged() const { return judged_; }

  // It is of a run (run_evidence.h) and was read to its end once.
  bool Publishable() const { return evidence_.is_run() && caught_up_; }
  // A trainer has printed something into it; else a launcher at most.
  bool has_trainer() const { return evidence_.has_trainer(); }
  // It has shown a training step with values.
  bool has_training() const { return first_values_ || record_trains_; }
  // It is a record of a run-record store.
  bool is_record() const { return run_.record != nullptr; }
  // Training steps of each rollout, as its steps show it; 0: not known.
  std::int64_t steps_per_rollout() const { return steps_per_rollout_; }
  // Of a record, which plans rollouts: the planned steps. `per_rollout`: as
  // above; `newest`: training step. Absent: they cannot be told.
  std::optional<std::int64_t> PlannedSteps(
      std::int64_t per_rollout, std::optional<std::int64_t> newest) const;
  SourceKind kind() const;
  // Hashes of the first training line of this launch: `first_line` tells one
  // execution from any other and is absent where that line cannot, as in files
  // that are no text;
  // `first_values` tells executions of one name apart.
  std::optional<std::uint64_t> first_line() const {
    return first_timed_ ? first_values_ : first_clocks_.mark();
  }
  // W&B's id of its run, as the console tells it; empty: it tells none, or
  // several.
  const std::string& wandb_id() const;
  const std::optional<std::uint64_t>& first_values() const {
    return first_values_;
  }
  // The same for files that print it in other ways; of the first rollout as
  // well, where that has lines of its own.
  const FirstStep& first_step() const { return first_step_; }
  const FirstStep& first_rollout() const { return first_rollout_; }
  // By both of these and, where they do not tell, by what follows: kSame and
  // kDifferent as FirstStep::Compare says.
  FirstStep::Match CompareFirst(const TrackedFile& other) const;
  // Training steps, of trainers that print no times with them.
  const StepTrail& trail() const { return trail_; }
  const RunStatement& statement() const { return statement_; }
  // Texts that did not continue the one before.
  std::uint64_t texts() const { return texts_; }
  // Moves when something has changed that decides which files are one run.
  std::uint64_t shape() const { return shape_; }

  // No write for longer than ended runs are kept; when that will be so.
  bool Expired(double now) const { return now > ExpiresAt(); }
  double ExpiresAt() const;
  bool caught_up() const { return caught_up_; }
  const FileId& id() const { return id_; }
  // Why the file cannot be read; empty: it can, or it is gone.
  const std::string& error() const { return error_; }
  const std::string& path() const { return run_.path; }
  const std::string& listed() const { return listed_; }
  // Of each text that it has had: a source may go on in later files.
  const std::vector<std::string>& text_paths() const { return text_paths_; }
  std::size_t root_number() const { return root_number_; }
  // The name that the path gives.
  const PathIdentity& name() const { return name_; }

  Run& run() { return run_; }
  const Run& run() const { return run_; }

  // False: another exporter has its run; its series do not count here.
  void SetOurs(bool ours);
  bool ours() const { return run_.steps.budget() != nullptr; }

  // Values refused by caps since the last call.
  std::uint64_t TakeDroppedKeys();
  std::uint64_t TakeDroppedSeries();

  // Kept here for those who put files together. The group is null while the
  // file is of no published run; the naming outlives that.
  RunGroup* group = nullptr;
  std::shared_ptr<RunNaming> naming;
  std::uint64_t naming_texts = 0;  // texts() when it was named
  // Of an older execution, or of a node that only helps: it is counted, and
  // tells nothing of the run.
  bool aside = false;
  // Aside as a node that only helps: how it grows changes nothing.
  bool helper = false;
  // A `*.out` beside the log itself: a launcher's output, banner or not.
  bool beside_log = false;
  // Files that were once proven to be of its run by their values and times.
  std::set<FileId> proven;
  // It may be of the run of another file, and shows too few steps to tell.
  bool undecided = false;

 private:
  struct Shape;

  void ApplyStep(const StepRecord& record, const FileUpdate& update);
  void NoteRolloutTime(const StepRecord& record);
  void NoteRollout(const StepRecord& record);
  void ApplyStatement(const LogFacts& facts);
  void ApplyRecord(const std::shared_ptr<const RecordedRun>& record);
  void ForgetLaunch();
  void ApplyProgress(const FileUpdate& update);
  Shape TakeShape() const;
  void UpdateTimes();

  PathIdentity name_;
  std::string listed_;
  std::vector<std::string> text_paths_;
  std::size_t root_number_ = 0;
  const StoreOptions* options_;  // outlives this; a reload changes it
  SeriesBudget* budget_;         // outlives this
  const RulesForRun* rules_;     // outlives this
  Run run_;
  JudgedRun judged_;
  StepClock clock_;
  FileId id_;
  std::string error_;
  RunStatement statement_;
  std::optional<std::uint64_t> first_values_;
  bool first_timed_ = false;
  FirstClocks first_clocks_;
  ToldWandbRun wandb_;
  bool wandb_in_text_ = false;  // the current text tells it
  FirstStep first_step_;
  FirstStep first_rollout_{1};
  StepTrail trail_;
  std::optional<double> stated_start_;  // of the current text, Unix seconds
  bool jsonl_ = false;
  bool record_trains_ = false;  // it has shown a training step
  bool total_in_text_ = false;  // the current text states total_steps
  bool facts_in_text_ = false;  // the current text states facts
  bool text_begins_ = false;    // it has no training line yet
  RunEvidence evidence_;
  bool caught_up_ = false;
  std::uint64_t texts_ = 0;
  std::uint64_t shape_ = 0;
  std::uint64_t complete_end_ = 0;
  // Arrival of the newest training step seen live, for durations.
  std::optional<double> step_arrival_;
  std::optional<std::int64_t> arrival_step_;
  int steps_of_rollout_ = 0;  // training lines since its time was told
  std::optional<std::int64_t> rollout_;  // whose first step has not come yet
  std::optional<std::int64_t> newest_rollout_;
  std::int64_t steps_per_rollout_ = 0;
  std::uint64_t taken_keys_ = 0;
  std::uint64_t taken_series_ = 0;
};

}  // namespace rlrun
