// The runs that are published now: which files make them up, since when and
// until when, and how each is called. A name is fixed when its run is first
// published; runs that claim one name get a suffix each and keep it.
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exporter/app/now.h"
#include "exporter/app/run_group.h"
#include "exporter/app/run_joins.h"
#include "exporter/app/shard.h"
#include "exporter/metrics/self_metrics.h"

namespace rlrun {

class RunRegistry {
 public:
  // `options` and `self` outlive this. `expire`: a run ends its life when none
  // of its sources was written for `retention_finished`.
  // `rules` outlives this as well. Runs of other shards than `shard` are not
  // published.
  RunRegistry(const StoreOptions* options, bool expire, SelfMetrics* self,
              const RulesForRun* rules, Shard shard)
      : options_(options),
        expire_(expire),
        self_(self),
        rules_(rules),
        shard_(shard) {}

  // The file has taken in an update; `shape` and `bytes` are those before it.
  void NoteUpdate(TrackedFile* file, std::uint64_t shape, std::uint64_t bytes);
  // The file is about to be destroyed.
  void NoteRemoval(TrackedFile* file);
  // Everything is to be decided and rendered anew.
  void NoteReload(std::shared_ptr<FamilyTable> table);
  // A root has been read to its end.
  void NoteCaughtUp() { dirty_ = true; }

  // Record stores are being read for the first time: what is not published yet
  // waits, since a record may say how it is called.
  void SetRecordsPending(bool pending) {
    dirty_ = dirty_ || pending != records_pending_;
    records_pending_ = pending;
  }

  // Decides what is published now. `files`, all of them, in a stable order;
  // `root_read`: every file of that root was read to its end once.
  void Update(const std::vector<TrackedFile*>& files,
              const std::function<bool(std::size_t root)>& root_read, Now now);
  bool due(Now now) const { return dirty_ || now.wall > next_expiry_; }

  // Moves whenever groups or their sources were decided anew.
  std::uint64_t generation() const { return generation_; }
  // In the order of their first source's path.
  const std::vector<RunGroup*>& groups() const { return order_; }
  // Runs of other shards: what may be theirs is not taken for one of ours.
  // Empty from the removal of a file to the next Update.
  const std::vector<RunElsewhere>& elsewhere() const { return elsewhere_; }

 private:
  std::vector<TrackedFile*> Candidates(
      const std::vector<TrackedFile*>& files,
      const std::function<bool(std::size_t root)>& root_read);
  bool IsExpired(const JoinedSources& sources, double now);
  bool IsOurs(const RunIdentity& claim, const JoinedSources& sources) const;
  std::shared_ptr<RunNaming> NamingOf(const JoinedSources& sources,
                                      std::set<const RunNaming*>* taken) const;
  void Settle(std::vector<JoinedSources> runs);
  void NameRuns();

  const StoreOptions* options_;
  const bool expire_;
  SelfMetrics* self_;
  const RulesForRun* rules_;
  const Shard shard_;
  std::shared_ptr<FamilyTable> table_;
  bool dirty_ = true;
  bool table_changed_ = false;
  bool records_pending_ = false;
  double next_expiry_ = 0;  // Unix seconds
  std::uint64_t next_id_ = 1;
  std::uint64_t generation_ = 0;
  std::map<std::shared_ptr<RunNaming>, std::unique_ptr<RunGroup>> groups_;
  std::vector<RunGroup*> order_;
  std::vector<RunElsewhere> elsewhere_;
  // The same file below another root, by the first of them.
  std::map<TrackedFile*, TrackedFile*> twins_;
  std::set<std::string> warned_names_;
};

}  // namespace rlrun
