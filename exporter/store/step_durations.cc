#include "exporter/store/step_durations.h"

#include <algorithm>
#include <vector>

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
  std::vector<double> v;
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
    v.push_back(points_[i].seconds);
  }
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  if (v.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(v.begin(), middle)) / 2;
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
