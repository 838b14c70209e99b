#include "exporter/app/trial_plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "exporter/discovery/identity.h"
#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

std::string_view LastSegment(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

void AddPlace(TrialPlace place, std::vector<TrialPlace>* places) {
  while (place.directory.size() > 1 && place.directory.ends_with('/')) {
    place.directory.pop_back();
  }
  const auto same = [&place](const TrialPlace& other) {
    return other.directory == place.directory;
  };
  if (std::none_of(places->begin(), places->end(), same)) {
    places->push_back(std::move(place));
  }
}

void AddStated(const TrackedFile& file, std::vector<TrialPlace>* places) {
  const RunFacts* facts = file.run().facts.get();
  if (facts == nullptr || !facts->trials_dir) return;
  if (facts->trials_dir->starts_with('/')) {
    AddPlace({*facts->trials_dir, true}, places);
  }
}

void AddGuess(const TrackedFile& file, std::vector<TrialPlace>* places) {
  if (file.kind() != SourceKind::kLog && file.kind() != SourceKind::kLaunch) {
    return;
  }
  std::string directory = ParentOf(file.path());
  if (LastSegment(directory) == "logs") directory = ParentOf(directory);
  if (directory != "/") AddPlace({std::move(directory), false}, places);
}

using Sources = std::vector<TrackedFile*>;

StuckAfter LimitsOf(const Sources& sources, double stuck_after) {
  std::optional<double> agent, val_agent;
  for (const TrackedFile* f : sources) {
    const RunFacts* facts = f->run().facts.get();
    if (facts == nullptr) continue;
    if (!agent) agent = facts->agent_timeout_s;
    if (!val_agent) val_agent = facts->val_agent_timeout_s;
  }
  StuckAfter limits;
  if (agent) limits.train = *agent + kTrialSetUp;
  if (val_agent) {
    limits.val = *val_agent + kValTrialSetUp;
  } else if (limits.train) {
    // Validation is given more time, never less.
    limits.val = std::max(*limits.train, stuck_after);
  }
  return limits;
}

TrialRun PlanOf(std::uint64_t id, const Sources& sources, double stuck_after) {
  TrialRun run;
  run.id = id;
  run.stuck_after = LimitsOf(sources, stuck_after);
  run.nodes.emplace_back();
  std::vector<const TrackedFile*> head;
  for (const TrackedFile* f : sources) {
    if (!f->aside) {
      head.push_back(f);
    } else if (f->helper) {
      std::vector<TrialPlace>& places = run.nodes.emplace_back();
      AddStated(*f, &places);
      AddGuess(*f, &places);
    }
    const RunFacts* facts = f->run().facts.get();
    if (facts != nullptr && facts->nodes == 1) run.has_siblings = false;
  }
  for (const TrackedFile* f : head) AddStated(*f, &run.nodes.front());
  for (const TrackedFile* f : head) AddGuess(*f, &run.nodes.front());
  return run;
}

// What a run is called where nobody else is called so.
std::string_view NameOf(const RunGroup& group) {
  const TrackedFile* first = group.sources().front();
  return first->naming != nullptr ? std::string_view(first->naming->claim.run)
                                  : std::string_view();
}

// Which runs mean a directory.
class Claims {
 public:
  void Add(const TrialRun& run, std::string_view name) {
    std::set<std::string_view> seen;
    for (const auto& places : run.nodes) {
      for (const TrialPlace& place : places) {
        if (!seen.insert(place.directory).second) continue;
        Claim& claim = claims_[place.directory];
        ++claim.runs;
        if (place.stated) ++claim.stated;
        if (!place.stated && name == LastSegment(place.directory)) {
          ++claim.named;
        }
      }
    }
  }
  // The run, which has been added, has it.
  bool Has(const TrialPlace& place, std::string_view name) const {
    const Claim& claim = claims_.at(place.directory);
    if (place.stated || claim.runs == 1) return true;
    return claim.stated == 0 && claim.named == 1 &&
           name == LastSegment(place.directory);
  }

 private:
  struct Claim {
    std::size_t runs = 0;    // that state or guess the directory
    std::size_t stated = 0;  // of them
    std::size_t named = 0;   // that guess it and are called like it
  };
  std::map<std::string, Claim> claims_;
};

constexpr std::uint64_t kElsewhere = 0;  // no group's

}  // namespace

std::map<std::size_t, TrialPlan> MakeTrialPlans(
    const std::vector<RunGroup*>& groups,
    const std::vector<RunElsewhere>& elsewhere, double stuck_after) {
  struct Planned {
    TrialRun run;
    std::string_view name;
    std::size_t root;
  };
  std::vector<Planned> all;
  all.reserve(groups.size() + elsewhere.size());
  for (const RunGroup* group : groups) {
    all.push_back({PlanOf(group->id(), group->sources(), stuck_after),
                   NameOf(*group), group->sources().front()->root_number()});
  }
  for (const RunElsewhere& run : elsewhere) {
    all.push_back({PlanOf(kElsewhere, run.sources, stuck_after), run.claim.run,
                   run.sources.front()->root_number()});
  }
  Claims claims;
  for (const Planned& planned : all) claims.Add(planned.run, planned.name);
  std::map<std::string, std::uint64_t> owners;
  std::map<std::size_t, TrialPlan> plans;
  for (Planned& planned : all) {
    for (auto& places : planned.run.nodes) {
      std::erase_if(places, [&](const TrialPlace& place) {
        return !claims.Has(place, planned.name);
      });
      for (const TrialPlace& place : places) {
        owners.emplace(place.directory, planned.run.id);
      }
    }
    if (planned.run.id == kElsewhere) continue;
    plans[planned.root].runs.push_back(std::move(planned.run));
  }
  for (auto& [root, plan] : plans) plan.owners = owners;
  return plans;
}

bool TrialPlanWatch::Changed(const std::vector<RunGroup*>& groups,
                             const std::vector<RunElsewhere>& elsewhere,
                             std::uint64_t generation) {
  bool changed = std::exchange(generation_, generation) != generation;
  std::size_t n = 0;
  const auto look = [&](const Sources& sources) {
    for (const TrackedFile* f : sources) {
      const auto& facts = f->run().facts;
      if (n == facts_.size()) {
        facts_.push_back(facts);
        changed = true;
      } else if (facts_[n] != facts) {
        facts_[n] = facts;
        changed = true;
      }
      ++n;
    }
  };
  for (const RunGroup* group : groups) look(group->sources());
  for (const RunElsewhere& run : elsewhere) look(run.sources);
  facts_.resize(n);
  return changed;
}

}  // namespace rlrun
