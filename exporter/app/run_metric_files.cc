#include "exporter/app/run_metric_files.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Match = FirstStep::Match;

void PairByWandbDirectory(const std::vector<TrackedFile*>& files, Pairs* out) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto pair = [&](std::string_view path) {
      const std::string_view directory = WandbRunDirectory(path);
      if (directory.empty()) return;
      const auto [it, first] = seen.emplace(directory, i);
      if (!first && it->second != i) out->emplace_back(it->second, i);
    };
    pair(files[i]->path());
    for (const std::string& path : files[i]->text_paths()) pair(path);
  }
}

void PairByEventDirectory(const std::vector<TrackedFile*>& files, Pairs* out) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i]->kind() != SourceKind::kTensorboard) continue;
    const auto [it, first] = seen.emplace(ParentOf(files[i]->path()), i);
    if (!first) out->emplace_back(it->second, i);
  }
  for (const auto& [directory, i] : seen) {
    const auto above = seen.find(ParentOf(directory));
    if (above != seen.end() && above->first != directory) {
      out->emplace_back(above->second, i);
    }
  }
}

// The longest time of the first step leads to the few files to compare with.
void PairByFirstStep(const std::vector<TrackedFile*>& files, Pairs* out) {
  using Key = std::pair<std::int64_t, double>;
  std::multimap<Key, std::size_t> by_time;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FirstStep& first = files[i]->first_step();
    if (first.step() && first.longest() > 0) {
      by_time.emplace(Key{*first.step(), first.longest()}, i);
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FirstStep& first = files[i]->first_step();
    if (!IsMetricsFile(files[i]->kind()) || !first.step()) continue;
    const double slack =
        FirstStep::kAbsolute + FirstStep::kRelative * std::abs(first.longest());
    auto it = by_time.lower_bound({*first.step(), first.longest() - slack});
    const auto end =
        by_time.upper_bound({*first.step(), first.longest() + slack});
    for (; it != end; ++it) {
      const std::size_t k = it->second;
      if (k != i && first.Compare(files[k]->first_step()) == Match::kSame) {
        out->emplace_back(std::min(i, k), std::max(i, k));
      }
    }
  }
}

}  // namespace

Pairs MetricFilePairs(const std::vector<TrackedFile*>& files) {
  Pairs out;
  const bool any = std::any_of(
      files.begin(), files.end(),
      [](const TrackedFile* f) { return IsMetricsFile(f->kind()); });
  if (!any) return out;
  PairByWandbDirectory(files, &out);
  PairByEventDirectory(files, &out);
  PairByFirstStep(files, &out);
  return out;
}

bool MetricsContradict(const std::vector<TrackedFile*>& a,
                       const std::vector<TrackedFile*>& b) {
  bool differ = false;
  for (const TrackedFile* f : a) {
    for (const TrackedFile* g : b) {
      if (!IsMetricsFile(f->kind()) && !IsMetricsFile(g->kind())) continue;
      const Match match = f->first_step().Compare(g->first_step());
      if (match == Match::kSame) return false;
      differ = differ || match == Match::kDifferent;
    }
  }
  return differ;
}

}  // namespace rlrun
