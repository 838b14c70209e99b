// The run-record stores below one root: turns what they tell into updates of
// files, and keeps those until Tick takes them. Works in slices, apart from the
// root's RootReader: a store on a slow mount holds up no log.
// `Pass` belongs to one thread; the others are for any.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exporter/app/followed_file.h"
#include "exporter/app/slice_reader.h"
#include "exporter/app/watched_source.h"
#include "exporter/records/options.h"
#include "exporter/records/record_store.h"

namespace rlrun {

class RecordReader : public SliceReader {
 public:
  struct News {
    std::vector<FileUpdate> updates;
    bool complete = false;  // every store was read through once
    std::size_t runs = 0, unreadable = 0, too_old = 0, capped = 0;
  };

  // `source` must outlive this object.
  RecordReader(const RecordOptions& options, FileSource* source)
      : source_(source), options_(options) {}

  // Both take effect with the next Pass. A store that is not named any more
  // keeps its runs as long as one that cannot be listed.
  void SetStores(std::vector<std::string> directories);
  void SetOptions(const RecordOptions& options);

  double Pass(Now now, const std::function<bool()>& go_on) override;
  bool HasNews() const override;
  // Updates since the last call, and how things stand.
  News Take();

  // As RootReader has them.
  double WaitingSince() const { return source_.WaitingSince(); }
  void ShareWait(std::shared_ptr<std::atomic<double>> since) override {
    source_.ShareWait(std::move(since));
  }

 private:
  void TakeOrders();
  void Publish(Now now);
  FileUpdate UpdateOf(RecordNews news, Now now);

  WatchedSource source_;
  // Of the thread of Pass:
  RecordOptions options_;
  std::map<std::string, std::unique_ptr<RecordStore>> stores_;
  std::vector<std::string> wanted_;
  std::map<std::string, std::string> canonical_;  // by path of a record

  mutable std::mutex mutex_;
  std::optional<std::vector<std::string>> new_stores_;  // guarded by mutex_
  std::optional<RecordOptions> new_options_;            // guarded by mutex_
  News news_;                                           // guarded by mutex_
  bool told_complete_ = false;                          // guarded by mutex_
};

}  // namespace rlrun
