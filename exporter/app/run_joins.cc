#include "exporter/app/run_joins.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "exporter/app/run_ids.h"
#include "exporter/app/run_launches.h"
#include "exporter/app/run_metric_files.h"
#include "exporter/app/run_order.h"
#include "exporter/app/run_siblings.h"
#include "exporter/app/run_trails.h"
#include "exporter/discovery/path_glob.h"

namespace rlrun {
namespace {

// One execution as far as some of its files show it.
struct Execution {
  std::optional<double> begin;       // first stamp, Unix seconds
  std::optional<double> end;         // last write
  std::vector<std::uint64_t> marks;  // of text
  JoinedSources files;
};

Execution ExecutionOf(const JoinedSources& sources) {
  Execution e;
  e.files = sources;
  for (const TrackedFile* f : sources) {
    const Run& run = f->run();
    if (run.start_time && (!e.begin || *run.start_time < *e.begin)) {
      e.begin = run.start_time;
    }
    e.end = std::max(e.end, run.progress.modified_time);
    if (f->first_values() && !IsMetricsFile(f->kind())) {
      e.marks.push_back(*f->first_values());
    }
  }
  return e;
}

bool EndsBefore(const Execution& a, const Execution& b) {
  return a.end && b.begin && *a.end < *b.begin;
}

// They ran at the same time and are not the same.
bool Contradict(const Execution& a, const Execution& b) {
  if (EndsBefore(a, b) || EndsBefore(b, a)) return false;
  if (MetricsContradict(a.files, b.files)) return true;
  if (a.marks.empty() || b.marks.empty()) return false;
  return std::find_first_of(a.marks.begin(), a.marks.end(), b.marks.begin(),
                            b.marks.end()) == a.marks.end();
}

class Joiner {
 public:
  explicit Joiner(const std::vector<TrackedFile*>& files)
      : files_(files), parent_(files.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::vector<JoinedSources> Join() {
    ByFirstLine();
    ByMetrics();
    UniteAll(WandbIdPairs(files_));
    UniteAll(LaunchPairs(files_));
    ByTrainerState();
    ByTrail();
    UniteAll(RecordPairs(files_));
    ByStatement();
    std::vector<JoinedSources> joined = Clusters();
    for (JoinedSources& sources : joined) OrderSources(&sources);
    return joined;
  }

 private:
  std::size_t Root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Unite(std::size_t a, std::size_t b) {
    a = Root(a);
    b = Root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

  void UniteAll(const IndexPairs& pairs) {
    for (const auto& [a, b] : pairs) Unite(a, b);
  }

  // Copies of one line do not outweigh what both say of themselves.
  static bool StateTwoNames(const TrackedFile& a, const TrackedFile& b) {
    // What trackers call a run is their own affair.
    if (a.statement().by_tracker || b.statement().by_tracker) return false;
    const std::string& one = a.statement().experiment;
    const std::string& other = b.statement().experiment;
    return !one.empty() && !other.empty() && one != other;
  }

  void ByFirstLine() {
    std::unordered_map<std::uint64_t, std::size_t> seen;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto mark = files_[i]->first_line();
      if (!mark) continue;
      const std::size_t first = seen.emplace(*mark, i).first->second;
      if (!StateTwoNames(*files_[i], *files_[first])) Unite(i, first);
    }
  }

  void ByMetrics() {
    for (const auto& [a, b] : MetricFilePairs(files_)) {
      if (!StateTwoNames(*files_[a], *files_[b])) Unite(a, b);
    }
  }

  // The states of one run in its checkpoints, and the one log beside those.
  void ByTrainerState() {
    std::map<std::string, std::size_t> states;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::string& path = files_[i]->path();
      if (path.substr(path.rfind('/') + 1) != "trainer_state.json") continue;
      std::string directory = ParentOf(path);
      const std::size_t name = directory.rfind('/') + 1;
      if (directory.substr(name).starts_with("checkpoint-")) {
        directory = ParentOf(directory);
      }
      Unite(i, states.emplace(std::move(directory), i).first->second);
    }
    if (states.empty()) return;
    std::map<std::string, std::vector<std::size_t>> logs;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const SourceKind kind = files_[i]->kind();
      if (kind == SourceKind::kJsonl || IsMetricsFile(kind)) continue;
      if (files_[i]->run().framework != "trl") continue;
      logs[ParentOf(files_[i]->path())].push_back(i);
    }
    for (const auto& [directory, state] : states) {
      const auto beside = logs.find(directory);
      if (beside == logs.end() || beside->second.size() != 1) continue;
      Unite(beside->second.front(), state);
    }
  }

  // Form by form, the surest first: where each of two runs so far has one
  // partner only, they are one.
  void ByTrail() {
    for (TrackedFile* f : files_) f->undecided = false;
    const std::vector<TrailPair> pairs = TrailPairs(files_);
    for (auto begin = pairs.begin(); begin != pairs.end();) {
      const auto end = std::find_if(
          begin, pairs.end(),
          [begin](const TrailPair& pair) { return pair.rank != begin->rank; });
      UniteSingles(begin, end);
      begin = end;
    }
    for (const TrailPair& pair : pairs) {
      if (pair.proven || Root(pair.a) == Root(pair.b)) continue;
      TrackedFile& late = *files_[pair.b];
      late.undecided = late.trail().size() < StepTrail::kEnough;
    }
  }

  using TrailPairIt = std::vector<TrailPair>::const_iterator;
  void UniteSingles(TrailPairIt begin, TrailPairIt end) {
    std::map<std::size_t, std::set<std::size_t>> of_a, of_b;
    for (auto it = begin; it != end; ++it) {
      if (!it->proven) continue;
      of_a[Root(it->a)].insert(Root(it->b));
      of_b[Root(it->b)].insert(Root(it->a));
    }
    std::vector<TrailPairIt> singles;
    for (auto it = begin; it != end; ++it) {
      if (it->proven && of_a[Root(it->a)].size() == 1 &&
          of_b[Root(it->b)].size() == 1) {
        singles.push_back(it);
      }
    }
    for (const TrailPairIt it : singles) {
      Unite(it->a, it->b);
      files_[it->a]->proven.insert(files_[it->b]->id());
    }
  }

  void ByStatement() {
    // Project, experiment; of a name that only a tracker says, the directory.
    std::map<std::tuple<std::string_view, std::string_view, std::string>,
             std::vector<std::size_t>>
        claims;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const RunStatement& s = files_[i]->statement();
      if (!s.experiment.empty()) {
        std::string home = s.by_tracker ? HomeOf(*files_[i]) : std::string();
        claims[{s.project, s.experiment, std::move(home)}].push_back(i);
      }
    }
    std::map<std::size_t, JoinedSources> parts;
    for (const auto& [name, indices] : claims) {
      if (parts.empty()) {
        for (std::size_t i = 0; i < files_.size(); ++i) {
          parts[Root(i)].push_back(files_[i]);
        }
      }
      UniteIfOne(indices, &parts);
    }
  }

  // Files that state one name: one run, unless any two of them contradict.
  void UniteIfOne(const std::vector<std::size_t>& indices,
                  std::map<std::size_t, JoinedSources>* parts) {
    std::vector<std::size_t> roots;
    roots.reserve(indices.size());
    for (const std::size_t i : indices) roots.push_back(Root(i));
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    if (roots.size() < 2) return;
    std::vector<Execution> executions;
    executions.reserve(roots.size());
    for (const std::size_t r : roots) {
      executions.push_back(ExecutionOf(parts->at(r)));
    }
    for (std::size_t a = 0; a < roots.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (Contradict(executions[a], executions[b])) return;
      }
    }
    JoinedSources& all = parts->at(roots.front());  // the least stays the root
    for (std::size_t i = 1; i < roots.size(); ++i) {
      Unite(roots.front(), roots[i]);
      const JoinedSources& more = parts->at(roots[i]);
      all.insert(all.end(), more.begin(), more.end());
    }
  }

  std::vector<JoinedSources> Clusters() {
    std::map<std::size_t, JoinedSources> parts;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      parts[Root(i)].push_back(files_[i]);
    }
    std::vector<JoinedSources> out;
    out.reserve(parts.size());
    for (auto& [root, sources] : parts) out.push_back(std::move(sources));
    return out;
  }

  const std::vector<TrackedFile*>& files_;
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<JoinedSources> JoinSources(const std::vector<TrackedFile*>& files) {
  return JoinSiblings(Joiner(files).Join());
}

RunIdentity ClaimOf(const JoinedSources& sources) {
  for (const TrackedFile* f : sources) {
    if (!f->aside && f->name().by_pattern) {
      return {f->name().project, f->name().run};
    }
  }
  // The id of its record is what a run is called before anything else of it is
  // there, and at every start again.
  for (const TrackedFile* f : sources) {
    const RunStatement& s = f->statement();
    if (f->aside || !f->is_record() || s.experiment.empty()) continue;
    return {s.project.empty() ? f->name().project : s.project, s.experiment};
  }
  const PathIdentity& path = sources.front()->name();
  const bool has_log =
      std::any_of(sources.begin(), sources.end(), [](const TrackedFile* f) {
        return !f->aside && !IsMetricsFile(f->kind()) &&
               f->kind() != SourceKind::kWandb;
      });
  for (const TrackedFile* f : sources) {
    const RunStatement& s = f->statement();
    if (f->aside || s.experiment.empty() || (s.by_tracker && has_log)) continue;
    const bool same = s.project.empty() && path.run == s.experiment;
    return {same ? path.project : s.project, s.experiment};
  }
  return {path.project, path.run};
}

}  // namespace rlrun
