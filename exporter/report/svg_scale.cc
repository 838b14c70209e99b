#include "exporter/report/svg_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace rlrun {
namespace {

// Fewer values are all shown.
constexpr std::size_t kLeastForSpikes = 20;
// A spike is so many ranges of the middle 96 % of the values beyond them.
constexpr double kSpike = 8;

}  // namespace

CurveScale::CurveScale(const Curve& curve) {
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  first_ = low_;
  last_ = high_;
  for (const auto* list : {&curve.points, &curve.unused}) {
    for (const CurvePoint& p : *list) {
      first_ = std::min(first_, static_cast<double>(p.step));
      last_ = std::max(last_, static_cast<double>(p.step));
      if (list == &curve.points) Include(p.value);
    }
  }
  if (curve.last_step) {
    last_ = std::max(last_, static_cast<double>(*curve.last_step));
  }
  if (curve.points.empty()) {
    for (const CurvePoint& p : curve.unused) {
      if (std::isfinite(p.value)) Include(p.value);
    }
  }
  if (!(high_ >= low_)) low_ = high_ = 0;
  LeaveOutSpikes(curve);
  const double range = high_ - low_;
  for (const CurveBound& bound : curve.bounds) {
    const bool near = bound.value > low_ - range && bound.value < high_ + range;
    if (near) Include(bound.value);
  }
  if (!(high_ > low_)) {
    const double half = low_ == 0 ? 1 : std::abs(low_) * 0.1;
    low_ -= half;
    high_ += half;
    // Not where no value can be.
    if (curve.least && low_ < *curve.least) low_ = *curve.least;
    if (curve.most && high_ > *curve.most) high_ = *curve.most;
  }
  // Of values too small for a part of them.
  if (!(high_ > low_)) high_ = low_ + 1;
}

void CurveScale::Include(double value) {
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

void CurveScale::LeaveOutSpikes(const Curve& curve) {
  const std::size_t n = curve.points.size();
  if (n < kLeastForSpikes) return;
  std::vector<double> values;
  values.reserve(n);
  for (const CurvePoint& p : curve.points) values.push_back(p.value);
  std::sort(values.begin(), values.end());
  const std::size_t rest = std::max<std::size_t>(1, n / 50);
  const double low = values[rest];
  const double high = values[n - 1 - rest];
  const double range = high - low;
  if (!(range > 0) || !std::isfinite(range)) return;
  if (high_ > high + kSpike * range) high_ = high + range / 2;
  if (low_ < low - kSpike * range) low_ = low - range / 2;
}

double CurveScale::X(double step) const {
  const double part = last_ > first_ ? (step - first_) / (last_ - first_) : 1;
  return left_ +
         std::clamp(part, 0.0, 1.0) * (kCurveWidth - kCurveRight - left_);
}

double CurveScale::Y(double value) const {
  // Halves, so that the range of huge values does not overflow.
  const double range = high_ / 2 - low_ / 2;
  const double part = range > 0 ? (value / 2 - low_ / 2) / range : 0;
  return kCurveHeight - kCurveBottom -
         std::clamp(part, 0.0, 1.0) * (kCurveHeight - kCurveBottom - kCurveTop);
}

std::string Coordinate(double value) {
  std::array<char, 32> text;
  const int n = std::snprintf(text.data(), text.size(), "%.1f", value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

}  // namespace rlrun
