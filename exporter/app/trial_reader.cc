#include "exporter/app/trial_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

// Between two looks whether a place holds trials by now: a young run may start
// its sandboxes any minute.
constexpr double kProbeWait = 60;
constexpr double kYoung = 3600;         // seconds
constexpr double kSiblingsApart = 600;  // between the stamps of one launch

bool IsBelow(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string LastSegment(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// What may be shown of a walk that has not reached the end.
TrialTotals Unfinished(const TrialTotals& totals) {
  TrialTotals out;
  out.up = totals.up;
  out.newest_change = totals.newest_change;
  return out;
}

}  // namespace

void TrialReader::SetPlan(TrialPlan plan) {
  const std::scoped_lock lock(mutex_);
  tells_anew_ = tells_anew_ || plan.runs.empty();
  new_plan_ = std::move(plan);
}

void TrialReader::SetOptions(const TrialOptions& options) {
  const std::scoped_lock lock(mutex_);
  new_options_ = options;
}

double TrialReader::Pass(Now now, const std::function<bool()>& go_on) {
  TakeOrders();
  // Beginning where the last slice ended, so that one long walk does not hold
  // up the others.
  bool more = false;
  auto it = places_.lower_bound(cursor_);
  for (std::size_t n = 0; n < places_.size() && !more; ++n) {
    if (it == places_.end()) it = places_.begin();
    more = it->second.due <= now.steady && !PassPlace(&it->second, now, go_on);
    ++it;
  }
  cursor_ = it == places_.end() ? std::string() : it->first;
  for (const TrialRun& run : plan_.runs) {
    if (more) break;
    if (run.has_siblings) more = !FindSiblings(run, now, go_on);
  }
  Publish();
  if (more) return 0;
  double due = std::numeric_limits<double>::infinity();
  for (const auto& [directory, place] : places_) due = std::min(due, place.due);
  for (const auto& [id, siblings] : siblings_) {
    if (siblings.looked) due = std::min(due, siblings.due);
  }
  return std::max(due - now.steady, 0.0);
}

void TrialReader::TakeOrders() {
  std::optional<TrialPlan> plan;
  {
    const std::scoped_lock lock(mutex_);
    plan = std::exchange(new_plan_, std::nullopt);
    if (std::exchange(tells_anew_, false)) published_.clear();
    if (const auto options = std::exchange(new_options_, std::nullopt);
        options && *options != options_) {
      options_ = *options;
      places_.clear();
      siblings_.clear();
      plan_changed_ = true;
    }
  }
  if (plan) {
    plan_ = *std::move(plan);
    plan_changed_ = true;
  }
  if (!plan_changed_) return;
  for (const TrialRun& run : plan_.runs) {
    for (const auto& places : run.nodes) {
      for (const TrialPlace& place : places) AddPlace(place.directory);
    }
    if (!run.has_siblings) {
      siblings_.erase(run.id);
      continue;
    }
    // One that has turned out to be a run of its own is none any more.
    std::erase_if(siblings_[run.id].directories, [&](const std::string& d) {
      return plan_.owners.contains(d);
    });
  }
  DropPlaces();
}

void TrialReader::AddPlace(const std::string& directory) {
  Place& place = places_[directory];
  if (place.scanner != nullptr) return;
  TrialOptions options = options_;
  std::string warning;
  if (!options.cache_dir.empty() && IsBelow(options.cache_dir, directory)) {
    warning = options.cache_dir + ": no cache inside of trial directories";
    options.cache_dir.clear();
  }
  place.scanner = std::make_unique<TrialScanner>(directory, options, &source_);
  if (warning.empty()) warning = place.scanner->cache_error();
  if (warning.empty()) return;
  const std::scoped_lock lock(mutex_);
  news_.warnings.push_back(std::move(warning));
}

void TrialReader::DropPlaces() {
  std::set<std::string_view> wanted;
  std::set<std::uint64_t> runs;
  for (const TrialRun& run : plan_.runs) {
    runs.insert(run.id);
    for (const auto& places : run.nodes) {
      for (const TrialPlace& place : places) wanted.insert(place.directory);
    }
  }
  std::erase_if(siblings_,
                [&](const auto& s) { return !runs.contains(s.first); });
  for (const auto& [id, siblings] : siblings_) {
    wanted.insert(siblings.directories.begin(), siblings.directories.end());
  }
  std::erase_if(places_,
                [&](const auto& p) { return !wanted.contains(p.first); });
}

// False: `go_on` ended it early.
bool TrialReader::PassPlace(Place* place, Now now,
                            const std::function<bool()>& go_on) {
  TrialScanner& scanner = *place->scanner;
  if (!place->looked) {
    place->looked = true;
    place->first = now.steady;
  }
  const double wait = scanner.Pass(now.steady, now.wall, go_on);
  place->changed = true;
  place->there = place->there || scanner.up();
  if (wait == 0) return false;
  place->due =
      now.steady + (scanner.has_trials()
                        ? wait
                        : std::max(wait, ProbeWait(place->first, now.steady)));
  return true;
}

double TrialReader::ProbeWait(double first, double steady) const {
  // Begins with the interval and doubles.
  const double age = steady - first;
  const double most = age < kYoung ? kProbeWait : options_.settled_interval;
  return std::clamp(age, std::min(options_.interval, most), most);
}

TrialReader::Place* TrialReader::Taken(const std::vector<TrialPlace>& places) {
  for (const TrialPlace& p : places) {
    Place& place = places_.at(p.directory);
    if (place.scanner->has_trials() || (p.stated && place.there)) return &place;
  }
  return nullptr;
}

std::vector<TrialReader::Place*> TrialReader::PlacesOf(const TrialRun& run) {
  std::vector<Place*> taken;
  const auto add = [&taken](Place* place) {
    if (place != nullptr &&
        std::find(taken.begin(), taken.end(), place) == taken.end()) {
      taken.push_back(place);
    }
  };
  for (const auto& places : run.nodes) add(Taken(places));
  const auto siblings = siblings_.find(run.id);
  if (siblings == siblings_.end()) return taken;
  for (const std::string& directory : siblings->second.directories) {
    Place& place = places_.at(directory);
    if (place.scanner->has_trials()) add(&place);
  }
  return taken;
}

// Nodes whose files name no run: directories beside the head's, of its name but
// for a stamp that is little older or younger. False: `go_on` ended it early.
bool TrialReader::FindSiblings(const TrialRun& run, Now now,
                               const std::function<bool()>& go_on) {
  Siblings& siblings = siblings_[run.id];
  if (siblings.looked && siblings.due > now.steady) return true;
  const Place* head = nullptr;
  for (const auto& places : run.nodes) {
    if (head == nullptr) head = Taken(places);
  }
  if (head == nullptr) return true;
  const std::string& directory = head->scanner->directory();
  const std::string parent = ParentOf(directory);
  if (!ParseStampedName(LastSegment(directory))) {
    siblings.looked = siblings.changed = true;
    siblings.due = std::numeric_limits<double>::infinity();
    return true;
  }
  if (!go_on()) return false;
  if (!siblings.looked) siblings.first = now.steady;
  siblings.looked = siblings.changed = true;
  siblings.due = now.steady + ProbeWait(siblings.first, now.steady);
  std::vector<DirEntry> entries;
  if (!source_.List(parent, &entries).ok()) return true;
  for (const DirEntry& entry : entries) {
    const std::string path = parent + "/" + entry.name;
    if (entry.kind == FileKind::kRegular || siblings.directories.contains(path))
      continue;
    if (!IsSibling(entry.name, directory, run)) continue;
    siblings.directories.insert(path);
    AddPlace(path);
  }
  return std::none_of(
      siblings.directories.begin(), siblings.directories.end(),
      [&](const std::string& d) { return !places_.at(d).looked; });
}

bool TrialReader::IsSibling(const std::string& name, const std::string& head,
                            const TrialRun& run) {
  const auto own = ParseStampedName(LastSegment(head));
  const auto other = ParseStampedName(name);
  if (!other || other->stem != own->stem) return false;
  const double apart = std::abs(other->seconds - own->seconds);
  const std::string parent = ParentOf(head);
  if (apart > kSiblingsApart || plan_.owners.contains(parent + "/" + name)) {
    return false;
  }
  // Another run's, if that one is nearer.
  for (const auto& [directory, owner] : plan_.owners) {
    if (owner == run.id || ParentOf(directory) != parent) continue;
    const auto stamp = ParseStampedName(LastSegment(directory));
    if (stamp && stamp->stem == own->stem &&
        std::abs(stamp->seconds - other->seconds) <= apart) {
      return false;
    }
  }
  // One with a log of its own is a run that is not known yet.
  FileStat stat;
  return !source_.Stat(parent + "/" + name + "/logs/" + name + ".log", &stat)
              .ok();
}

bool TrialReader::IsLookedAt(const std::string& directory) const {
  return places_.at(directory).looked;
}

bool TrialReader::NodesLookedAt(const TrialRun& run) const {
  return std::all_of(run.nodes.begin(), run.nodes.end(),
                     [this](const auto& places) {
                       return std::all_of(places.begin(), places.end(),
                                          [this](const TrialPlace& place) {
                                            return IsLookedAt(place.directory);
                                          });
                     });
}

bool TrialReader::SiblingsLookedAt(const TrialRun& run) const {
  const auto it = siblings_.find(run.id);
  if (it == siblings_.end()) return true;
  const auto& directories = it->second.directories;
  return it->second.looked &&
         std::all_of(directories.begin(), directories.end(),
                     [this](const std::string& d) { return IsLookedAt(d); });
}

TrialTotals TrialReader::SumOf(const std::vector<Place*>& places,
                               const TrialRun& run) const {
  std::optional<TrialTotals> sum;
  for (Place* place : places) {
    place->scanner->SetStuckAfter(run.stuck_after);
    TrialTotals totals = place->scanner->totals();
    if (sum) {
      sum->Add(totals);
    } else {
      sum = std::move(totals);
    }
  }
  sum->complete = sum->complete && NodesLookedAt(run) && SiblingsLookedAt(run);
  return sum->complete ? *std::move(sum) : Unfinished(*sum);
}

void TrialReader::Publish() {
  std::map<std::uint64_t, std::shared_ptr<const TrialTotals>> published, news;
  for (const TrialRun& run : plan_.runs) {
    const std::vector<Place*> places = PlacesOf(run);
    if (places.empty()) {
      if (!NodesLookedAt(run)) continue;
      const auto before = published_.find(run.id);
      if (before == published_.end() || before->second != nullptr) {
        news[run.id] = nullptr;
      }
      published[run.id] = nullptr;
      continue;
    }
    std::shared_ptr<const TrialTotals>& held = published[run.id];
    if (const auto it = published_.find(run.id); it != published_.end()) {
      held = it->second;
    }
    const auto siblings = siblings_.find(run.id);
    const bool same =
        (siblings == siblings_.end() || !siblings->second.changed) &&
        std::none_of(places.begin(), places.end(),
                     [](const Place* p) { return p->changed; });
    if (held != nullptr && same && !plan_changed_) continue;
    TrialTotals sum = SumOf(places, run);
    // A node that has come is walked through first.
    if (held != nullptr && held->complete && !sum.complete) continue;
    if (held != nullptr && *held == sum) continue;
    news[run.id] = held = std::make_shared<const TrialTotals>(std::move(sum));
  }
  published_ = std::move(published);
  for (auto& [directory, place] : places_) place.changed = false;
  for (auto& [id, siblings] : siblings_) siblings.changed = false;
  plan_changed_ = false;
  const std::scoped_lock lock(mutex_);
  for (auto& [id, totals] : news) news_.totals[id] = std::move(totals);
}

TrialNews TrialReader::Take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(news_, {});
}

bool TrialReader::HasNews() const {
  const std::scoped_lock lock(mutex_);
  return !news_.totals.empty() || !news_.warnings.empty();
}

}  // namespace rlrun
