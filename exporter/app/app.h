// The exporter without threads, signals and sockets: readers' news in, a
// snapshot out. `Tick` does one round: take what the readers brought, let
// run_registry.h decide which runs are published, render what changed, publish.
// `Tick`, `Reload` and `ReadInline` belong to one thread; `snapshot` and
// `AppendSelf` are for any.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exporter/app/record_reader.h"
#include "exporter/app/root_reader.h"
#include "exporter/app/run_registry.h"
#include "exporter/app/shard.h"
#include "exporter/app/tracked_file.h"
#include "exporter/app/trial_plan.h"
#include "exporter/app/trial_reader.h"
#include "exporter/config/config.h"
#include "exporter/metrics/self_metrics.h"
#include "exporter/metrics/snapshot.h"
#include "exporter/process/process_report.h"
#include "exporter/report/report_board.h"
#include "exporter/report/run_report.h"

namespace rlrun {

struct AppOptions {
  // False (`once`): logs of any age are read and no run expires.
  bool age_limits = true;
  SelfMetricsOptions self;
  // Of the runs, only their processes are exposed: for an exporter on each
  // host beside the one that reads a shared volume.
  bool only_processes = false;
  Shard shard = {};
  // False: Pages quotes no log.
  bool show_log_text = true;
};

class App {
 public:
  // `source` must outlive this object.
  App(Config config, AppOptions options, FileSource* source);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  void Tick(Now now);

  // Lets every reader pass on this thread until nothing is waiting, with a Tick
  // after each round. For `once` and tests; `serve` gives readers threads.
  void ReadInline(Now now);

  // Takes over another configuration. Roots that are in both keep their runs
  // and their positions; nothing is counted anew.
  void Reload(Config config);

  // The published runs, as somebody needs them who looks for processes. Moves
  // with run_generation().
  std::vector<RunKey> RunKeys() const;
  std::uint64_t run_generation() const { return runs_.generation(); }
  // What was found for keys of RunKeys; shown by the next Tick.
  void TakeProcesses(const ProcessReport& report);
  // Who reads the trial directories of each root, in the order of the roots.
  // Each has a plan after the Tick that moves trial_generation().
  std::vector<std::shared_ptr<TrialReader>> trial_readers() const;
  std::uint64_t trial_generation() const { return trial_generation_; }
  // Who reads the record stores of each root; they have other stores after the
  // Tick that moves record_generation().
  std::vector<std::shared_ptr<RecordReader>> record_readers() const;
  std::uint64_t record_generation() const { return record_generation_; }
  // The status report of every run, as the last Tick has found it. Belongs to
  // the thread of Tick.
  std::vector<RunReport> Reports(Now now);

  // The same for pages, as values that threads may share.
  std::shared_ptr<const ReportSet> Pages(Now now);

  std::shared_ptr<const Snapshot> snapshot() const;
  void AppendSelf(std::string* out, TextFormat format) const {
    self_.Append(out, format);
  }
  SelfMetrics& self() { return self_; }
  const Config& config() const { return config_; }
  // The readers, in the order of the roots. A shared_ptr: a thread may still
  // wait in one that a reload has dropped.
  const std::vector<std::shared_ptr<RootReader>>& readers() const {
    return readers_;
  }

 private:
  struct Root;
  // Path, number of the root, its reader: of a file that two roots reach, the
  // root named first comes first.
  using Key = std::pair<std::string, std::pair<std::size_t, RootReader*>>;

  void AddRoot(RootReader* reader);
  void TakeNews(Now now);
  void NoteRoot(RootReader* reader, const RootNews& news, Now now);
  void TakeRecords();
  void PlanStores(Root* root, const std::vector<std::string>& stores);
  RecordOptions MakeRecordOptions(const RootOptions& root) const;
  void ApplyUpdates(RootReader* reader, std::vector<FileUpdate>* updates,
                    Now now);
  void ApplyUpdate(RootReader* reader, const FileUpdate& update);
  TrackedFile& FileOf(RootReader* reader, const FileUpdate& update);
  void CountDropped(TrackedFile* file);
  void UpdateRuns(Now now);
  void QuietOthers();
  void PlanTrials();
  void TakeTrials();
  void PublishSnapshot(Now now);

  Config config_;
  AppOptions options_;
  FileSource* source_;
  SelfMetrics self_;
  SeriesBudget budget_;
  RulesForRun rules_;
  RunRegistry runs_;
  std::vector<std::shared_ptr<RootReader>> readers_;
  std::map<RootReader*, std::unique_ptr<Root>> roots_;
  std::map<Key, std::unique_ptr<TrackedFile>> files_;
  std::size_t next_root_ = 0;
  TrialPlanWatch trial_watch_;
  std::uint64_t trial_generation_ = 0;
  std::uint64_t record_generation_ = 0;
  bool records_read_ = false;  // every store that was found first, once
  bool first_pass_done_ = false;
  bool processes_listed_ = true;  // as it was logged last

  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;  // guarded by mutex_
};

}  // namespace rlrun
