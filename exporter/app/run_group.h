// One run: the files that are its sources, and everything that is known of it
// from all of them together. The first source in the order log, launch, JSONL,
// W&B, TensorBoard that has training steps is the primary one, or, while that
// cannot be read or stays behind, the next one that serves: the run is judged
// by its steps and events alone. What is shown is merged: of each class of
// lines the newest step that any source has, its keys from the first that
// carries them. Which files belong together is decided elsewhere (run_joins.h),
// and how the run is called, too (run_registry.h). Not thread-safe; only the
// thread that runs Tick touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "exporter/app/run_naming.h"
#include "exporter/app/tracked_file.h"
#include "exporter/metrics/run_block.h"
#include "exporter/metrics/snapshot.h"
#include "exporter/report/run_page.h"
#include "exporter/report/run_report.h"
#include "exporter/store/process_facts.h"
#include "exporter/store/run.h"

namespace rlrun {

class RunGroup {
 public:
  // `id` tells the group from every other of this process, past ones included.
  RunGroup(std::uint64_t id, const StoreOptions* options)
      : id_(id), options_(options) {}

  std::uint64_t id() const { return id_; }

  // In the order in which they are believed, at least one; those that tell
  // nothing (TrackedFile::aside) last. Counts of sources that leave are kept.
  void SetSources(std::vector<TrackedFile*> sources);
  // Seconds for which the primary source may be unreadable, or behind, before
  // the next one takes its place.
  static constexpr double kFallback = 30;

  // The file is about to be destroyed.
  void Forget(const TrackedFile* source);
  const std::vector<TrackedFile*>& sources() const { return sources_; }
  const TrackedFile* primary() const { return primary_; }

  // Renders under `identity` and with `table` from now on.
  void Publish(RunIdentity identity, std::shared_ptr<FamilyTable> table);
  const RunIdentity& identity() const { return identity_; }

  // A source has changed.
  void NoteChange() { stale_ = true; }
  // The numbers that its sources are judged by.
  void SetRules(const std::shared_ptr<const RunRules>& rules);
  const RunRules& rules() const { return *rules_; }
  void SetProcesses(const std::optional<ProcessFacts>& processes);
  const std::optional<ProcessFacts>& processes() const { return processes_; }

  // What its trial directories add up to; null: it has none. Until it is told
  // for the first time when they have changed last, no clock is judged, if
  // `expected`.
  void ExpectTrials(bool expected) { trials_expected_ = expected; }
  void SetTrials(std::shared_ptr<const TrialTotals> trials);
  // The file system of its trial directories does not answer, or does again.
  void SetTrialsSilent(bool silent);

  // All of the run; up to date, valid until the next call.
  const Run& run();

  // Values refused by the cap of one run while sources were merged, since the
  // last call.
  std::uint64_t TakeDroppedKeys();

  // Asks for the memory that Prepare() will touch; stages 0 to 3, each a while
  // after the one before.
  void Prefetch(std::size_t stage) const;

  // Tells the table of new keys; call it for every run before any of them is
  // rendered.
  void AcquireKeys();
  // Samples of the run; made anew only where something has changed.
  std::shared_ptr<const SampleBlock> StepBlock();
  std::shared_ptr<const SampleBlock> RunBlock();
  std::shared_ptr<const SampleBlock> ProcessBlock();
  // Null: it has no trial directories.
  std::shared_ptr<const SampleBlock> TrialBlock();
  // What holds of it at `now`, Unix seconds; the same object while nothing is
  // different. Its samples are those of the newest one; null before the first.
  std::shared_ptr<const Judgement> JudgeAt(double now);
  // The newest one; null before the first.
  const std::shared_ptr<const Judgement>& judgement() const {
    return judgement_;
  }
  std::shared_ptr<const SampleBlock> JudgementBlock();
  // Judges and renders it at `now`, Unix seconds, while what its source has
  // brought is at hand; whoever asks later gets that, unless something else has
  // changed. Not where several sources, or trials, have to be heard first.
  void Prepare(double now);
  // The status report of it, as JudgeAt has found it last.
  RunReport Report(double now);
  // The same with its curves, for pages.
  RunPage Page(double now);
  // One line of it for the list of runs.
  RunSummary Summary();
  // The steps that it is judged by.
  const History& history() const {
    return primary_->judged().judge().history();
  }
  // Its engines at `now`, Unix seconds.
  std::shared_ptr<const SampleBlock> EngineBlock(double now);

 private:
  void ChoosePrimary(double now);
  bool Has(const TrackedFile* source) const;
  TrackedFile* Preferred() const;
  std::string_view DataSource() const;
  const TrackedFile* Serving() const;
  bool WandbKeepsUp() const;
  RecordedEnd WandbEnd() const;
  void Refresh();
  void Merge();
  // The first source that is no record; null: there is none.
  const TrackedFile* FirstLog() const;
  std::shared_ptr<const RecordedRun> NewestRecord() const;
  void MergeSteps(const std::vector<const TrackedFile*>& telling);
  void MergeFacts(const std::vector<const TrackedFile*>& telling);
  std::vector<RunSource> Sources() const;

  const std::uint64_t id_;
  const StoreOptions* options_;  // outlives this
  RunIdentity identity_;
  std::vector<TrackedFile*> sources_;
  TrackedFile* primary_ = nullptr;
  // Since when the preferred source cannot be read or does not keep up, as
  // JudgeAt has the time.
  std::optional<double> unserved_since_;
  bool had_wandb_ = false;  // one of its sources is, or was, W&B's
  SourceProgress left_;     // counts of sources that are gone
  bool has_left_ = false;
  std::shared_ptr<const RunRules> rules_;
  std::shared_ptr<const Judgement> judgement_;
  std::optional<ProcessFacts> processes_;
  std::shared_ptr<const TrialTotals> trials_;
  bool trials_silent_ = false;
  bool trials_expected_ = false;
  bool trials_known_ = false;
  std::shared_ptr<FamilyTable> table_;

  bool stale_ = true;
  // Of several sources; a run of one source is that source's.
  std::unique_ptr<Run> merged_;
  Run* run_ = nullptr;  // what is rendered: the merged one or the primary's
  const TrackedFile* rendered_primary_ = nullptr;
  std::vector<std::shared_ptr<const RunFacts>> merged_facts_;
  std::vector<std::pair<const StepState*, std::uint64_t>> merged_steps_;
  std::uint64_t taken_keys_ = 0;
  std::unique_ptr<RunSeries> series_;                 // of *run_
  std::shared_ptr<const SampleBlock> run_block_;      // null: to be made
  std::shared_ptr<const SampleBlock> process_block_;  // the same
  std::shared_ptr<const SampleBlock> trial_block_;    // the same
};

}  // namespace rlrun
