#include "exporter/app/run_order.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace rlrun {
namespace {

// Of an execution that had ended when a newer one began.
bool IsOlder(const TrackedFile& f, const std::vector<TrackedFile*>& sources) {
  const auto& written = f.run().progress.modified_time;
  // A record is of every attempt.
  if (!written || f.is_record()) return false;
  for (const TrackedFile* other : sources) {
    if (other == &f || other->is_record()) continue;
    if (!f.has_trainer()) {
      // A banner alone: the newest of them is this launch's.
      if (!other->statement().train_log.empty() &&
          other->run().progress.modified_time > written) {
        return true;
      }
      continue;
    }
    if (other->has_trainer() && other->run().start_time &&
        *written < *other->run().start_time) {
      return true;
    }
  }
  return false;
}

// Ahead of the primary source and yet not written as long as it: of a launch
// before the one that the primary source shows now.
bool IsLeftBehind(const TrackedFile& f, const TrackedFile& primary) {
  const bool other =
      IsMetricsFile(f.kind()) || IsMetricsFile(primary.kind())
          ? f.CompareFirst(primary) == FirstStep::Match::kDifferent
          : f.first_values() && primary.first_values() &&
                *f.first_values() != *primary.first_values();
  return other &&
         f.run().progress.modified_time <
             primary.run().progress.modified_time &&
         f.run().steps.last_step(LineClass::kTrain) >
             primary.run().steps.last_step(LineClass::kTrain);
}

}  // namespace

void OrderSources(std::vector<TrackedFile*>* sources) {
  for (TrackedFile* f : *sources) f->aside = f->helper = f->beside_log = false;
  if (sources->size() == 1) return;
  const bool has_log =
      std::any_of(sources->begin(), sources->end(), [](const TrackedFile* f) {
        return f->kind() == SourceKind::kLog && !IsOutName(f->path());
      });
  for (TrackedFile* f : *sources) {
    f->beside_log = has_log && IsOutName(f->path());
  }
  std::vector<TrackedFile*> older;
  for (TrackedFile* f : *sources) {
    if (IsOlder(*f, *sources)) older.push_back(f);
  }
  if (older.size() < sources->size()) {
    for (TrackedFile* f : older) f->aside = true;
  }
  const auto order = [](const TrackedFile* f) {
    return std::tuple(f->aside, f->kind(), std::string_view(f->path()),
                      f->root_number());
  };
  const auto sort = [&] {
    std::sort(sources->begin(), sources->end(),
              [&](const TrackedFile* a, const TrackedFile* b) {
                return order(a) < order(b);
              });
  };
  sort();
  const auto primary = std::find_if(
      sources->begin(), sources->end(),
      [](const TrackedFile* f) { return !f->aside && f->has_training(); });
  if (primary == sources->end()) return;
  const TrackedFile& first = **primary;
  for (TrackedFile* f : *sources) {
    if (f != &first && IsLeftBehind(*f, first)) f->aside = true;
  }
  sort();
}

}  // namespace rlrun
