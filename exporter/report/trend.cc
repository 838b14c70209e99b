#include "exporter/report/trend.h"

#include <cmath>
namespace rlrun {
namespace {

constexpr double kNoise = 2;  // |t| below this is no trend

}  // namespace

Trend TrendOf(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < kLeastTrendValues) return Trend::kFlat;
  const double mean_x = (n - 1) / 2;
  double mean_y = 0;
  for (const double y : values) mean_y += y / n;
  double sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double dx = static_cast<double>(i) - mean_x;
    const double dy = values[i] - mean_y;
    sxx += dx * dx;
    sxy += dx * dy;
    syy += dy * dy;
  }
  const double slope = sxy / sxx;
  const double residue = syy - slope * sxy;
  // What is left of rounding counts as no residue.
  const bool is_line = residue <= 1e-12 * syy;
  if (slope == 0 || syy == 0) return Trend::kFlat;
  if (!is_line) {
    const double error = std::sqrt(residue / (n - 2) / sxx);
    if (std::abs(slope) < kNoise * error) return Trend::kFlat;
  }
  return slope > 0 ? Trend::kRising : Trend::kFalling;
}

}  // namespace rlrun
