#include "exporter/report/curve_caption.h"

#include <algorithm>
#include <cmath>

#include "exporter/report/report_numbers.h"

namespace rlrun {
namespace {

// `steps 73 to 300: between 1 and 2`.
std::string Extent(const Curve& curve) {
  if (curve.points.size() < 2) return "";
  const auto [low, high] =
      std::minmax_element(curve.points.begin(), curve.points.end(),
                          [](const CurvePoint& a, const CurvePoint& b) {
                            return a.value < b.value;
                          });
  const std::string steps = "steps " +
                            std::to_string(curve.points.front().step) + " to " +
                            std::to_string(curve.points.back().step) + ": ";
  if (low->value == high->value) {
    return steps + "always " + ReportNumber(low->value);
  }
  return steps + "between " + ReportNumber(low->value) + " and " +
         ReportNumber(high->value);
}

// How many values are no points, and why.
std::string UnusedText(const Curve& curve) {
  std::size_t bad = 0;
  for (const CurvePoint& p : curve.unused) {
    if (!std::isfinite(p.value)) ++bad;
  }
  const std::size_t rest = curve.unused.size() - bad;
  const auto steps = [](std::size_t n) {
    return std::to_string(n) + (n == 1 ? " step" : " steps");
  };
  std::string out;
  if (bad != 0) out = "not a finite number on " + steps(bad);
  if (rest != 0) {
    out += (out.empty() ? "" : "; ") + steps(rest) + " left out, since " +
           curve.unused_why;
  }
  return out;
}

}  // namespace

std::string CurveActiveText(const CurveActive& active) {
  return active.name + " since step " + std::to_string(active.since);
}

std::string CurveCaption(const Curve& curve) {
  std::string out = Extent(curve);
  const auto add = [&out](const std::string& part) {
    if (!part.empty()) out += (out.empty() ? "" : "; ") + part;
  };
  add(UnusedText(curve));
  for (const CurveBound& bound : curve.bounds) add(bound.text);
  for (const CurveActive& active : curve.active) add(CurveActiveText(active));
  return out;
}

const CurvePoint& NewestPoint(const Curve& curve) {
  if (curve.unused.empty()) return curve.points.back();
  if (curve.points.empty()) return curve.unused.back();
  return curve.unused.back().step > curve.points.back().step
             ? curve.unused.back()
             : curve.points.back();
}

}  // namespace rlrun
