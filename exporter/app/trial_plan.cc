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

StuckAfter LimitsOf(const RunGroup& group, double stuck_after) {
  std::optional<double> agent, val_agent;
  for (const TrackedFile* f : group.sources()) {
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

TrialRun PlanOf(const RunGroup& group, double stuck_after) {
  TrialRun run;
  run.id = group.id();
  run.stuck_after = LimitsOf(group, stuck_after);
  run.nodes.emplace_back();
  std::vector<const TrackedFile*> head;
  for (const TrackedFile* f : group.sources()) {
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

struct Claims {
  std::size_t runs = 0;    // that state or guess the directory
  std::size_t stated = 0;  // of them
  std::size_t named = 0;   // that guess it and are called like it
};

}  // namespace

std::map<std::size_t, TrialPlan> MakeTrialPlans(
    const std::vector<RunGroup*>& groups, double stuck_after) {
  std::vector<TrialRun> runs;
  std::map<std::string, Claims> claims;
  for (const RunGroup* group : groups) {
    runs.push_back(PlanOf(*group, stuck_after));
    std::set<std::string_view> seen;
    for (const auto& places : runs.back().nodes) {
      for (const TrialPlace& place : places) {
        if (!seen.insert(place.directory).second) continue;
        Claims& claim = claims[place.directory];
        ++claim.runs;
        if (place.stated) ++claim.stated;
        if (!place.stated && NameOf(*group) == LastSegment(place.directory)) {
          ++claim.named;
        }
      }
    }
  }
  std::map<std::string, std::uint64_t> owners;
  std::map<std::size_t, TrialPlan> plans;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (auto& places : runs[i].nodes) {
      std::erase_if(places, [&](const TrialPlace& place) {
        const Claims& claim = claims.at(place.directory);
        if (place.stated || claim.runs == 1) return false;
        return claim.stated != 0 || claim.named != 1 ||
               NameOf(*groups[i]) != LastSegment(place.directory);
      });
      for (const TrialPlace& place : places) {
        owners.emplace(place.directory, runs[i].id);
      }
    }
    plans[groups[i]->sources().front()->root_number()].runs.push_back(
        std::move(runs[i]));
  }
  for (auto& [root, plan] : plans) plan.owners = owners;
  return plans;
}

bool TrialPlanWatch::Changed(const std::vector<RunGroup*>& groups,
                             std::uint64_t generation) {
  bool changed = std::exchange(generation_, generation) != generation;
  std::size_t n = 0;
  for (const RunGroup* group : groups) {
    for (const TrackedFile* f : group->sources()) {
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
  }
  facts_.resize(n);
  return changed;
}

}  // namespace rlrun
