#include "exporter/app/run_trails.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "exporter/discovery/path_glob.h"
#include "exporter/discovery/source_kind.h"

namespace rlrun {
namespace {

// Seconds between two times of one step: of two trackers that are told at
// once; of a console, whose text may come in blocks.
constexpr double kTrackersLag = 60;
constexpr double kConsoleLag = 600;
// Of the time that is reckoned beyond known times.
constexpr double kVague = 0.2;
// A name of more files says nothing.
constexpr std::size_t kMostOfAName = 64;
constexpr int kMostLevels = 3;  // of directories between two files of a run

enum class Form : std::uint8_t { kConsole = 0, kWandb, kEvents, kState };
constexpr std::uint8_t kForms = 4;

Form FormOf(const TrackedFile& f) {
  switch (f.kind()) {
    case SourceKind::kWandbFile:
      return Form::kWandb;
    case SourceKind::kTensorboard:
      return Form::kEvents;
    case SourceKind::kJsonl:
      return Form::kState;
    default:
      return Form::kConsole;
  }
}

std::string_view LastOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The newest step and when it was written.
struct End {
  std::int64_t step = 0;
  std::optional<double> time;
};
End EndOf(const TrackedFile& f) {
  const Run& run = f.run();
  return {f.trail().newest(),
          run.last_step_time ? run.last_step_time : run.progress.modified_time};
}

// `end`, of a file without times, is when the steps of `timed` say.
bool EndFits(const End& end, const StepTrail& timed) {
  const std::optional<double> then = timed.TimeAt(end.step);
  if (!then || !end.time) return false;
  const double beyond =
      std::max<double>(0, static_cast<double>(end.step - timed.newest())) *
      timed.pace();
  const double slack = std::max(kConsoleLag, kVague * beyond);
  return std::abs(*end.time - *then) <= slack;
}

// Both were left at once, `late` at the same step or a little before: as it is
// where a tree was copied, and all of it is as old as the copy.
bool AreLeftTogether(const TrackedFile& first, const TrackedFile& late) {
  const auto& a = first.run().progress.modified_time;
  const auto& b = late.run().progress.modified_time;
  const std::int64_t steps = first.trail().newest();
  const std::int64_t behind = late.trail().newest();
  return a && b && std::abs(*a - *b) <= kConsoleLag && behind <= steps + 1 &&
         2 * behind >= steps;
}

// A state is written behind its step, and the console goes on.
bool StateFits(const TrackedFile& console, const TrackedFile& state) {
  const auto& a = console.run().progress.modified_time;
  const auto& b = state.run().progress.modified_time;
  return a && b && *b <= *a + kConsoleLag &&
         state.trail().newest() <= console.trail().newest() + 1;
}

// Of files whose values agree. `a` is of the earlier form.
bool TimesFit(const TrackedFile& a, const TrackedFile& b,
              const StepTrail::Likeness& alike, bool nested) {
  if (alike.lag) {
    const bool trackers = IsMetricsFile(a.kind()) && IsMetricsFile(b.kind());
    const double pace = std::max(a.trail().pace(), b.trail().pace());
    return *alike.lag <=
           (trackers ? kTrackersLag : std::max(kConsoleLag, 3 * pace));
  }
  if (b.trail().timed() && EndFits(EndOf(a), b.trail())) return true;
  if (a.trail().timed() && EndFits(EndOf(b), a.trail())) return true;
  if (!nested) return false;
  return FormOf(a) == Form::kConsole && FormOf(b) == Form::kState
             ? StateFits(a, b)
             : AreLeftTogether(a, b);
}

class Finder {
 public:
  explicit Finder(const std::vector<TrackedFile*>& files) : files_(files) {}

  std::vector<TrailPair> Find() {
    std::vector<std::string> homes(files_.size());
    std::unordered_map<std::string, std::vector<std::size_t>> by_home, by_name;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i]->trail().empty()) continue;
      homes[i] = HomeOf(*files_[i]);
      by_home[homes[i]].push_back(i);
      by_name[files_[i]->name().run].push_back(i);
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::string directory = homes[i];
      for (int up = 0; up <= kMostLevels && directory.size() > 1; ++up) {
        const auto it = by_home.find(directory);
        if (it != by_home.end()) {
          // Equal homes are met from both of them.
          for (const std::size_t k : it->second) {
            if (up != 0 || k < i) Try(i, k, true);
          }
        }
        directory = ParentOf(directory);
      }
    }
    for (const auto& [name, alike] : by_name) {
      if (alike.size() > kMostOfAName) continue;
      for (std::size_t a = 0; a < alike.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) Try(alike[a], alike[b], false);
      }
    }
    std::sort(pairs_.begin(), pairs_.end(), [](const auto& p, const auto& q) {
      return std::tuple(p.rank, p.a, p.b) < std::tuple(q.rank, q.a, q.b);
    });
    return std::move(pairs_);
  }

 private:
  void Try(std::size_t a, std::size_t b, bool nested) {
    Form first = FormOf(*files_[a]), second = FormOf(*files_[b]);
    if (first == second) return;
    if (second < first) {
      std::swap(a, b);
      std::swap(first, second);
    }
    TrackedFile &f = *files_[a], &g = *files_[b];
    const StepTrail::Likeness alike = f.trail().Compare(g.trail());
    if (alike.differ || f.CompareFirst(g) == FirstStep::Match::kDifferent) {
      return;
    }
    TrailPair pair{a, b, 0, false};
    pair.rank =
        static_cast<std::uint8_t>((nested ? 0 : kForms * kForms) +
                                  static_cast<std::uint8_t>(first) * kForms +
                                  static_cast<std::uint8_t>(second));
    pair.proven = f.proven.contains(g.id()) ||
                  (alike.same() && TimesFit(f, g, alike, nested));
    if (pair.proven) {
      pairs_.push_back(pair);
      return;
    }
    if (alike.same()) return;
    if (f.trail().size() >= StepTrail::kEnough &&
        g.trail().size() >= StepTrail::kEnough) {
      return;
    }
    pairs_.push_back(pair);
  }

  const std::vector<TrackedFile*>& files_;
  std::vector<TrailPair> pairs_;
};

}  // namespace

std::string HomeOf(const TrackedFile& f) {
  std::string directory = ParentOf(f.path());
  const std::string above = ParentOf(directory);
  switch (FormOf(f)) {
    case Form::kWandb:
      return LastOf(above) == "wandb" || LastOf(above) == ".wandb"
                 ? ParentOf(above)
                 : directory;
    case Form::kEvents:
      return LastOf(above) == "runs" ? ParentOf(above) : directory;
    case Form::kState:
      return LastOf(directory).starts_with("checkpoint-") ? above : directory;
    default:
      return directory;
  }
}

std::vector<TrailPair> TrailPairs(const std::vector<TrackedFile*>& files) {
  const bool any =
      std::any_of(files.begin(), files.end(), [](const TrackedFile* f) {
        return !f->trail().empty() && FormOf(*f) != Form::kConsole;
      });
  return any ? Finder(files).Find() : std::vector<TrailPair>();
}

}  // namespace rlrun
