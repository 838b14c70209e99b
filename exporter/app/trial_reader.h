// The trial directories of the runs of one root: finds which of the places of a
// plan hold trials, adds the nodes of one launch up, and keeps the sums until
// Tick takes them. Works in slices. Apart from the root's RootReader and on a
// thread of its own, because a walk over trials is long, and logs shall not
// wait for it.
// `Pass` belongs to one thread; the others are for any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exporter/app/now.h"
#include "exporter/app/slice_reader.h"
#include "exporter/app/trial_plan.h"
#include "exporter/app/watched_source.h"
#include "exporter/store/trial_totals.h"
#include "exporter/trials/options.h"
#include "exporter/trials/trial_scanner.h"

namespace rlrun {

struct TrialNews {
  // By TrialRun::id, those that are others than before; null: every place was
  // looked at, and there are no trials.
  std::map<std::uint64_t, std::shared_ptr<const TrialTotals>> totals;
  std::vector<std::string> warnings;
};

class TrialReader : public SliceReader {
 public:
  // `source` must outlive this object.
  TrialReader(TrialOptions options, FileSource* source)
      : source_(source), options_(std::move(options)) {}

  // Both take effect with the next Pass. Directories that are in both plans
  // keep what was counted; other options count anew. Behind an empty plan
  // everything is told again.
  void SetPlan(TrialPlan plan);
  void SetOptions(const TrialOptions& options);

  // Does what is due until `go_on`, which is asked before every few calls of
  // the file system, says no. Returns the seconds until something is due; 0:
  // more is waiting.
  double Pass(Now now, const std::function<bool()>& go_on) override;

  // Everything since the last call.
  TrialNews Take();
  bool HasNews() const override;

  // As RootReader has them.
  double WaitingSince() const { return source_.WaitingSince(); }
  void ShareWait(std::shared_ptr<std::atomic<double>> since) override {
    source_.ShareWait(std::move(since));
  }

 private:
  struct Place {
    std::unique_ptr<TrialScanner> scanner;
    double due = 0;    // steady seconds
    double first = 0;  // steady seconds of the first look
    bool looked = false;
    bool there = false;   // it could be listed once
    bool changed = true;  // since the last Publish
  };
  struct Siblings {
    std::set<std::string> directories;
    bool looked = false;
    bool changed = true;  // since the last Publish
    double due = 0;       // steady seconds
    double first = 0;
  };

  void TakeOrders();
  void AddPlace(const std::string& directory);
  void DropPlaces();
  bool PassPlace(Place* place, Now now, const std::function<bool()>& go_on);
  bool FindSiblings(const TrialRun& run, Now now,
                    const std::function<bool()>& go_on);
  bool IsSibling(const std::string& name, const std::string& head,
                 const TrialRun& run);
  // The place that is taken of a node's; null: none yet.
  Place* Taken(const std::vector<TrialPlace>& places);
  std::vector<Place*> PlacesOf(const TrialRun& run);
  double ProbeWait(double first, double steady) const;
  bool IsLookedAt(const std::string& directory) const;
  bool NodesLookedAt(const TrialRun& run) const;
  bool SiblingsLookedAt(const TrialRun& run) const;
  TrialTotals SumOf(const std::vector<Place*>& places,
                    const TrialRun& run) const;
  void Publish();

  WatchedSource source_;
  // Of the thread of Pass:
  TrialOptions options_;
  TrialPlan plan_;
  std::map<std::string, Place> places_;         // by directory
  std::map<std::uint64_t, Siblings> siblings_;  // by run
  std::string cursor_;                          // directory to go on with
  bool plan_changed_ = false;
  std::map<std::uint64_t, std::shared_ptr<const TrialTotals>> published_;

  mutable std::mutex mutex_;
  std::optional<TrialPlan> new_plan_;        // guarded by mutex_
  bool tells_anew_ = false;                  // guarded by mutex_
  std::optional<TrialOptions> new_options_;  // guarded by mutex_
  TrialNews news_;                           // guarded by mutex_
};

}  // namespace rlrun
