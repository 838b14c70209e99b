#include "exporter/process/process_table.h"

#include <unistd.h>

#include <algorithm>

namespace rlrun {
namespace {

bool IsOfInterest(const ProcessEntry& entry) {
  return entry.command.role != ProcessRole::kNone ||
         entry.command.kind == ProgramKind::kTee ||
         entry.command.kind == ProgramKind::kRaylet;
}

void Take(const OpenDescriptor& open, ProcessEntry* entry) {
  if (open.kind == OpenDescriptor::Kind::kRegular) {
    entry->files.push_back(open.file);
  } else if (open.number == 0) {
    entry->pipe_in = open.file;
  } else if (open.number <= 2) {
    entry->pipes_out.push_back(open.file);
  }
}

void ForgetDescriptors(ProcessEntry* entry) {
  entry->files.clear();
  entry->pipes_out.clear();
  entry->pipe_in.reset();
  entry->descriptors_unread = false;
}

}  // namespace

ProcessTable::ProcessTable(const ProcessOptions& options)
    : options_(options),
      proc_(options),
      ticks_per_second_(static_cast<double>(::sysconf(_SC_CLK_TCK))) {}

const ProcessEntry* ProcessTable::Find(std::int64_t pid) const {
  const auto found = entries_.find(pid);
  return found == entries_.end() ? nullptr : &found->second;
}

const ProcessEntry* ProcessTable::Parent(const ProcessEntry& entry) const {
  const ProcessEntry* parent = Find(entry.parent);
  // A parent is older than its child.
  if (parent == nullptr || parent->start_ticks > entry.start_ticks) {
    return nullptr;
  }
  return parent;
}

void ProcessTable::Watch(std::int64_t pid, bool watched) {
  const auto found = entries_.find(pid);
  if (found != entries_.end()) found->second.watched = watched;
}

ProcessTable::Result ProcessTable::Update(double now) {
  Result result;
  std::vector<ProcFs::Pid> pids;
  if (proc_.List(&pids) != ProcCode::kOk) return result;
  result.listed = true;
  result.hidden = !proc_.saw_first();
  boot_time_read_ = false;

  std::unordered_map<std::int64_t, ProcessEntry> before;
  before.swap(entries_);
  entries_.reserve(pids.size());
  std::vector<ProcessEntry*> again;
  std::size_t inspections = 0;
  for (const ProcFs::Pid& pid : pids) {
    const auto known = before.find(pid.pid);
    if (known != before.end()) {
      ProcessEntry& entry = entries_[pid.pid] = std::move(known->second);
      if (entry.inode != pid.inode) entry.inspected = -1;  // due
      entry.inode = pid.inode;
      again.push_back(&entry);
      continue;
    }
    if (inspections++ >= options_.max_inspections) {
      ++result.not_inspected;
      continue;
    }
    ProcessEntry entry;
    entry.pid = pid.pid;
    entry.inode = pid.inode;
    entry.first_seen = now;
    if (Inspect(now, &entry)) entries_.emplace(pid.pid, std::move(entry));
  }
  // New processes come first; a known one can wait for the next update.
  for (ProcessEntry* entry : again) {
    bool there = true;
    if (IsDue(now, *entry) && inspections++ < options_.max_inspections) {
      there = Inspect(now, entry);
    } else if (entry->watched || IsOfInterest(*entry)) {
      there = LookAgain(now, entry);
    }
    if (!there) entries_.erase(entry->pid);
  }
  return result;
}

bool ProcessTable::IsDue(double now, const ProcessEntry& entry) const {
  if (entry.inspected < 0 || now < entry.inspected) return true;
  const double age = now - entry.start_time.value_or(entry.first_seen);
  if (age < options_.young) return true;
  // Spread, so that those first seen together are not due together.
  const double spread = 0.5 + static_cast<double>(entry.pid % 64) / 64;
  const double interval = std::clamp(
      age / 8, options_.young, std::max(options_.young, options_.max_recheck));
  return now - entry.inspected >= interval * spread;
}

std::optional<double> ProcessTable::StartTime(std::uint64_t ticks) {
  if (!boot_time_read_) {
    boot_time_read_ = true;
    if (const auto boot = proc_.BootTime()) boot_time_ = boot;
  }
  if (!boot_time_) return std::nullopt;
  return static_cast<double>(*boot_time_) +
         static_cast<double>(ticks) / ticks_per_second_;
}

bool ProcessTable::Inspect(double now, ProcessEntry* entry) {
  PidStat stat;
  ProcCode code = proc_.Stat(entry->pid, &stat);
  if (code == ProcCode::kGone) return false;
  const bool stat_read = code == ProcCode::kOk;
  if (stat_read && stat.start_ticks != entry->start_ticks) {
    // New to us, or another process under the same pid. The start time is
    // computed once: the boot time moves by a second as clocks are slewed.
    ProcessEntry fresh;
    fresh.pid = entry->pid;
    fresh.inode = entry->inode;
    fresh.first_seen = now;
    fresh.start_ticks = stat.start_ticks;
    fresh.start_time = StartTime(stat.start_ticks);
    *entry = std::move(fresh);
  }
  entry->inspected = now;
  if (stat_read) {
    entry->parent = stat.parent;
    entry->group = stat.group;
    entry->session = stat.session;
    entry->ended = stat.ended();
  }
  entry->command = Command();
  entry->experiment.reset();
  entry->project.reset();
  entry->environment_unread = false;
  entry->unreadable = false;
  ForgetDescriptors(entry);
  if (entry->ended) return true;
  std::vector<std::string> arguments;
  code = proc_.Command(entry->pid, &arguments);
  if (code == ProcCode::kGone) return false;
  entry->unreadable = !stat_read || code != ProcCode::kOk;
  entry->command = ReadCommand(arguments);
  if (IsOfInterest(*entry)) {
    ReadEnvironment(entry);
    ReadDescriptors(entry);
    return true;
  }
  if (entry->command.kind == ProgramKind::kPython) ReadOutputs(entry);
  entry->command.words = {};  // nobody asks for them
  return true;
}

bool ProcessTable::LookAgain(double now, ProcessEntry* entry) {
  PidStat stat;
  const ProcCode code = proc_.Stat(entry->pid, &stat);
  if (code == ProcCode::kGone) return false;
  if (code != ProcCode::kOk) return true;  // what was known stays
  if (stat.start_ticks != entry->start_ticks) return Inspect(now, entry);
  entry->parent = stat.parent;
  entry->ended = stat.ended();
  if (entry->ended) return true;
  // A log may be opened late. Who states its run need not be asked again.
  const bool stated = entry->command.experiment || entry->experiment;
  if (entry->command.role != ProcessRole::kNone && !stated) {
    ForgetDescriptors(entry);
    ReadDescriptors(entry);
  }
  return true;
}

void ProcessTable::ReadEnvironment(ProcessEntry* entry) {
  static const std::vector<std::string_view> kNames = {
      kExperimentVariables[0], kExperimentVariables[1], kProjectVariables[0],
      kProjectVariables[1]};
  if (entry->command.kind == ProgramKind::kTee) return;
  std::vector<std::pair<std::string, std::string>> variables;
  const ProcCode code = proc_.Environment(entry->pid, kNames, &variables);
  entry->environment_unread = code != ProcCode::kOk && code != ProcCode::kGone;
  for (auto& [name, value] : variables) {  // the most exact ones first
    if (value.empty()) continue;
    const bool project =
        name == kProjectVariables[0] || name == kProjectVariables[1];
    auto& target = project ? entry->project : entry->experiment;
    if (!target) target = std::move(value);
  }
}

void ProcessTable::ReadDescriptors(ProcessEntry* entry) {
  std::vector<OpenDescriptor> descriptors;
  bool cut = false;
  const ProcCode code = proc_.Descriptors(entry->pid, &descriptors, &cut);
  entry->descriptors_unread =
      cut || (code != ProcCode::kOk && code != ProcCode::kGone);
  for (const OpenDescriptor& open : descriptors) Take(open, entry);
}

void ProcessTable::ReadOutputs(ProcessEntry* entry) {
  for (const int number : {1, 2}) {
    std::optional<OpenDescriptor> open;
    const ProcCode code = proc_.Descriptor(entry->pid, number, &open);
    if (code == ProcCode::kDenied) return;
    if (open) Take(*open, entry);
  }
}

}  // namespace rlrun
