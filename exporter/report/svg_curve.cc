#include "exporter/report/svg_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "exporter/report/html.h"
#include "exporter/report/run_report.h"

namespace rlrun {
namespace {

constexpr double kWidth = 360;
constexpr double kHeight = 120;
constexpr double kPad = 6;
// Points that get a title; of more, every n-th and always the newest.
constexpr std::size_t kMaxTitles = 160;

std::string Coordinate(double value) {
  std::array<char, 32> text;
  const int n = std::snprintf(text.data(), text.size(), "%.1f", value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

// Where steps and values stand in the picture.
class Scale {
 public:
  explicit Scale(const Curve& curve) {
    first_ = static_cast<double>(curve.points.front().step);
    last_ = static_cast<double>(curve.points.back().step);
    low_ = high_ = curve.points.front().value;
    for (const CurvePoint& p : curve.points) Include(p.value);
    const double range = high_ - low_;
    // A bound far away would make a flat line of the curve.
    for (const auto& bound : {curve.min, curve.max}) {
      if (bound && *bound > low_ - range && *bound < high_ + range) {
        Include(*bound);
      }
    }
    if (!(high_ > low_)) {
      const double half = std::max(std::abs(low_) * 0.1, 1e-12);
      low_ -= half;
      high_ += half;
    }
  }

  double X(double step) const {
    const double part = last_ > first_ ? (step - first_) / (last_ - first_) : 1;
    return kPad + std::clamp(part, 0.0, 1.0) * (kWidth - 2 * kPad);
  }
  double Y(double value) const {
    // Halves, so that the range of huge values does not overflow.
    const double part = (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);
    return kHeight - kPad - part * (kHeight - 2 * kPad);
  }
  bool Shows(double value) const { return value >= low_ && value <= high_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  void Include(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  double first_ = 0, last_ = 0, low_ = 0, high_ = 0;
};

std::string BoundLine(const Scale& scale, double bound, const char* name) {
  if (!scale.Shows(bound)) return "";
  const std::string y = Coordinate(scale.Y(bound));
  return "<line class=\"bound\" x1=\"0\" x2=\"" + Coordinate(kWidth) +
         "\" y1=\"" + y + "\" y2=\"" + y + "\"><title>" + name + " " +
         ReportNumber(bound) + "</title></line>";
}

std::string ActiveArea(const Scale& scale, const Curve& curve) {
  if (!curve.active_since) return "";
  const double x = scale.X(static_cast<double>(*curve.active_since));
  return "<rect class=\"active\" x=\"" + Coordinate(x) +
         "\" y=\"0\" height=\"" + Coordinate(kHeight) + "\" width=\"" +
         Coordinate(std::max(kWidth - x, 2.0)) + "\"><title>" +
         EscapeHtml(curve.active_name) + " since step " +
         std::to_string(*curve.active_since) + "</title></rect>";
}

std::string Line(const Scale& scale, const Curve& curve) {
  std::string out = "<polyline class=\"line\" points=\"";
  for (const CurvePoint& p : curve.points) {
    out += Coordinate(scale.X(static_cast<double>(p.step))) + "," +
           Coordinate(scale.Y(p.value)) + " ";
  }
  out.back() = '"';
  out += "/>";
  const std::size_t n = curve.points.size();
  const std::size_t every = (n + kMaxTitles - 1) / kMaxTitles;
  for (std::size_t i = (n - 1) % every; i < n; i += every) {
    const CurvePoint& p = curve.points[i];
    out += "<circle class=\"" + std::string(n == 1 ? "dot" : "point") +
           "\" r=\"4\" cx=\"" +
           Coordinate(scale.X(static_cast<double>(p.step))) + "\" cy=\"" +
           Coordinate(scale.Y(p.value)) + "\"><title>step " +
           std::to_string(p.step) + ": " + ReportNumber(p.value) +
           "</title></circle>";
  }
  return out;
}

std::string Words(const Curve& curve) {
  const CurvePoint& newest = curve.points.back();
  std::string out =
      ReportNumber(newest.value) + " at step " + std::to_string(newest.step);
  if (curve.points.size() > 1) {
    const auto [low, high] =
        std::minmax_element(curve.points.begin(), curve.points.end(),
                            [](const CurvePoint& a, const CurvePoint& b) {
                              return a.value < b.value;
                            });
    out += "; from step " + std::to_string(curve.points.front().step) +
           " on between " + ReportNumber(low->value) + " and " +
           ReportNumber(high->value);
  }
  if (curve.min) out += "; healthy at least " + ReportNumber(*curve.min);
  if (curve.max) out += "; healthy at most " + ReportNumber(*curve.max);
  return out;
}

}  // namespace

std::string CurveFigure(const Curve& curve) {
  if (curve.points.empty()) return "";
  const Scale scale(curve);
  const std::string words = Words(curve);
  std::string out = "<figure><figcaption><b>" + EscapeHtml(curve.title) +
                    "</b> <code><bdi>" + EscapeHtml(curve.key) +
                    "</bdi></code></figcaption>\n";
  out += "<svg role=\"img\" viewBox=\"0 0 " + Coordinate(kWidth) + " " +
         Coordinate(kHeight) + "\" aria-label=\"" + EscapeHtml(curve.title) +
         ": " + words + "\">";
  out += ActiveArea(scale, curve);
  if (curve.min) out += BoundLine(scale, *curve.min, "healthy at least");
  if (curve.max) out += BoundLine(scale, *curve.max, "healthy at most");
  out += Line(scale, curve) + "</svg>\n<p class=\"dim\">" + words;
  if (curve.active_since) {
    out += "; " + EscapeHtml(curve.active_name) + " since step " +
           std::to_string(*curve.active_since);
  }
  return out + "</p></figure>\n";
}

}  // namespace rlrun
