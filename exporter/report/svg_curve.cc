#include "exporter/report/svg_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "exporter/report/curve_caption.h"
#include "exporter/report/html.h"
#include "exporter/report/page_frame.h"
#include "exporter/report/report_numbers.h"
#include "exporter/report/svg_scale.h"

namespace rlrun {
namespace {

constexpr double kCharacter = 6.7;  // width of one of a tick's, at most
constexpr double kTickHeight = 13;
// Circles that carry titles; of more points, each stands for a few.
constexpr std::size_t kMaxTitles = 160;

// As few digits as tell the ends of the axis apart, 3 at least.
std::string TickNumber(double value, int digits) {
  std::array<char, 32> text;
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e6) digits = std::max(digits, size < 1e5 ? 5 : 6);
  const int n = std::snprintf(text.data(), text.size(), "%.*g", digits,
                              value == 0 ? 0.0 : value);
  return std::string(text.data(), static_cast<std::size_t>(std::max(n, 0)));
}

int TickDigits(const CurveScale& scale) {
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
std::string Axes(const Curve& curve, CurveScale* scale) {
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
  for (const CurveBound& bound : curve.bounds) {
    if (scale->Shows(bound.value)) add(bound.value, true);
  }
  add(scale->low(), false);
  add(scale->high(), false);
  std::size_t longest = 0;
  for (const Tick& tick : ticks) longest = std::max(longest, tick.text.size());
  scale->SetLeft(8 + kCharacter * static_cast<double>(longest));
  const std::string floor = Coordinate(kCurveHeight - kCurveBottom);
  std::string out = "<path class=\"axis\" fill=\"none\" d=\"M" +
                    Coordinate(scale->left()) + " " + Coordinate(kCurveTop) +
                    "V" + floor + "H" + Coordinate(kCurveWidth - kCurveRight) +
                    "\"/>";
  for (const Tick& tick : ticks) {
    out += Text(scale->left() - 4, tick.y + 4, "end", tick.bad, tick.text);
  }
  const double y = kCurveHeight - 5;
  const auto step = [](double value) {
    return std::to_string(static_cast<std::int64_t>(value));
  };
  if (scale->last() > scale->first()) {
    out +=
        Text(scale->left(), y, "start", false, "step " + step(scale->first()));
  }
  return out + Text(kCurveWidth - kCurveRight, y, "end", false,
                    (scale->last() > scale->first() ? "" : "step ") +
                        step(scale->last()));
}

std::string BoundLine(const CurveScale& scale, const CurveBound& bound) {
  if (!scale.Shows(bound.value)) return "";
  const std::string y = Coordinate(scale.Y(bound.value));
  return "<line class=\"bound\" x1=\"" + Coordinate(scale.left()) + "\" x2=\"" +
         Coordinate(kCurveWidth - kCurveRight) + "\" y1=\"" + y + "\" y2=\"" +
         y + "\"><title>" + EscapeHtml(bound.text) + "</title></line>";
}

std::string ActiveArea(const CurveScale& scale, const CurveActive& active) {
  const double x = scale.X(static_cast<double>(active.since));
  const double width = std::max(kCurveWidth - kCurveRight - x, 3.0);
  return "<rect class=\"active\" x=\"" +
         Coordinate(kCurveWidth - kCurveRight - width) + "\" y=\"" +
         Coordinate(kCurveTop) + "\" height=\"" +
         Coordinate(kCurveHeight - kCurveBottom - kCurveTop) + "\" width=\"" +
         Coordinate(width) + "\"><title>" +
         EscapeHtml(CurveActiveText(active)) + "</title></rect>";
}

// The usual distance of two points.
double Stride(const std::vector<CurvePoint>& points) {
  std::vector<double> all;
  for (std::size_t i = 1; i < points.size(); ++i) {
    all.push_back(static_cast<double>(points[i].step - points[i - 1].step));
  }
  if (all.empty()) return 1;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

std::string Circle(const char* name, double x, double y, const char* r,
                   const std::string& title) {
  return "<circle class=\"" + std::string(name) + "\" r=\"" + r + "\" cx=\"" +
         Coordinate(x) + "\" cy=\"" + Coordinate(y) + "\"><title>" + title +
         "</title></circle>";
}

// The line, not drawn over steps that lack the value: those stand between.
std::string Line(const CurveScale& scale, const Curve& curve) {
  const std::vector<CurvePoint>& points = curve.points;
  const double most = 1.5 * Stride(points);
  std::string out;
  std::size_t begin = 0;
  auto between = curve.unused.begin();
  for (std::size_t i = 1; i <= points.size(); ++i) {
    if (i < points.size()) {
      const auto step = points[i].step;
      bool gap = static_cast<double>(step - points[i - 1].step) > most;
      for (; between != curve.unused.end() && between->step < step; ++between) {
        if (between->step > points[i - 1].step) gap = true;
      }
      if (!gap) continue;
    }
    if (i - begin == 1) {
      const CurvePoint& p = points[begin];
      out += Circle(
          "dot", scale.X(static_cast<double>(p.step)), scale.Y(p.value),
          points.size() == 1 ? "4" : "2",
          "step " + std::to_string(p.step) + ": " + ReportNumber(p.value));
    } else {
      out += "<polyline class=\"line\" points=\"";
      for (std::size_t k = begin; k < i; ++k) {
        out += Coordinate(scale.X(static_cast<double>(points[k].step))) + "," +
               Coordinate(scale.Y(points[k].value)) + " ";
      }
      out.back() = '"';
      out += "/>";
    }
    begin = i;
  }
  return out;
}

// Every point has a title: alone, or with its neighbours at the one that is
// farthest from their mean.
std::string Titles(const CurveScale& scale, const Curve& curve) {
  const std::vector<CurvePoint>& points = curve.points;
  const std::size_t n = points.size();
  if (n < 2) return "";
  const std::size_t every = (n + kMaxTitles - 1) / kMaxTitles;
  std::string out;
  for (std::size_t begin = 0; begin < n; begin += every) {
    const std::size_t end = std::min(n, begin + every);
    double mean = 0;
    for (std::size_t i = begin; i < end; ++i) {
      mean += points[i].value / static_cast<double>(end - begin);
    }
    std::size_t shown = begin;
    std::string values;
    for (std::size_t i = begin; i < end; ++i) {
      values += (i == begin ? "" : ", ") + ReportNumber(points[i].value);
      if (std::abs(points[i].value - mean) >
          std::abs(points[shown].value - mean)) {
        shown = i;
      }
    }
    const std::string last = std::to_string(points[end - 1].step);
    const std::string steps =
        end - begin == 1
            ? "step " + last
            : "steps " + std::to_string(points[begin].step) + " to " + last;
    out += Circle("point", scale.X(static_cast<double>(points[shown].step)),
                  scale.Y(points[shown].value), "4", steps + ": " + values);
  }
  return out;
}

// Steps whose value is no point of the line, and points beyond the picture.
std::string Marks(const CurveScale& scale, const Curve& curve) {
  std::string out;
  const std::size_t n = curve.unused.size();
  const std::size_t every = (n + kMaxTitles - 1) / kMaxTitles;
  for (std::size_t i = n == 0 ? 0 : (n - 1) % every; i < n; i += every) {
    const CurvePoint& p = curve.unused[i];
    const bool finite = std::isfinite(p.value);
    const std::string title = "step " + std::to_string(p.step) + ": " +
                              ReportNumber(p.value) +
                              (finite ? ", left out: " + curve.unused_why : "");
    out += Circle(finite ? "rest" : "nan", scale.X(static_cast<double>(p.step)),
                  finite ? scale.Y(p.value) : kCurveTop, "3", title);
  }
  for (const CurvePoint& p : curve.points) {
    if (scale.Shows(p.value)) continue;
    out += Circle("rest", scale.X(static_cast<double>(p.step)),
                  scale.Y(p.value), "3",
                  "step " + std::to_string(p.step) + ": " +
                      ReportNumber(p.value) + ", beyond the picture");
  }
  return out;
}

}  // namespace

std::string CurveFigure(const Curve& curve) {
  if (curve.points.empty() && curve.unused.empty()) return "";
  CurveScale scale(curve);
  const CurvePoint& newest = NewestPoint(curve);
  const std::string value = ReportNumber(newest.value);
  const std::string at = " at step " + std::to_string(newest.step);
  const std::string words = EscapeHtml(CurveCaption(curve));
  std::string out = "<figure";
  if (!curve.active.empty()) out += " class=\"hit\"";
  out += "><figcaption><b>" + EscapeHtml(curve.title) +
         "</b> <span class=\"at\"><b>" + value +
         "</b> <span class=\"small dim\">" + at.substr(1) + "</span></span>";
  if (!curve.key.empty()) out += " <code>" + Breakable(curve.key) + "</code>";
  if (!curve.note.empty()) {
    out += " <span class=\"small note\">" + EscapeHtml(curve.note) + "</span>";
  }
  out += "</figcaption>\n";
  out += "<svg role=\"img\" viewBox=\"0 0 " + Coordinate(kCurveWidth) + " " +
         Coordinate(kCurveHeight) + "\" aria-label=\"" +
         EscapeHtml(curve.title) + ": " + value + at +
         (words.empty() ? "" : "; " + words) + "\">";
  const std::string axes = Axes(curve, &scale);
  for (const CurveActive& active : curve.active) {
    out += ActiveArea(scale, active);
  }
  out += axes;
  for (const CurveBound& bound : curve.bounds) out += BoundLine(scale, bound);
  out += Line(scale, curve) + Titles(scale, curve) + Marks(scale, curve);
  return out + "</svg>\n<p>" + words + "</p></figure>\n";
}

}  // namespace rlrun
