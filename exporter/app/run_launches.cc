#include "exporter/app/run_launches.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

using Files = std::vector<TrackedFile*>;

// The last two segments of a path; empty: it has fewer.
std::string_view Tail(std::string_view path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string_view::npos || last == 0) return {};
  const std::size_t before = path.rfind('/', last - 1);
  if (before == std::string_view::npos) return path;
  return path.substr(before + 1);
}

// By the path that a launcher announces.
void PairByName(const Files& files, IndexPairs* out) {
  const bool any = std::any_of(
      files.begin(), files.end(),
      [](const TrackedFile* f) { return !f->statement().train_log.empty(); });
  if (!any) return;
  std::unordered_map<std::string_view, std::size_t> by_path;
  std::map<std::pair<std::size_t, std::string_view>, std::vector<std::size_t>>
      by_tail;
  for (std::size_t i = 0; i < files.size(); ++i) {
    by_path.emplace(files[i]->path(), i);
    by_path.emplace(files[i]->listed(), i);
    by_tail[{files[i]->root_number(), Tail(files[i]->path())}].push_back(i);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string_view named = files[i]->statement().train_log;
    if (named.empty()) continue;
    if (const auto it = by_path.find(named); it != by_path.end()) {
      out->emplace_back(i, it->second);
      continue;
    }
    const std::string_view tail = Tail(named);
    if (tail.empty()) continue;
    const auto it = by_tail.find({files[i]->root_number(), tail});
    if (it != by_tail.end() && it->second.size() == 1) {
      out->emplace_back(i, it->second.front());
    }
  }
}

// The output of a launcher that names no log: of the log beside it, or of the
// one of several with the same first line.
void PairByDirectory(const Files& files, IndexPairs* out) {
  std::map<std::string, std::vector<std::size_t>> logs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const TrackedFile& launch = *files[i];
    if (!IsLaunchName(launch.path()) || !launch.statement().train_log.empty()) {
      continue;
    }
    if (logs.empty()) {
      for (std::size_t k = 0; k < files.size(); ++k) {
        if (files[k]->kind() == SourceKind::kLog) {
          logs[ParentOf(files[k]->path())].push_back(k);
        }
      }
    }
    const auto it = logs.find(ParentOf(launch.path()));
    if (it == logs.end()) continue;
    for (const std::size_t log : it->second) {
      if (it->second.size() == 1 ||
          (launch.first_values() &&
           launch.first_values() == files[log]->first_values())) {
        out->emplace_back(i, log);
        break;
      }
    }
  }
}

}  // namespace

IndexPairs LaunchPairs(const std::vector<TrackedFile*>& files) {
  IndexPairs out;
  PairByName(files, &out);
  PairByDirectory(files, &out);
  return out;
}

}  // namespace rlrun
