#include "exporter/signatures/level_log.h"

#include <algorithm>

namespace rlrun {
namespace {

constexpr std::uint8_t kMostIdle = 255;

}  // namespace

LevelLog::LevelLog(std::size_t columns, Rules rules)
    : columns_(columns),
      rules_(rules),
      newest_only_(columns),
      base_(columns),
      before_(columns),
      now_(columns) {}

void LevelLog::Begin(std::int64_t step) {
  const std::size_t stride = (columns_ + 1) / 2;
  if (steps_.size() == rules_.capacity) {
    Fold(0, &base_);
    base_step_ = steps_.front();
    steps_.pop_front();
    raws_.erase(raws_.begin(),
                raws_.begin() + static_cast<std::ptrdiff_t>(stride));
  }
  steps_.push_back(static_cast<std::int32_t>(step));
  raws_.resize(raws_.size() + stride);
  before_ = now_;
  for (std::size_t c = 0; c < columns_; ++c) {
    Advance(steps_.size() - 1, c, Raw::kNotEvaluated, &now_[c]);
  }
}

Raw LevelLog::At(std::size_t row, std::size_t column) const {
  const std::uint8_t both = raws_[row * ((columns_ + 1) / 2) + column / 2];
  return static_cast<Raw>(column % 2 == 0 ? both & 15u : both >> 4u);
}

Raw LevelLog::raw(std::size_t column) const {
  return steps_.empty() ? Raw::kNotEvaluated : At(steps_.size() - 1, column);
}

void LevelLog::Set(std::size_t column, Raw raw) {
  if (steps_.empty()) return;
  std::uint8_t& both =
      raws_[(steps_.size() - 1) * ((columns_ + 1) / 2) + column / 2];
  const unsigned bits = static_cast<unsigned>(raw);
  both = static_cast<std::uint8_t>(column % 2 == 0 ? (both & 0xf0u) | bits
                                                   : (both & 15u) | bits << 4u);
  now_[column] = before_[column];
  Advance(steps_.size() - 1, column, raw, &now_[column]);
}

void LevelLog::Advance(std::size_t row, std::size_t column, Raw raw,
                       LevelTrack* track) const {
  const std::optional<Level> level = LevelOf(raw);
  if (!level) {
    if (track->idle < kMostIdle) ++track->idle;
    const bool late =
        rules_.withdraw_after != 0 && track->idle >= rules_.withdraw_after;
    if (raw != Raw::kNotApplicable && !late) return;
    // What its last evaluated steps said counts when it returns.
    track->applies = false;
    track->published = Level::kNone;
    return;
  }
  track->idle = 0;
  track->applies = true;
  if (*level == Level::kNone) {
    track->failing = 0;
  } else if (track->failing++ == 0) {
    track->failing_since = steps_[row];
  }
  std::rotate(track->last.begin(), track->last.end() - 1, track->last.end());
  track->last[0] = *level;
  track->evaluated = static_cast<std::uint8_t>(std::min<std::size_t>(
      track->evaluated + 1u, newest_only_[column] ? 1u : rules_.window));
  const Level before = track->published;
  track->published = *std::max_element(track->last.begin(),
                                       track->last.begin() + track->evaluated);
  if (before == Level::kNone && track->published != Level::kNone) {
    track->since = steps_[row];
  }
  if (before != Level::kNone && track->published == Level::kNone) {
    track->cleared = steps_[row];
  }
}

void LevelLog::Fold(std::size_t row, std::vector<LevelTrack>* tracks) const {
  for (std::size_t c = 0; c < columns_; ++c) {
    Advance(row, c, At(row, c), &(*tracks)[c]);
  }
}

void LevelLog::DropFrom(std::int64_t step) {
  if (steps_.empty() || steps_.back() < step) return;
  while (!steps_.empty() && steps_.back() >= step) steps_.pop_back();
  raws_.resize(steps_.size() * ((columns_ + 1) / 2));
  if (base_step_ && *base_step_ >= step) {
    std::fill(base_.begin(), base_.end(), LevelTrack());
    base_step_.reset();
  }
  before_ = now_ = base_;
  for (std::size_t row = 0; row < steps_.size(); ++row) {
    before_ = now_;
    Fold(row, &now_);
  }
}

}  // namespace rlrun
