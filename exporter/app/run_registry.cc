#include "exporter/app/run_registry.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "exporter/app/log.h"
#include "exporter/discovery/path_glob.h"
#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

// Seconds between two looks at whether a run that is silent for long has ended.
constexpr double kLifeCheck = 60;

// Launched by somebody, and no trainer has spoken: it may be any node's.
bool IsProvisional(const JoinedSources& sources) {
  return std::none_of(sources.begin(), sources.end(),
                      [](const TrackedFile* f) { return f->has_trainer(); });
}

// Whose run it is turns out soon; until then the other file tells of it.
bool IsUndecided(const JoinedSources& sources) {
  return std::all_of(sources.begin(), sources.end(), [](const TrackedFile* f) {
    return f->undecided && f->naming == nullptr;
  });
}

RunIdentity Repaired(const RunIdentity& claim) {
  // Names are compared as they are exposed.
  return {RepairUtf8(claim.project), RepairUtf8(claim.run)};
}

}  // namespace

void RunRegistry::NoteUpdate(TrackedFile* file, std::uint64_t shape,
                             std::uint64_t bytes) {
  if (file->group != nullptr) {
    file->group->NoteChange();
  } else if (file->Publishable() && file->ours() && !twins_.contains(file)) {
    dirty_ = true;  // one that had ended may be back
  }
  const bool grew = file->run().progress.bytes_read != bytes;
  if (file->shape() != shape || (grew && file->aside && !file->helper))
    dirty_ = true;
}

void RunRegistry::NoteRemoval(TrackedFile* file) {
  if (file->group != nullptr) {
    file->group->Forget(file);
  }
  twins_.clear();
  elsewhere_.clear();
  dirty_ = true;
}

void RunRegistry::NoteReload(std::shared_ptr<FamilyTable> table) {
  table_ = std::move(table);
  table_changed_ = true;
  dirty_ = true;
}

void RunRegistry::Update(const std::vector<TrackedFile*>& files,
                         const std::function<bool(std::size_t root)>& root_read,
                         Now now) {
  if (!due(now)) return;
  dirty_ = false;
  ++generation_;
  next_expiry_ = std::numeric_limits<double>::infinity();
  std::vector<JoinedSources> runs = JoinSources(Candidates(files, root_read));
  elsewhere_.clear();
  std::erase_if(runs, [&](JoinedSources& sources) {
    const RunIdentity claim = Repaired(ClaimOf(sources));
    const bool ours = IsOurs(claim, sources);
    if (IsExpired(sources, now.wall) || IsUndecided(sources)) return true;
    if (!ours) elsewhere_.push_back({std::move(sources), claim});
    return !ours;
  });
  for (TrackedFile* f : files) f->group = nullptr;
  Settle(std::move(runs));
  NameRuns();
  table_changed_ = false;
}

// A log is published once it was read, and once the launcher's output beside
// it was, which may say its name. What may be a copy waits for all logs of its
// root. What was published stays.
std::vector<TrackedFile*> RunRegistry::Candidates(
    const std::vector<TrackedFile*>& files,
    const std::function<bool(std::size_t root)>& root_read) {
  std::set<std::string> unread;  // directories
  for (const TrackedFile* f : files) {
    if (!f->caught_up() && f->error().empty() && IsLaunchName(f->path())) {
      unread.insert(ParentOf(f->path()));
    }
  }
  twins_.clear();
  // Of a file that several roots reach, the one that is published stays; with
  // shards, where nobody sees what others publish, it is always the first.
  std::vector<TrackedFile*> order = files;
  if (shard_.all()) {
    std::stable_partition(order.begin(), order.end(), [](const TrackedFile* f) {
      return f->group != nullptr;
    });
  }
  std::map<FileId, TrackedFile*> seen;
  std::vector<TrackedFile*> out;
  for (TrackedFile* f : order) {
    if (!f->Publishable()) continue;
    const bool waits =
        records_pending_ ? true
        : f->kind() == SourceKind::kLog
            ? !unread.empty() && unread.contains(ParentOf(f->path()))
            : !root_read(f->root_number());
    if (waits && f->group == nullptr) continue;
    const auto [it, first] = seen.emplace(f->id(), f);
    if (first) {
      out.push_back(f);
    } else {
      twins_[f] = it->second;
    }
  }
  return out;
}

// By what the files say now and nothing else: not by the name that a run had
// before or by those of its name, which another exporter may have seen
// otherwise. So all exporters over one tree agree, since when ever they run.
bool RunRegistry::IsOurs(const RunIdentity& claim,
                         const JoinedSources& sources) const {
  if (shard_.all()) return true;
  const bool ours = ShardOf(claim, shard_.count) == shard_.index;
  for (TrackedFile* f : sources) f->SetOurs(ours);
  return ours;
}

bool RunRegistry::IsExpired(const JoinedSources& sources, double now) {
  if (!expire_) return false;
  double end = -std::numeric_limits<double>::infinity();
  for (const TrackedFile* f : sources) end = std::max(end, f->ExpiresAt());
  if (now <= end) {
    next_expiry_ = std::min(next_expiry_, end);
    return false;
  }
  // A run that is known to live stays, however slow its steps are.
  const bool lives =
      std::any_of(sources.begin(), sources.end(), [now](const TrackedFile* f) {
        return f->group != nullptr && f->group->primary() != nullptr &&
               !IsEnded(f->group->JudgeAt(now)->state);
      });
  if (lives) next_expiry_ = std::min(next_expiry_, now + kLifeCheck);
  return !lives;
}

// The name that one of the sources had before, the most trusted first; else a
// new one.
std::shared_ptr<RunNaming> RunRegistry::NamingOf(
    const JoinedSources& sources, std::set<const RunNaming*>* taken) const {
  const RunIdentity claim = Repaired(ClaimOf(sources));
  const bool provisional = IsProvisional(sources);
  const RunNaming* left = nullptr;
  for (const TrackedFile* f : sources) {
    const std::shared_ptr<RunNaming>& naming = f->naming;
    if (naming == nullptr || naming.get() == left) continue;
    // Another launch in the same file says that it is another run.
    const std::string& stated = f->statement().experiment;
    if (naming->claim != claim && f->naming_texts != f->texts() &&
        !stated.empty() && stated != naming->claim.run) {
      left = naming.get();
      continue;
    }
    if (!taken->insert(naming.get()).second) continue;
    if (naming->provisional && !provisional) {
      naming->provisional = false;
      if (naming->claim != claim) *naming = {claim, {}, false};
    }
    return naming;
  }
  auto naming = std::make_shared<RunNaming>(RunNaming{claim, {}, provisional});
  taken->insert(naming.get());
  return naming;
}

void RunRegistry::Settle(std::vector<JoinedSources> runs) {
  std::set<const RunNaming*> taken;
  std::map<std::shared_ptr<RunNaming>, std::unique_ptr<RunGroup>> groups;
  std::vector<std::pair<RunGroup*, JoinedSources>> settled;
  for (JoinedSources& sources : runs) {
    const std::shared_ptr<RunNaming> naming = NamingOf(sources, &taken);
    std::unique_ptr<RunGroup> group;
    if (const auto it = groups_.find(naming); it != groups_.end()) {
      group = std::move(it->second);
      groups_.erase(it);
    } else {
      group = std::make_unique<RunGroup>(next_id_++, options_);
    }
    for (TrackedFile* f : sources) {
      if (f->naming != naming) f->naming_texts = f->texts();
      f->naming = naming;
    }
    settled.emplace_back(group.get(), std::move(sources));
    groups[naming] = std::move(group);
  }
  for (const auto& [naming, group] : groups_) {
    Log(LogLevel::kInfo, "run is gone", {{"run", naming->identity.run}});
  }
  groups_ = std::move(groups);
  order_.clear();
  for (auto& [group, sources] : settled) {
    for (TrackedFile* f : sources) f->group = group;
    group->SetSources(std::move(sources));
    order_.push_back(group);
  }
  std::sort(
      order_.begin(), order_.end(), [](const RunGroup* a, const RunGroup* b) {
        const auto key = [](const RunGroup* g) {
          const TrackedFile* f = g->sources().front();
          return std::pair(std::string_view(f->listed()), f->root_number());
        };
        return key(a) < key(b);
      });
}

void RunRegistry::NameRuns() {
  std::map<RunIdentity, std::vector<std::pair<RunNaming*, RunGroup*>>> claims;
  std::map<const RunGroup*, RunNaming*> namings;
  for (const auto& [naming, group] : groups_) {
    namings[group.get()] = naming.get();
  }
  for (RunGroup* group : order_) {
    RunNaming* naming = namings.at(group);
    claims[naming->claim].emplace_back(naming, group);
  }
  std::set<RunIdentity> given;
  for (auto& [claim, runs] : claims) {
    for (const auto& [naming, group] : runs) {
      const std::string suffix = "@" + PathHash(group->sources()[0]->path());
      RunIdentity wanted = naming->identity;
      const bool suffixed = wanted.run.size() > claim.run.size();
      // A run that shared its name once keeps the longer one.
      if (wanted.run.empty() || (runs.size() > 1 && !suffixed)) {
        wanted = claim;
        if (runs.size() > 1) wanted.run += suffix;
      }
      // Another run may be called what a suffix makes of this one.
      while (!given.insert(wanted).second) wanted.run += suffix;
      naming->identity = wanted;
      group->SetRules((*rules_)(claim));
      if (group->identity() != wanted || table_changed_) {
        group->Publish(wanted, table_);
      }
    }
    if (runs.size() > 1 &&
        warned_names_.insert(claim.project + "/" + claim.run).second) {
      self_->CountCollision();
      Log(LogLevel::kWarn, "several runs claim one name; each gets a suffix",
          {{"project", claim.project},
           {"run", claim.run},
           {"path", runs[0].second->sources()[0]->path()},
           {"other", runs[1].second->sources()[0]->path()}});
    }
  }
}

}  // namespace rlrun
