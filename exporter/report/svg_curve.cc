#include "exporter/report/svg_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include "exporter/report/html.h"
#include "exporter/report/run_report.h"

namespace rlrun {
namespace {

// Units of the picture; about pixels, since a curve is shown about so wide.
constexpr double kWidth = 340;
constexpr double kHeight = 132;
constexpr double kTop = 9, kRight = 8, kBottom = 20;
constexpr double kCharacter = 6.7;  // width of one of a tick's, at most
constexpr double kTickHeight = 13;
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
    return left_ + std::clamp(part, 0.0, 1.0) * (kWidth - kRight - left_);
  }
  double Y(double value) const {
    // Halves, so that the range of huge values does not overflow.
    const double part = (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);
    return kHeight - kBottom - part * (kHeight - kBottom - kTop);
  }
  bool Shows(double value) const { return value >= low_ && value <= high_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double first() const { return first_; }
  double last() const { return last_; }
  double left() const { return left_; }
  void SetLeft(double left) { left_ = left; }

 private:
  void Include(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  double first_ = 0, last_ = 0, low_ = 0, high_ = 0;
  double left_ = 0;  // where the plot begins: ticks stand before it
};

// As few digits as tell the ends of the axis apart, 3 at least.
std::string TickNumber(double value, int digits) {
  std::array<char, 32> text;
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e6) digits = std::max(digits, size < 1e5 ? 5 : 6);
  const int n = std::snprintf(text.data(), text.size(), "%.*g", digits,
                              value == 0 ? 0.0 : value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

int TickDigits(const Scale& scale) {
  int digits = 3;
  while (digits < 7 &&
         TickNumber(scale.low(), digits) == TickNumber(scale.high(), digits)) {
    ++digits;
  }
  return digits;
}

std::string Text(double x, double y, const char* anchor, bool bad,
                 const std::string& text) {
  return "<text class=\"tick" + std::string(bad ? " bad" : "") + "\" x=\"" +
         Coordinate(x) + "\" y=\"" + Coordinate(y) + "\" text-anchor=\"" +
         anchor + "\">" + text + "</text>";
}

// Both axes with the numbers at their ends; makes room for them on the left.
std::string Axes(const Curve& curve, Scale* scale) {
  const int digits = TickDigits(*scale);
  struct Tick {
    double y;
    bool bad;
    std::string text;
  };
  std::vector<Tick> ticks;
  const auto add = [&](double value, bool bad) {
    const double y = scale->Y(value);
    for (const Tick& tick : ticks) {
      if (std::abs(tick.y - y) < kTickHeight) return;
    }
    ticks.push_back({y, bad, TickNumber(value, digits)});
  };
  for (const auto& bound : {curve.min, curve.max}) {
    if (bound && scale->Shows(*bound)) add(*bound, true);
  }
  add(scale->low(), false);
  add(scale->high(), false);
  std::size_t longest = 0;
  for (const Tick& tick : ticks) longest = std::max(longest, tick.text.size());
  scale->SetLeft(8 + kCharacter * static_cast<double>(longest));
  const std::string floor = Coordinate(kHeight - kBottom);
  std::string out = "<path class=\"axis\" fill=\"none\" d=\"M" +
                    Coordinate(scale->left()) + " " + Coordinate(kTop) + "V" +
                    floor + "H" + Coordinate(kWidth - kRight) + "\"/>";
  for (const Tick& tick : ticks) {
    out += Text(scale->left() - 4, tick.y + 4, "end", tick.bad, tick.text);
  }
  const double y = kHeight - 5;
  const auto step = [](double value) {
    return std::to_string(static_cast<std::int64_t>(value));
  };
  if (scale->last() > scale->first()) {
    out +=
        Text(scale->left(), y, "start", false, "step " + step(scale->first()));
  }
  return out + Text(kWidth - kRight, y, "end", false,
                    (scale->last() > scale->first() ? "" : "step ") +
                        step(scale->last()));
}

std::string BoundLine(const Scale& scale, double bound, const char* name) {
  if (!scale.Shows(bound)) return "";
  const std::string y = Coordinate(scale.Y(bound));
  return "<line class=\"bound\" x1=\"" + Coordinate(scale.left()) + "\" x2=\"" +
         Coordinate(kWidth - kRight) + "\" y1=\"" + y + "\" y2=\"" + y +
         "\"><title>" + name + " " + ReportNumber(bound) + "</title></line>";
}

std::string ActiveArea(const Scale& scale, const Curve& curve) {
  if (!curve.active_since) return "";
  const double x = scale.X(static_cast<double>(*curve.active_since));
  const double width = std::max(kWidth - kRight - x, 3.0);
  return "<rect class=\"active\" x=\"" + Coordinate(kWidth - kRight - width) +
         "\" y=\"" + Coordinate(kTop) + "\" height=\"" +
         Coordinate(kHeight - kBottom - kTop) + "\" width=\"" +
         Coordinate(width) + "\"><title>" + EscapeHtml(curve.active_name) +
         " since step " + std::to_string(*curve.active_since) +
         "</title></rect>";
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

std::string Extent(const Curve& curve) {
  if (curve.points.size() < 2) return "";
  const auto [low, high] =
      std::minmax_element(curve.points.begin(), curve.points.end(),
                          [](const CurvePoint& a, const CurvePoint& b) {
                            return a.value < b.value;
                          });
  if (low->value == high->value) {
    return "always " + ReportNumber(low->value) + " since step " +
           std::to_string(curve.points.front().step);
  }
  return "between " + ReportNumber(low->value) + " and " +
         ReportNumber(high->value) + " since step " +
         std::to_string(curve.points.front().step);
}

std::string Healthy(const Curve& curve) {
  std::string out;
  if (curve.min) out += "healthy at least " + ReportNumber(*curve.min);
  if (curve.max) {
    out += (out.empty() ? "" : "; ") + std::string("healthy at most ") +
           ReportNumber(*curve.max);
  }
  return out;
}

std::string Active(const Curve& curve) {
  if (!curve.active_since) return "";
  return EscapeHtml(curve.active_name) + " since step " +
         std::to_string(*curve.active_since);
}

std::string Joined(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : "; ") + part;
  }
  return out;
}

}  // namespace

std::string CurveFigure(const Curve& curve) {
  if (curve.points.empty()) return "";
  Scale scale(curve);
  const CurvePoint& newest = curve.points.back();
  const std::string value = ReportNumber(newest.value);
  const std::string words =
      Joined({value + " at step " + std::to_string(newest.step), Extent(curve),
              Healthy(curve), Active(curve)});
  std::string out = "<figure";
  if (curve.active_since) out += " class=\"hit\"";
  out += "><figcaption><span><b>" + EscapeHtml(curve.title) +
         "</b> <code><bdi>" + EscapeHtml(curve.key) +
         "</bdi></code></span><b>" + value + "</b></figcaption>\n";
  out += "<svg role=\"img\" viewBox=\"0 0 " + Coordinate(kWidth) + " " +
         Coordinate(kHeight) + "\" aria-label=\"" + EscapeHtml(curve.title) +
         ": " + words + "\">";
  const std::string axes = Axes(curve, &scale);
  out += ActiveArea(scale, curve) + axes;
  if (curve.min) out += BoundLine(scale, *curve.min, "healthy at least");
  if (curve.max) out += BoundLine(scale, *curve.max, "healthy at most");
  out += Line(scale, curve) + "</svg>\n<p>";
  return out + Joined({Extent(curve), Healthy(curve), Active(curve)}) +
         "</p></figure>\n";
}

}  // namespace rlrun
