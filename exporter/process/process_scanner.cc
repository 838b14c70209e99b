#include "exporter/process/process_scanner.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace rlrun {
namespace {

constexpr std::size_t kTrainer = 0;
constexpr std::size_t kRunner = 1;

}  // namespace

std::string_view MatchedByName(MatchedBy matched) {
  switch (matched) {
    case MatchedBy::kNone:
      return "";
    case MatchedBy::kArgument:
      return "argument";
    case MatchedBy::kEnvironment:
      return "environment";
    case MatchedBy::kOpenFile:
      return "open_file";
    case MatchedBy::kPipeline:
      return "pipeline";
    case MatchedBy::kPath:
      return "path";
    case MatchedBy::kGroup:
      return "group";
    case MatchedBy::kTree:
      return "tree";
  }
  return "";
}

ProcessScanner::ProcessScanner(const ProcessOptions& options)
    : table_(options), nvml_(options.nvml_library) {}

ProcessReport ProcessScanner::Scan(const std::vector<RunKey>& runs,
                                   double now) {
  ProcessReport report;
  const ProcessTable::Result update = table_.Update(now);
  report.listed = update.listed;
  report.hidden = update.hidden;
  report.not_inspected = update.not_inspected;
  for (const auto& [pid, entry] : table_.entries()) {
    report.processes += entry.ended ? 0 : 1;
    report.unreadable += entry.unreadable ? 1 : 0;
  }
  const Assignments assignments = Assign(table_, runs);
  std::vector<std::array<std::vector<Candidate>, kProcessRoles>> candidates(
      runs.size());
  for (const std::int64_t pid : watched_) table_.Watch(pid, false);
  watched_.clear();
  for (const auto& [pid, assignment] : assignments.by_pid) {
    table_.Watch(pid, true);
    watched_.push_back(pid);
    if (assignment.role == ProcessRole::kNone) continue;
    const std::size_t role =
        assignment.role == ProcessRole::kTrainer ? kTrainer : kRunner;
    candidates[assignment.run][role].push_back({table_.Find(pid), assignment});
  }
  std::unordered_map<std::string, RunMemory> memory;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunMemory& run = memory[runs[i].id] = memory_[runs[i].id];
    Judge(candidates[i][kTrainer], update, assignments.undecided, now,
          &run.trainer);
    Judge(candidates[i][kRunner], update, assignments.undecided, now,
          &run.runner);
    for (const Memory* known : {&run.trainer, &run.runner}) {
      if (known->process.presence == Presence::kAlive) {
        table_.Watch(known->process.pid, true);
        watched_.push_back(known->process.pid);
      }
    }
    report.runs.push_back(
        {runs[i].id, run.trainer.process, run.runner.process, std::nullopt});
  }
  memory_ = std::move(memory);
  CountGpus(assignments, now, &report);
  return report;
}

void ProcessScanner::Judge(const std::vector<Candidate>& candidates,
                           const ProcessTable::Result& update,
                           const std::vector<std::int64_t>& undecided,
                           double now, Memory* memory) const {
  RoleProcess& process = memory->process;
  process.incomplete = false;
  if (!update.listed) {
    process.incomplete = true;
    return;
  }
  // The process we know, else the surest and oldest of those that may follow
  // it. What was there beside it is no successor: children that outlive a
  // trainer have its command line and its log.
  const Candidate* best = nullptr;
  const auto order = [&](const Candidate& c) {
    const bool known = c.entry->pid == process.pid &&
                       c.entry->start_ticks == memory->start_ticks;
    return std::tuple(-c.assignment.rank, !known, c.entry->start_ticks,
                      c.entry->pid);
  };
  for (const Candidate& candidate : candidates) {
    const ProcessEntry& entry = *candidate.entry;
    const bool known =
        entry.pid == process.pid && entry.start_ticks == memory->start_ticks;
    if (process.presence != Presence::kNeverSeen && !known &&
        candidate.assignment.rank <= memory->rank &&
        entry.first_seen <= process.last_seen) {
      continue;
    }
    if (best == nullptr || order(candidate) < order(*best)) best = &candidate;
  }
  if (best != nullptr) {
    const ProcessEntry& entry = *best->entry;
    process = {Presence::kAlive,
               entry.pid,
               entry.start_time,
               best->assignment.by,
               now,
               0,
               false};
    memory->start_ticks = entry.start_ticks;
    memory->rank = best->assignment.rank;
    return;
  }
  if (process.presence == Presence::kAlive) {
    const ProcessEntry* entry = table_.Find(process.pid);
    if (entry != nullptr && !entry->ended &&
        entry->start_ticks == memory->start_ticks) {
      // It lives, and only its tie to the run is no longer to be seen.
      process.last_seen = now;
      return;
    }
    process.presence = Presence::kGone;
    process.gone_since = now;
  }
  const bool seen = process.presence == Presence::kGone;
  process.incomplete = update.not_inspected > 0 || (update.hidden && !seen);
  for (const std::int64_t pid : undecided) {
    const ProcessEntry* entry = table_.Find(pid);
    if (!seen || entry->first_seen > process.last_seen) {
      process.incomplete = true;
    }
  }
}

void ProcessScanner::CountGpus(const Assignments& assignments, double now,
                               ProcessReport* report) {
  const auto processes = nvml_.Query(now);
  report->gpus_available = processes.has_value();
  if (!processes) return;
  std::vector<std::set<unsigned>> gpus(report->runs.size());
  bool foreign = false;  // pids of a name space that we do not see
  for (const GpuProcess& process : *processes) {
    const ProcessEntry* at = table_.Find(process.pid);
    foreign = foreign || at == nullptr;
    constexpr int kHighest = 16;
    for (int i = 0; i < kHighest && at != nullptr; ++i) {
      const auto found = assignments.by_pid.find(at->pid);
      if (found != assignments.by_pid.end()) {
        gpus[found->second.run].insert(process.gpu);
        break;
      }
      at = table_.Parent(*at);
    }
  }
  std::vector<bool> alive(report->runs.size());
  for (const auto& [pid, assignment] : assignments.by_pid) {
    alive[assignment.run] = true;
  }
  for (std::size_t i = 0; i < report->runs.size(); ++i) {
    if (!alive[i] || (gpus[i].empty() && foreign)) continue;
    report->runs[i].gpus = gpus[i].size();
  }
}

}  // namespace rlrun
