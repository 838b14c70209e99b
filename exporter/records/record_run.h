// One run of a record store: its record and what lies about it in other
// directories, read in pieces of a few calls of the file system each.
//   training-runs/<name>.json                 its record
//   training-run-updates/<name>__*.json       newer progress
//   training-rollouts-summary/<name>/*.json   rollouts
//   substep-timing/<name>/*.json              times of phases
//   metric-series/<name>/chunk-*.json         its scalars
//   training-steps-summary/<name>.json        steps of supervised training
// A document that is gone for a moment or half written is tried again; what was
// known stays. Nothing else of the store is opened.
// Not thread-safe; belongs to one RecordStore.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exporter/records/metric_series.h"
#include "exporter/records/options.h"
#include "exporter/store/recorded_run.h"
#include "exporter/tail/document.h"
#include "exporter/tail/file_source.h"
#include "parsers/formats/json_document.h"
#include "parsers/model/step_record.h"

namespace rlrun {

// What listings of the store say about all of its runs.
struct StoreListing {
  std::set<std::string> directories;  // those of the store that are there
  std::vector<std::string> updates;   // names in training-run-updates, sorted
  std::set<std::string> results;      // names in train-results
  bool has(const char* directory) const {
    return directories.contains(directory);
  }
};

class RecordRun {
 public:
  // `name`: of its record, without `.json`. `options` outlives this.
  RecordRun(std::string store, std::string name, const RecordOptions* options);

  // One piece of work. False: the round is through, and `due` is when the next
  // one begins.
  bool Work(FileSource& source, const StoreListing& listing, double steady,
            double wall);
  double due() const { return due_; }  // steady seconds

  // Rollouts of it. `listed`: as a summary has them, which leaves none out.
  void AddRollouts(const std::vector<RecordedRollout>& rollouts,
                   bool listed = true);

  // Its record was whole once, and everything about it was read once.
  bool known() const { return known_ && rounds_ != 0; }
  bool too_old() const { return too_old_; }
  // What has changed since the last call; null: nothing.
  std::shared_ptr<const RecordedRun> TakeState();
  std::vector<StepRecord> TakeSteps() { return std::exchange(steps_, {}); }
  // Its record could be read at the last try; absence for a moment is no
  // failure.
  bool up() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  const std::string& path() const { return record_file_.path(); }
  const FileStat& stat() const { return record_file_.stat(); }
  // Newest sign of life, Unix seconds; 0: none.
  double lives_until() const;
  bool ended() const {
    return IsEndedStatus(state_.status) || IsEndedStatus(state_.record.status);
  }

  // Seconds on end without a listing that has its record; for RecordStore.
  std::optional<double> absent_since;

 private:
  enum class Kind : std::uint8_t {
    kRecord,
    kUpdate,
    kListRollouts,
    kRollout,
    kListTimings,
    kTiming,
    kListSeries,
    kChunk,
    kSteps,
  };
  struct Task {
    Kind kind = Kind::kRecord;
    std::string name;
  };
  struct Update {
    Document file;
    RunRecord record;
  };
  struct Timing {
    Document file;
    RecordedTiming timing;
  };

  void Do(const Task& task, FileSource& source, const StoreListing& listing,
          double wall);
  void ReadRecord(FileSource& source, const StoreListing& listing, double wall);
  void TakeRecord(RunRecord next);
  bool GoesBack(const RunRecord& next) const;
  void PlanDetails(const StoreListing& listing);
  void ListFiles(const char* directory, Kind kind, FileSource& source);
  void ReadUpdate(const std::string& name, FileSource& source, double wall);
  void ReadRollouts(const std::string& name, FileSource& source, double wall);
  void ReadTiming(const std::string& name, FileSource& source, double wall);
  void ReadSeries(const std::string& name, bool chunk, FileSource& source,
                  double wall);
  void NoteParse(const std::string& path, DocumentParse parsed, Document* file);
  void EndRound(double steady, double wall);
  double Updated(std::initializer_list<std::optional<double>> times,
                 double wall) const;
  void Assemble(const StoreListing& listing, double wall);
  void MergeProgress(const RecordedProgress& progress);
  void CountPhases();
  std::string PathOf(const char* directory, const std::string& name) const;

  const std::string store_;
  const std::string name_;
  const RecordOptions* options_;
  double slower_ = 0;  // 0: not known yet
  double due_ = 0;
  std::uint64_t rounds_ = 0;
  std::deque<Task> tasks_;
  bool in_round_ = false;

  Document record_file_;
  std::string error_;
  std::optional<double> bad_since_;  // wall time
  bool known_ = false;
  bool too_old_ = false;
  bool changed_ = false;       // some document has, in this round
  std::set<std::string> bad_;  // paths of documents that are not whole

  std::map<std::string, Update> updates_;
  std::map<std::string, Document> rollout_files_;
  std::set<std::string> read_rollouts_;  // files that do not change any more
  std::map<std::int64_t, RecordedRollout> rollouts_;
  std::map<std::string, Timing> timings_;
  std::set<std::string> read_timings_;
  std::map<std::string, double> read_seconds_;  // of read_timings_
  std::optional<double> timing_end_;            // newest of all timings
  std::map<std::string, Document> chunks_;
  std::set<std::string> read_chunks_;
  MetricSeries series_;
  std::vector<StepRecord> steps_;

  RecordedRun state_;
  std::shared_ptr<const RecordedRun> told_;
};

}  // namespace rlrun
