#include "exporter/trials/step_directory.h"

#include <algorithm>
#include <vector>

#include "exporter/trials/file_text.h"
#include "exporter/trials/split.h"
#include "parsers/formats/trial_result.h"

namespace rlrun {
namespace {

// A directory that changed this shortly (seconds) before it was listed may
// change again within the same time stamp.
constexpr double kMtimeGranularity = 3;
constexpr double kLongestWait = 86400;
constexpr std::size_t kMaxConfigBytes = 4u << 20;

std::uint64_t HashName(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

double Seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

bool StepDirectory::Pass(TrialScan* scan) {
  if (!in_pass_) {
    if (!scan->go_on()) return false;
    if (!List(scan)) return true;
    in_pass_ = true;
    cursor_.clear();
  }
  auto it = running_.lower_bound(cursor_);
  while (it != running_.end()) {
    if (it->second.due > scan->steady) {
      ++it;
      continue;
    }
    if (!scan->go_on()) {
      cursor_ = it->first;
      return false;
    }
    const Outcome outcome = Try(it->first, &it->second, scan);
    it = outcome == Outcome::kRunning ? std::next(it) : running_.erase(it);
  }
  in_pass_ = false;
  Plan(scan);
  return true;
}

// False: the directory is not there now, or did not answer.
bool StepDirectory::List(TrialScan* scan) {
  FileStat stat;
  const double wait = scan->options.interval * scan->slower;
  const IoStatus status = scan->source.Stat(path_, &stat);
  if (!status.ok()) {
    if (status.code == IoCode::kNotFound) running_.clear();
    due_ = scan->steady + wait;
    return false;
  }
  if (listed_ && mtime_settled_ && stat.mtime_ns == mtime_ns_) return true;
  std::vector<DirEntry> entries;
  if (!scan->source.List(path_, &entries).ok()) {
    due_ = scan->steady + wait;
    return false;
  }
  listed_ = true;
  if (stat.mtime_ns != mtime_ns_) settled_wait_ = 0;
  mtime_ns_ = stat.mtime_ns;
  changed_ = Seconds(stat.mtime_ns);
  mtime_settled_ = scan->wall - *changed_ > kMtimeGranularity;
  TakeEntries(entries, scan);
  return true;
}

void StepDirectory::TakeEntries(const std::vector<DirEntry>& entries,
                                TrialScan* scan) {
  for (const DirEntry& entry : entries) {
    const bool may_be = entry.kind == FileKind::kDirectory ||
                        entry.kind == FileKind::kSymlink ||
                        entry.kind == FileKind::kUnknown;
    if (!may_be || finished_.contains(HashName(entry.name)) ||
        running_.contains(entry.name)) {
      continue;
    }
    if (const auto known = scan->cache.Take(name_ + "/" + entry.name)) {
      finished_.insert(HashName(entry.name));
      scan->totals.of(SplitOfTask(known->task_path, scan->options))
          .Count(*known);
      continue;
    }
    running_.try_emplace(entry.name);
  }
}

StepDirectory::Outcome StepDirectory::Try(const std::string& name,
                                          Running* trial, TrialScan* scan) {
  FileText file;
  const IoStatus status =
      ReadFileText(scan->source, path_ + "/" + name + "/result.json",
                   scan->options.max_result_bytes, &file);
  if (status.code == IoCode::kNotFound) return Look(name, trial, scan);
  if (!status.ok()) {
    if (!trial->unreadable) ++scan->totals.unreadable_results;
    trial->unreadable = true;
    trial->due = scan->steady + scan->options.settled_interval;
    return Outcome::kRunning;
  }
  trial->unreadable = false;
  TrialResult result;
  if (!file.too_large &&
      ParseTrialResult(std::move(file.text), &result) == TrialParse::kOk) {
    Finish(name, result, scan);
    scan->cache.Keep(name_ + "/" + name, result);
    return Outcome::kFinished;
  }
  const double modified = Seconds(file.stat.mtime_ns);
  if (scan->wall - modified > scan->options.give_up_after) {
    ++scan->totals.unreadable_results;
    Finish(name, TrialResult(), scan);
    return Outcome::kFinished;
  }
  return Unfinished(modified, trial, scan);
}

// No result yet: since when it runs and what for, asked once.
StepDirectory::Outcome StepDirectory::Look(const std::string& name,
                                           Running* trial, TrialScan* scan) {
  if (!trial->looked) {
    const std::string path = path_ + "/" + name;
    FileText file;
    const IoStatus status = ReadFileText(scan->source, path + "/config.json",
                                         kMaxConfigBytes, &file);
    TrialResult config;
    if (status.ok()) {
      trial->since = Seconds(file.stat.mtime_ns);
      // Its own fields stand where a result has them below `config`.
      if (ParseTrialResult("{\"config\":" + file.text + "}", &config) ==
          TrialParse::kOk) {
        trial->split = SplitOfTask(config.task_path, scan->options);
        trial->looked = true;
      }
    } else {
      FileStat stat;
      if (!scan->source.Stat(path, &stat).ok()) return Outcome::kGone;
      if (stat.kind != FileKind::kDirectory) return Outcome::kGone;
      if (!trial->since) trial->since = Seconds(stat.mtime_ns);
    }
  }
  return Unfinished(trial->since.value_or(scan->wall), trial, scan);
}

StepDirectory::Outcome StepDirectory::Unfinished(double modified,
                                                 Running* trial,
                                                 TrialScan* scan) {
  if (!trial->since) trial->since = modified;
  // What has been silent for long is asked ever more rarely.
  const double age = scan->wall - *trial->since;
  double wait = scan->options.interval * scan->slower;
  if (age > 2 * scan->options.stuck_after) {
    wait = std::clamp(age / 20, wait, scan->options.settled_interval);
  }
  trial->due = scan->steady + wait;
  return Outcome::kRunning;
}

void StepDirectory::Finish(const std::string& name, const TrialResult& result,
                           TrialScan* scan) {
  finished_.insert(HashName(name));
  scan->totals.of(SplitOfTask(result.task_path, scan->options)).Count(result);
}

// When this directory is looked at again.
void StepDirectory::Plan(TrialScan* scan) {
  const TrialOptions& options = scan->options;
  const double wait = options.interval * scan->slower;
  const bool settled = running_.empty() && mtime_settled_ && changed_ &&
                       scan->wall - *changed_ > options.settle_after;
  if (settled) {
    settled_wait_ = std::min(
        std::max(2 * settled_wait_, options.settled_interval), kLongestWait);
    due_ = scan->steady + settled_wait_;
  } else {
    settled_wait_ = 0;
    due_ = scan->steady + wait;
  }
}

void StepDirectory::CountRunning(
    double wall, const std::array<double, kTrialSplits>& stuck_after,
    TrialTotals* totals) const {
  for (const auto& [name, trial] : running_) {
    if (trial.unreadable || !trial.since) continue;
    TrialSplitTotals& split = totals->of(trial.split);
    const double limit = stuck_after[static_cast<std::size_t>(trial.split)];
    ++(wall - *trial.since > limit ? split.stuck : split.running);
  }
}

}  // namespace rlrun
