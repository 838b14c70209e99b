#include "exporter/app/run_metric_files.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

using Pairs = IndexPairs;
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

// A time of the first step leads to the few files to compare with.
class ByFirstStep {
 public:
  explicit ByFirstStep(const std::vector<TrackedFile*>& files) : files_(files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      ForEachTime(i, [&](const Key& key, double time) {
        by_time_[key].emplace(time, i);
      });
    }
  }

  void Pair(Pairs* out) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!IsMetricsFile(files_[i]->kind())) continue;
      ForEachTime(i, [&](const Key& key, double time) {
        PairByTime(i, by_time_.at(key), time, out);
      });
    }
    std::sort(out->begin(), out->end());
    out->erase(std::unique(out->begin(), out->end()), out->end());
  }

 private:
  // Of a time: whose first step, which step, which key.
  using Key = std::tuple<bool, std::int64_t, std::uint64_t>;
  using Times = std::multimap<double, std::size_t>;

  template <class F>
  void ForEachTime(std::size_t i, F f) const {
    for (const bool rollout : {false, true}) {
      const FirstStep& first =
          rollout ? files_[i]->first_rollout() : files_[i]->first_step();
      for (const auto& [key, time] : first.TellingTimes()) {
        f(Key{rollout, *first.step(), key}, time);
      }
    }
  }

  void PairByTime(std::size_t i, const Times& times, double time,
                  Pairs* out) const {
    const double slack = FirstStep::kAbsolute + FirstStep::kRelative * time;
    const auto end = times.upper_bound(time + slack);
    for (auto it = times.lower_bound(time - slack); it != end; ++it) {
      const std::size_t k = it->second;
      if (k != i && files_[i]->CompareFirst(*files_[k]) == Match::kSame) {
        out->emplace_back(std::min(i, k), std::max(i, k));
      }
    }
  }

  const std::vector<TrackedFile*>& files_;
  std::map<Key, Times> by_time_;
};

}  // namespace

IndexPairs MetricFilePairs(const std::vector<TrackedFile*>& files) {
  Pairs out;
  const bool any = std::any_of(
      files.begin(), files.end(),
      [](const TrackedFile* f) { return IsMetricsFile(f->kind()); });
  if (!any) return out;
  PairByWandbDirectory(files, &out);
  PairByEventDirectory(files, &out);
  ByFirstStep(files).Pair(&out);
  return out;
}

bool MetricsContradict(const std::vector<TrackedFile*>& a,
                       const std::vector<TrackedFile*>& b) {
  bool differ = false;
  for (const TrackedFile* f : a) {
    for (const TrackedFile* g : b) {
      if (!IsMetricsFile(f->kind()) && !IsMetricsFile(g->kind())) continue;
      const Match match = f->CompareFirst(*g);
      if (match == Match::kSame) return false;
      differ = differ || match == Match::kDifferent;
    }
  }
  return differ;
}

}  // namespace rlrun
