// Which source of a RunGroup it is judged by, which can be read, and what W&B
// adds to that.
#include <algorithm>
#include <string_view>

#include "exporter/app/run_group.h"

namespace rlrun {
namespace {

// A W&B file that is this much older than what else is written of its run, in
// seconds or in steps, is not written any more.
constexpr double kWandbLag = 600;
constexpr double kWandbLagSteps = 3;
// A source that is this many steps behind one that is written later has stopped
// short: a copy that is not brought up to date, a full disk.
constexpr std::int64_t kStepsBehind = 3;
// Of a python that was interrupted.
constexpr int kWandbInterrupted = 255;

// The newest training step; absent: none yet.
std::optional<std::int64_t> TrainStep(const TrackedFile* file) {
  return file->run().steps.last_step(LineClass::kTrain);
}

// Another source of the run has left it behind.
bool IsLeftBehind(const TrackedFile& f,
                  const std::vector<TrackedFile*>& sources) {
  const std::optional<std::int64_t> step = TrainStep(&f);
  for (const TrackedFile* other : sources) {
    if (other == &f || other->aside || !other->run().progress.up) continue;
    const std::optional<std::int64_t> newest = TrainStep(other);
    if (newest && step && *newest >= *step + kStepsBehind &&
        f.run().progress.modified_time < other->run().progress.modified_time) {
      return true;
    }
  }
  return false;
}

bool IsWandb(const TrackedFile* file) {
  return file->kind() == SourceKind::kWandb ||
         file->kind() == SourceKind::kWandbFile;
}

}  // namespace

bool RunGroup::Has(const TrackedFile* source) const {
  return std::find(sources_.begin(), sources_.end(), source) != sources_.end();
}

// The most trusted source that has training steps; null: there is no source.
TrackedFile* RunGroup::Preferred() const {
  for (TrackedFile* f : sources_) {
    if (!f->aside && f->has_training()) return f;
  }
  return sources_.empty() ? nullptr : sources_.front();
}

// The most trusted source that can be read and keeps up. One that cannot, or
// does not, keeps its place for a while: files are replaced, and copies are
// brought up to date one after the other.
void RunGroup::ChoosePrimary(double now) {
  TrackedFile* wanted = Preferred();
  const auto serves = [this](const TrackedFile* f) {
    return f->run().progress.up && !IsLeftBehind(*f, sources_);
  };
  if (serves(wanted)) {
    unserved_since_.reset();
  } else {
    if (!unserved_since_) unserved_since_ = now;
    if (now - *unserved_since_ < kFallback) return;
    for (TrackedFile* f : sources_) {
      if (f->aside || !f->has_training() || !serves(f)) continue;
      wanted = f;
      break;
    }
  }
  if (wanted == primary_) return;
  primary_ = wanted;
  stale_ = true;
}

std::vector<RunSource> RunGroup::Sources() const {
  std::vector<RunSource> out;
  for (std::size_t k = 0; k < kSourceKinds; ++k) {
    const std::string_view name = SourceKindName(static_cast<SourceKind>(k));
    if (!out.empty() && out.back().name == name) continue;  // W&B's two
    bool any = false;
    bool telling_up = false, aside_up = false, any_telling = false;
    for (const TrackedFile* f : sources_) {
      if (SourceKindName(f->kind()) != name) continue;
      any = true;
      any_telling = any_telling || !f->aside;
      bool& up = f->aside ? aside_up : telling_up;
      up = up || f->run().progress.up;
    }
    if (any) {
      out.push_back({name, any_telling ? telling_up : aside_up});
    }
  }
  if (trials_ != nullptr) {
    out.push_back({"trials", trials_->up && !trials_silent_});
  }
  return out;
}

// The primary source, or, where that cannot be read at the moment, another one
// that has all of its steps; null: there is none.
const TrackedFile* RunGroup::Serving() const {
  if (primary_->run().progress.up) return primary_;
  for (const TrackedFile* f : sources_) {
    if (f->aside || !f->has_training() || !f->run().progress.up) continue;
    if (!IsLeftBehind(*f, sources_) && TrainStep(f) >= TrainStep(primary_)) {
      return f;
    }
  }
  return nullptr;
}

// What the decision rests on: signatures.md, "Verdict".
std::string_view RunGroup::DataSource() const {
  const TrackedFile* source = Serving();
  if (source == nullptr) return "unreachable";
  const std::string_view name = SourceKindName(source->kind());
  if (!had_wandb_) return name;
  if (WandbKeepsUp()) return "wandb_ok";
  return source->kind() == SourceKind::kTensorboard ? name : "log_fallback";
}

// One of W&B's files can be read, and was not left behind: W&B writes blocks,
// each filled in a few minutes, and a row when the next one comes.
bool RunGroup::WandbKeepsUp() const {
  std::optional<double> wandb, others;
  bool ended = false;
  for (const TrackedFile* f : sources_) {
    if (f->aside) continue;
    const SourceProgress& p = f->run().progress;
    if (!IsWandb(f)) {
      others = std::max(others, p.modified_time);
    } else if (p.up) {
      wandb = std::max(wandb, p.modified_time);
      ended = ended || f->run().events.exit_is_last();
    }
  }
  if (!wandb) return false;
  const double step = primary_->run().durations.baseline().value_or(0);
  return ended || !others ||
         *others - *wandb <= std::max(kWandbLag, kWandbLagSteps * step);
}

// How W&B says that the run ended, unless another source went on behind that.
RecordedEnd RunGroup::WandbEnd() const {
  const TrackedFile* wandb = nullptr;
  std::optional<std::int64_t> newest, total;
  for (const TrackedFile* f : sources_) {
    if (f->aside) continue;
    newest = std::max(newest, TrainStep(f));
    if (!total) total = f->run().total_steps;
    if (wandb == nullptr && f->kind() == SourceKind::kWandbFile) wandb = f;
  }
  if (wandb == nullptr || !wandb->run().events.exit_is_last() ||
      TrainStep(wandb) < newest) {
    return RecordedEnd::kNone;
  }
  const int code = wandb->run().events.exit->code;
  if (code == kWandbInterrupted) return RecordedEnd::kStopped;
  if (code != 0) return RecordedEnd::kFailed;
  // A worker leaves in peace behind a failure elsewhere, too.
  const auto slack =
      static_cast<std::int64_t>(rules_->options.times.total_slack);
  return total && newest.value_or(0) < *total - slack ? RecordedEnd::kNone
                                                      : RecordedEnd::kCompleted;
}

}  // namespace rlrun
