#include "exporter/app/run_ids.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "exporter/app/run_trails.h"
#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

using Files = std::vector<TrackedFile*>;
using Match = FirstStep::Match;

// Of `run-<id>.wandb`; empty: the file is called otherwise.
std::string WandbId(const TrackedFile& file) {
  constexpr std::string_view kRun = "run-";
  if (file.kind() != SourceKind::kWandbFile) return {};
  const std::string stem = FileStem(file.path());
  return stem.starts_with(kRun) ? stem.substr(kRun.size()) : std::string();
}

// One of the directories lies in the other, or they are the same.
bool InOneTree(const std::string& a, const std::string& b) {
  const auto holds = [](const std::string& above, const std::string& path) {
    return (path + "/").starts_with(above + "/");
  };
  return holds(a, b) || holds(b, a);
}

// Older stores gave W&B the front of a run's id and did not write it down.
std::optional<std::size_t> RecordByFront(const TrackedFile& file,
                                         const Files& files) {
  constexpr std::size_t kFront = 8;
  const std::string id = WandbId(file);
  if (id.size() != kFront) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i]->is_record()) continue;
    const RunRecord& record = files[i]->run().record->record;
    if (!record.id.starts_with(id)) continue;
    if (!record.metric_run_id.empty()) return std::nullopt;
    if (found && files[*found]->run().record->record.id != record.id) {
      return std::nullopt;
    }
    if (!found) found = i;
  }
  return found;
}

// By which a file may mean a record, the surest first.
std::vector<std::string> RecordNames(const TrackedFile& file) {
  std::vector<std::string> names;
  const auto add = [&names](std::string_view name) {
    if (!name.empty()) names.emplace_back(name);
  };
  const auto& facts = file.run().facts;
  if (facts != nullptr) add(facts->training_run_id.value_or(""));
  add(file.wandb_id());
  const std::string stem = FileStem(file.path());
  add(stem);
  add(file.name().run);
  add(file.statement().experiment);
  // `run-20260302_090000-<id>`: W&B's directory of a run.
  const std::string& run = file.name().run;
  if (run.starts_with("run-") || run.starts_with("offline-run-")) {
    add(std::string_view(run).substr(run.rfind('-') + 1));
  }
  return names;
}

}  // namespace

// What a record is called by; a name that two records have is none's.
IndexPairs RecordPairs(const Files& files) {
  IndexPairs out;
  std::unordered_map<std::string, std::optional<std::size_t>> records;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i]->is_record()) continue;
    const RunRecord& record = files[i]->run().record->record;
    std::set<std::string> names = {record.id, record.app_name, record.app_id,
                                   record.metric_run_id};
    names.erase("");
    for (const std::string& name : names) {
      const auto [it, is_new] = records.emplace(name, i);
      if (is_new || !it->second) continue;
      // Copies of one record are of one run.
      const bool same =
          files[*it->second]->run().record->record.id == record.id;
      if (!same) it->second.reset();
    }
  }
  if (records.empty()) return out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i]->is_record()) continue;
    for (const std::string& name : RecordNames(*files[i])) {
      const auto it = records.find(name);
      if (it == records.end() || !it->second) continue;
      out.emplace_back(i, *it->second);
      break;
    }
    const std::optional<std::size_t> record = RecordByFront(*files[i], files);
    if (record) out.emplace_back(i, *record);
  }
  return out;
}

IndexPairs WandbIdPairs(const std::vector<TrackedFile*>& files) {
  IndexPairs out;
  std::unordered_map<std::string, std::vector<std::size_t>> by_id;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string id = WandbId(*files[i]);
    if (!id.empty()) by_id[std::move(id)].push_back(i);
  }
  if (by_id.empty()) return out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto it = by_id.find(files[i]->wandb_id());
    if (it == by_id.end()) continue;
    // Of several copies, the one in its tree.
    std::vector<std::size_t> found = it->second;
    if (found.size() > 1) {
      const std::string home = ParentOf(files[i]->path());
      std::erase_if(found, [&](std::size_t k) {
        return !InOneTree(HomeOf(*files[k]), home);
      });
    }
    if (found.size() == 1 &&
        files[i]->CompareFirst(*files[found.front()]) != Match::kDifferent) {
      out.emplace_back(i, found.front());
    }
  }
  return out;
}

}  // namespace rlrun
