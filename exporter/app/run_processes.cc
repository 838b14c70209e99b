#include "exporter/app/run_processes.h"

#include <string>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

ProcessFact FactOf(const RoleProcess& role) {
  ProcessFact fact;
  fact.presence = role.presence == Presence::kAlive ? ProcessPresence::kAlive
                  : role.presence == Presence::kGone
                      ? ProcessPresence::kGone
                      : ProcessPresence::kNeverSeen;
  fact.pid = role.pid;
  fact.start_time = role.start_time;
  fact.last_seen = role.last_seen;
  fact.gone_since = role.gone_since;
  fact.incomplete = role.incomplete;
  return fact;
}

RunKey KeyOf(std::string id, const std::vector<TrackedFile*>& sources,
             const RunIdentity& claim) {
  RunKey key;
  key.id = std::move(id);
  for (const TrackedFile* f : sources) {
    if (f->aside) continue;
    const RunStatement& stated = f->statement();
    if (key.experiment.empty()) key.experiment = stated.experiment;
    if (key.project.empty()) key.project = stated.project;
    if (key.trial_dir.empty() && f->run().facts != nullptr) {
      const auto& trials = f->run().facts->trials_dir;
      if (trials && trials->starts_with('/')) key.trial_dir = *trials;
    }
    if (f->kind() == SourceKind::kWandb) continue;
    key.logs.push_back({f->path(), {f->id().device, f->id().inode}});
  }
  if (key.experiment.empty()) {
    key.experiment = claim.run;
    key.project = claim.project;
  }
  return key;
}

}  // namespace

RunKey MakeRunKey(const RunGroup& group) {
  return KeyOf(std::to_string(group.id()), group.sources(),
               group.sources().front()->naming->claim);
}

RunKey MakeRunKey(const RunElsewhere& run) {
  return KeyOf("elsewhere:" + run.sources.front()->path(), run.sources,
               run.claim);
}

ProcessFacts MakeProcessFacts(const RunProcesses& found) {
  ProcessFacts facts;
  facts.trainer = FactOf(found.trainer);
  facts.runner = FactOf(found.runner);
  facts.gpus = found.gpus;
  return facts;
}

}  // namespace rlrun
