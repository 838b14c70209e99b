#include "exporter/process/assign.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "exporter/process/names.h"

namespace rlrun {
namespace {

// Indices of keys, sorted, each once.
using Runs = std::vector<std::size_t>;

void Add(std::size_t run, Runs* runs) {
  const auto at = std::lower_bound(runs->begin(), runs->end(), run);
  if (at == runs->end() || *at != run) runs->insert(at, run);
}

Runs Both(const Runs& a, const Runs& b) {
  Runs both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(both));
  return both;
}

struct Choice {
  Runs runs;  // one: decided; more: it fits several
  MatchedBy by = MatchedBy::kNone;
};

class Assigner {
 public:
  Assigner(const ProcessTable& table, const std::vector<RunKey>& runs)
      : table_(table), runs_(runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].experiment.empty()) {
        by_experiment_.emplace(runs[i].experiment, i);
      }
      for (const RunKey::Log& log : runs[i].logs) {
        if (log.file.inode != 0) by_file_.emplace(log.file, i);
      }
    }
  }

  Assignments Run() {
    for (const auto& [pid, entry] : table_.entries()) {
      if (!entry.ended && entry.command.kind == ProgramKind::kTee) Tee(entry);
    }
    for (const auto& [pid, entry] : table_.entries()) {
      if (!entry.ended) Decide(entry);
    }
    DescendFromRuns();
    AscendFromTrainers();
    for (const auto& [pid, entry] : table_.entries()) {
      if (!entry.ended && IsUndecided(entry)) result_.undecided.push_back(pid);
    }
    return std::move(result_);
  }

 private:
  void Put(const ProcessEntry& entry, std::size_t run, MatchedBy by) {
    Assignment assignment{run, by, entry.command.role, 3};
    if (entry.command.kind == ProgramKind::kRayWorker) assignment.rank = 2;
    if (entry.command.kind == ProgramKind::kPython &&
        entry.command.role == ProcessRole::kNone) {
      assignment.role = ProcessRole::kTrainer;
      assignment.rank = 1;
    }
    result_.by_pid.emplace(entry.pid, assignment);
  }

  // Learns of which run's log this `tee` is.
  void Tee(const ProcessEntry& entry) {
    Runs runs = WithOpenFile(entry);
    if (runs.empty()) runs = NamedInWords(entry);
    if (runs.size() != 1) return;
    Put(entry, runs[0], MatchedBy::kOpenFile);
    if (entry.pipe_in) Add(runs[0], &by_pipe_[*entry.pipe_in]);
    if (entry.group > 0) Add(runs[0], &by_group_[entry.group]);
    if (entry.session > 0) Add(runs[0], &by_session_[entry.session]);
  }

  void Decide(const ProcessEntry& entry) {
    const bool holder = entry.command.kind == ProgramKind::kPython;
    const bool raylet = entry.command.kind == ProgramKind::kRaylet;
    if (entry.command.role == ProcessRole::kNone && !holder && !raylet) return;
    Choice choice = ByLog(entry);
    if (entry.command.role != ProcessRole::kNone || raylet) {
      choice = entry.command.experiment || entry.experiment
                   ? ByStatement(entry, choice)
                   : ByCompany(entry, choice);
    }
    if (choice.runs.size() == 1) {
      Put(entry, choice.runs[0], choice.by);
    } else if (choice.runs.size() > 1) {
      ambiguous_.push_back(entry.pid);
    }
  }

  Runs WithOpenFile(const ProcessEntry& entry) const {
    Runs runs;
    for (const FileIdentity& file : entry.files) {
      const auto [begin, end] = by_file_.equal_range(file);
      for (auto it = begin; it != end; ++it) Add(it->second, &runs);
    }
    return runs;
  }

  // The run whose log it writes, itself or through a pipe.
  Choice ByLog(const ProcessEntry& entry) const {
    Choice choice{WithOpenFile(entry), MatchedBy::kOpenFile};
    if (!choice.runs.empty()) return choice;
    choice.by = MatchedBy::kPipeline;
    for (const FileIdentity& pipe : entry.pipes_out) {
      const auto found = by_pipe_.find(pipe);
      if (found == by_pipe_.end()) continue;
      for (const std::size_t run : found->second) Add(run, &choice.runs);
    }
    return choice;
  }

  Choice ByStatement(const ProcessEntry& entry, const Choice& log) const {
    const bool argument = entry.command.experiment.has_value();
    const std::string& name =
        argument ? *entry.command.experiment : *entry.experiment;
    Choice named{{}, argument ? MatchedBy::kArgument : MatchedBy::kEnvironment};
    Runs of_project;
    Runs possible;  // no other project is stated
    const auto& project =
        entry.command.project ? entry.command.project : entry.project;
    const auto [begin, end] = by_experiment_.equal_range(name);
    for (auto it = begin; it != end; ++it) {
      const RunKey& run = runs_[it->second];
      Add(it->second, &named.runs);
      if (!project || run.project.empty()) Add(it->second, &possible);
      if (project && run.project == *project) Add(it->second, &of_project);
    }
    if (named.runs.empty()) return log.runs.size() == 1 ? log : Choice{};
    // Nothing proves more than the log, if the name agrees.
    const Runs agreed = Both(named.runs, log.runs);
    named.runs = !agreed.empty()      ? agreed
                 : of_project.empty() ? possible
                                      : of_project;
    return named;
  }

  Choice ByCompany(const ProcessEntry& entry, const Choice& log) const {
    if (log.runs.size() == 1) return log;
    const Runs named = NamedInWords(entry);
    const Runs agreed = Both(named, log.runs);
    if (!agreed.empty()) return {agreed, MatchedBy::kPath};
    if (!named.empty()) return {named, MatchedBy::kPath};
    if (!log.runs.empty()) return log;
    const auto group = by_group_.find(entry.group);
    if (group != by_group_.end()) return {group->second, MatchedBy::kGroup};
    const auto session = by_session_.find(entry.session);
    if (session != by_session_.end()) {
      return {session->second, MatchedBy::kGroup};
    }
    return {};
  }

  // By paths of the run, else by its name, of which the longest counts: it may
  // hold a shorter one.
  Runs NamedInWords(const ProcessEntry& entry) const {
    Runs by_path;
    Runs by_name;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const RunKey& run = runs_[i];
      for (const std::string& word : entry.command.words) {
        bool path = NamesPath(word, run.trial_dir);
        for (const RunKey::Log& log : run.logs) {
          path = path || NamesPath(word, log.path);
        }
        if (path) Add(i, &by_path);
        const std::size_t length = run.experiment.size();
        if (length < longest || !NamesWord(word, run.experiment)) continue;
        if (length > longest) by_name.clear();
        longest = length;
        Add(i, &by_name);
      }
    }
    return by_path.empty() ? by_name : by_path;
  }

  // Ray actors are known by a title alone: their run is that of the raylet, or
  // of the driver, from which they descend.
  void DescendFromRuns() {
    for (const auto& [pid, entry] : table_.entries()) {
      if (!entry.ended && entry.command.kind == ProgramKind::kRayWorker &&
          entry.command.role != ProcessRole::kNone) {
        Descend(entry);
      }
    }
  }
  void Descend(const ProcessEntry& entry) {
    if (result_.by_pid.contains(entry.pid)) return;
    Climb(entry, [&](const ProcessEntry& ancestor) {
      const auto found = result_.by_pid.find(ancestor.pid);
      if (found == result_.by_pid.end()) return true;
      const std::size_t run = found->second.run;
      Put(entry, run, MatchedBy::kTree);
      return false;
    });
  }

  // The scripts around a trainer are its runners.
  void AscendFromTrainers() {
    std::vector<std::pair<std::int64_t, std::size_t>> trainers;
    for (const auto& [pid, assignment] : result_.by_pid) {
      if (assignment.role == ProcessRole::kTrainer) {
        trainers.emplace_back(pid, assignment.run);
      }
    }
    for (const auto& [pid, run] : trainers) {
      Climb(*table_.Find(pid), [&, run = run](const ProcessEntry& ancestor) {
        if (ancestor.command.role == ProcessRole::kRunner && !ancestor.ended &&
            !ancestor.command.experiment &&
            !result_.by_pid.contains(ancestor.pid)) {
          Put(ancestor, run, MatchedBy::kTree);
        }
        return true;
      });
    }
  }

  // From the parent up, until `visit` returns false.
  void Climb(const ProcessEntry& entry,
             const std::function<bool(const ProcessEntry&)>& visit) const {
    constexpr int kHighest = 16;
    const ProcessEntry* at = &entry;
    for (int i = 0; i < kHighest; ++i) {
      at = table_.Parent(*at);
      if (at == nullptr || !visit(*at)) return;
    }
  }

  bool IsUndecided(const ProcessEntry& entry) const {
    if (result_.by_pid.contains(entry.pid)) return false;
    if (entry.unreadable) return true;
    if (entry.command.role == ProcessRole::kNone) return false;
    if (std::find(ambiguous_.begin(), ambiguous_.end(), entry.pid) !=
        ambiguous_.end()) {
      return true;
    }
    const bool stated = entry.command.experiment || entry.experiment;
    return !stated && (entry.environment_unread || entry.descriptors_unread);
  }

  const ProcessTable& table_;
  const std::vector<RunKey>& runs_;
  std::multimap<std::string_view, std::size_t> by_experiment_;
  std::multimap<FileIdentity, std::size_t> by_file_;
  std::map<FileIdentity, Runs> by_pipe_;
  std::map<std::int64_t, Runs> by_group_;
  std::map<std::int64_t, Runs> by_session_;
  std::vector<std::int64_t> ambiguous_;
  Assignments result_;
};

}  // namespace

Assignments Assign(const ProcessTable& table, const std::vector<RunKey>& runs) {
  return Assigner(table, runs).Run();
}

}  // namespace rlrun
