// Everything below one root: lists directories, follows files, parses what they
// say, and keeps the news until Tick takes them. The only part that waits for
// a file system.
// `Pass` and `Wake` belong to one thread (the root's own, or a test's); the
// others are for any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/app/followed_file.h"
#include "exporter/app/now.h"
#include "exporter/app/watched_source.h"
#include "exporter/discovery/options.h"
#include "exporter/discovery/walk.h"
#include "exporter/metrics/self_metrics.h"
#include "exporter/store/options.h"
#include "exporter/tail/options.h"

namespace rlrun {

struct RootStatus {
  bool listed = false;     // a listing was tried at least once
  bool up = false;         // the newest listing worked
  bool caught_up = false;  // every file was read to its end once
  std::string error;       // of the newest listing; empty: none
  std::array<std::size_t, kFileOutcomes> files{};
  std::vector<std::string> stores;  // of run records, in the newest listing

  bool operator==(const RootStatus&) const = default;
};

struct RootNews {
  std::vector<FileUpdate> updates;  // in the order in which they happened
  RootStatus status;
};

struct ReaderOptions {
  TailOptions tail;
  StoreOptions store;
  // False (`once`, `status`): read logs of any age, and never drop any.
  bool age_limits = true;
};

class RootReader {
 public:
  // `source` must outlive this object.
  RootReader(RootOptions root, ReaderOptions options, FileSource* source);

  const RootOptions& root() const { return root_; }

  // Lists what is due and gives every due file one bounded turn. Returns the
  // seconds until something is due again; 0: more is waiting, or the news must
  // be taken first.
  double Pass(Now now);

  // The news must be taken before a Pass reads on.
  bool Full() const;

  // There is something to take.
  bool HasNews() const;

  // Takes effect with the next Pass.
  void SetOptions(const ReaderOptions& options);

  // Paths of files that nobody waits for: looked at each `idle_interval`.
  void SetQuiet(std::set<std::string> paths);

  // Everything since the last call.
  RootNews Take();

  // Directories below this root that may be watched for early news.
  std::vector<std::string> directories() const;
  // Something changed in these directories (sorted; null: anywhere): the next
  // Pass looks at their files, whatever the intervals say. On the thread of
  // Pass.
  void Wake(const std::vector<std::string>* directories);
  // Entries came or went: lists soon. On the thread of Pass.
  void WakeListing();
  // Steady seconds of the newest listing. On the thread of Pass.
  double last_listing() const { return last_listing_; }
  // Files that are followed. On the thread of Pass.
  std::size_t followed() const { return files_.size(); }

  // Steady seconds of std::chrono::steady_clock since when a call of the file
  // system has not come back; 0: none is under way.
  double WaitingSince() const { return source_.WaitingSince(); }
  // Before the first Pass: calls of every root that shares `since`, because it
  // shares the thread, count as calls of this one.
  void ShareWait(std::shared_ptr<std::atomic<double>> since) {
    source_.ShareWait(std::move(since));
  }

 private:
  using Files = std::map<std::string, std::unique_ptr<FollowedFile>>;

  void TakeOptions();
  bool Visit(FollowedFile& file, Now now, std::size_t* open, double* next);
  bool AddOlderStates();
  void LeaveOtherTargets();
  Files::iterator Drop(Files::iterator it);
  void List(Now now);
  void Follow(Now now);
  struct Listed;
  bool IsNew(const std::string& path) const;
  bool IsTooOld(const FileStat& stat, double now) const;
  FollowedFile* FollowOne(const Listed& file);
  void FollowChains(std::vector<Listed> files, double now);
  bool SplitChains(Now now);
  void NoteAbsence(Now now);
  bool InUnreadable(const std::string& path) const;
  bool IsQuiet(const std::string& path) const;
  void CountFiles();

  RootOptions root_;
  ReaderOptions options_;
  WatchedSource source_;
  // By path. Ordered, so that a pass visits files in a stable order.
  Files files_;
  std::set<std::string> chained_;  // files that are read through another one
  // Files that begin a chain, since they do not continue what was there.
  std::set<std::string> apart_;
  std::string last_backlog_;    // path of the one that had the last turn
  std::size_t too_old_ = 0;     // logs of the newest listing, not followed
  std::size_t unreadable_ = 0;  // the same
  Listing listing_;
  std::optional<std::uint64_t> device_;
  std::optional<double> down_since_;  // steady seconds
  double next_listing_ = 0;           // steady seconds
  double last_listing_ = 0;           // steady seconds
  bool network_ = false;

  mutable std::mutex mutex_;
  RootNews news_;                             // guarded by mutex_
  RootStatus taken_status_;                   // guarded by mutex_
  std::size_t pending_pairs_ = 0;             // guarded by mutex_
  std::optional<ReaderOptions> new_options_;  // guarded by mutex_
  std::set<std::string> quiet_;               // guarded by mutex_
  std::vector<std::string> directories_;      // guarded by mutex_
  std::vector<FileUpdate> pass_updates_;
};

}  // namespace rlrun
