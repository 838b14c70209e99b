// A run-record store: a directory that is a copy or a mount of the metadata
// volume of training-gym or modal-dojo. Lists its runs, looks at those that may
// have changed, and gives out what is new of each. Works in slices; after the
// first round only what may have changed is asked again.
// The records themselves are the truth: the summary of all runs, which writers
// clobber, is not read. `framework-status-tokens/` holds secrets: it is neither
// opened nor listed, and nor are whole rollouts.
// Not thread-safe; belongs to the thread that may block on the file system.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exporter/records/options.h"
#include "exporter/records/record_run.h"
#include "exporter/store/recorded_run.h"
#include "exporter/tail/document.h"
#include "exporter/tail/file_source.h"

namespace rlrun {

// News of one run.
struct RecordNews {
  std::string path;                        // of its record
  std::shared_ptr<const RecordedRun> run;  // null: as before
  std::vector<StepRecord> steps;
  FileStat stat;           // of the record
  double lives_until = 0;  // Unix seconds
  bool up = false;
  std::string error;     // why it cannot be read; empty: it can
  bool removed = false;  // gone for good; nothing else is set
};

class RecordStore {
 public:
  // `source` must outlive this object.
  RecordStore(std::string directory, RecordOptions options, FileSource* source);

  const std::string& directory() const { return directory_; }
  void SetOptions(const RecordOptions& options) { options_ = options; }

  // Does what is due; `go_on` is asked before each piece of work, of at most
  // five calls of the file system. Returns the seconds until something is due;
  // 0: more is waiting.
  double Pass(double steady, double wall, const std::function<bool()>& go_on);
  // Everything since the last call.
  std::vector<RecordNews> Take();

  // Every record that could be was looked at once.
  bool complete() const { return complete_; }
  // It could be listed at the last try.
  bool up() const { return up_; }
  std::size_t runs() const { return runs_.size(); }
  // Of the newest listing.
  std::size_t unreadable() const;
  std::size_t too_old() const;
  std::size_t capped() const { return capped_; }

 private:
  void List(double steady);
  void NoteNames(const std::vector<DirEntry>& entries, double steady);
  void NoteDown(double steady);
  void ReadSharedRollouts(double wall);
  void NoteNews(RecordRun* run);

  std::string directory_;
  RecordOptions options_;
  FileSource* source_;
  StoreListing listing_;
  // By name, without `.json`.
  std::map<std::string, std::unique_ptr<RecordRun>> runs_;
  std::map<std::string, bool> told_up_;  // by path of the record, as told
  std::string cursor_;
  std::optional<Document> shared_rollouts_;  // of all runs, oldest generation
  // Of runs whose record has not been seen yet.
  std::map<std::string, std::vector<RecordedRollout>> early_rollouts_;
  std::vector<RecordNews> news_;
  std::size_t capped_ = 0;
  double slower_ = 0;  // 0: not known yet
  double list_due_ = 0;
  std::optional<double> down_since_;
  std::optional<double> empty_since_;  // without a single record
  bool up_ = false;
  bool complete_ = false;
};

}  // namespace rlrun
