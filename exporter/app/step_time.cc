#include "exporter/app/step_time.h"

#include "parsers/values/stamp.h"

namespace rlrun {

void StepClock::NoteStep(const StepRecord& record,
                         std::optional<double> arrival) {
  any_step_ = true;
  begin_ = record.begin_offset;
  end_ = quiet_end_ = record.end_offset;
  time_ = record.time;
  arrival_ = arrival;
  before_ = record.stamp_before;
  behind_ = record.stamp_behind;
}

void StepClock::NoteFacts(const LogFacts& facts) {
  if (facts.steps.empty() && !behind_) behind_ = facts.stamp_behind_previous;
  if (facts.quiet_end) quiet_end_ = *facts.quiet_end;
  if (!first_stamp_) first_stamp_ = facts.first_stamp;
  if (facts.last_stamp) last_stamp_ = facts.last_stamp;
}

void StepClock::StartNewText() {
  // The newest step keeps its arrival; what surrounded it is gone.
  before_.reset();
  behind_.reset();
  begin_ = end_ = quiet_end_ = 0;
  first_stamp_.reset();
  last_stamp_.reset();
}

std::optional<double> StepClock::LastStep(std::optional<double> mtime,
                                          std::uint64_t complete_end) const {
  if (!any_step_) return std::nullopt;
  if (time_) return time_;
  if (arrival_) return arrival_;
  if (!mtime) return std::nullopt;
  std::optional<Stamp> nearest = before_;
  if (behind_ &&
      (!before_ || behind_->offset - end_ < begin_ - before_->offset)) {
    nearest = behind_;
  }
  if (nearest && last_stamp_) {
    if (const auto t = ResolveStamps(*nearest, *last_stamp_, *mtime)) return t;
  }
  if (quiet_end_ != 0 && quiet_end_ == complete_end) return mtime;
  return std::nullopt;
}

std::optional<double> StepClock::FirstStamp(std::optional<double> mtime) const {
  if (!first_stamp_ || !last_stamp_ || !mtime) return std::nullopt;
  return ResolveStamps(*first_stamp_, *last_stamp_, *mtime);
}

std::optional<double> StepClock::LastStamp(std::optional<double> mtime) const {
  if (!last_stamp_ || (any_step_ && !before_ && !behind_)) return std::nullopt;
  return TimeOf(*last_stamp_, mtime);
}

std::optional<double> StepClock::TimeOf(const Stamp& stamp,
                                        std::optional<double> mtime) const {
  if (!last_stamp_ || !mtime) return std::nullopt;
  return ResolveStamps(stamp, *last_stamp_, *mtime);
}

}  // namespace rlrun
