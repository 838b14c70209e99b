#include "exporter/store/step_durations.h"

#include <algorithm>
#include <array>
#include <span>

#include "exporter/store/median.h"

namespace rlrun {
namespace {

constexpr std::size_t kWindow = 64;
constexpr std::size_t kLeast = 5;

}  // namespace

void StepDurations::Add(std::int64_t step, double seconds) {
  while (!points_.empty() && points_.back().step >= step) points_.pop_back();
  points_.push_back({step, seconds});
  newest_step_ = step;
  if (points_.size() > kWindow + 1) points_.pop_front();
}

std::optional<double> StepDurations::newest() const {
  if (points_.empty() || points_.back().step != newest_step_) {
    return std::nullopt;
  }
  return points_.back().seconds;
}

std::optional<double> StepDurations::baseline() const {
  if (points_.size() < kLeast + 1) return std::nullopt;
  std::array<double, kWindow> seconds{};
  const std::size_t count = points_.size() - 1;
  for (std::size_t i = 0; i < count; ++i) seconds[i] = points_[i].seconds;
  return Median(std::span(seconds).first(count));
}

std::optional<double> StepDurations::mean(std::size_t most) const {
  const std::size_t n = std::min(most, points_.size());
  if (n == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t i = points_.size() - n; i < points_.size(); ++i) {
    sum += points_[i].seconds;
  }
  return sum / static_cast<double>(n);
}

}  // namespace rlrun
