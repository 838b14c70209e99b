// Where the steps and values of a curve stand in its picture.
// Pure; safe from any thread.
#pragma once

#include <string>

#include "exporter/report/curve.h"

namespace rlrun {

// Units of the picture; about pixels, since a curve is shown about so wide.
inline constexpr double kCurveWidth = 340;
inline constexpr double kCurveHeight = 132;
inline constexpr double kCurveTop = 9, kCurveRight = 8, kCurveBottom = 20;

class CurveScale {
 public:
  // Of a curve with a value. Steps reach to the newest one of the run. A bound
  // far away makes no flat line of the curve, and neither do a few spikes.
  explicit CurveScale(const Curve& curve);

  double X(double step) const;
  double Y(double value) const;  // at an end of the picture where it is beyond
  bool Shows(double value) const { return value >= low_ && value <= high_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double first() const { return first_; }
  double last() const { return last_; }
  double left() const { return left_; }
  void SetLeft(double left) { left_ = left; }

 private:
  void Include(double value);
  void LeaveOutSpikes(const Curve& curve);
  double first_ = 0, last_ = 0, low_ = 0, high_ = 0;
  double left_ = 0;  // where the plot begins: ticks stand before it
};

// `12.3`, as the numbers of the picture are written.
std::string Coordinate(double value);

}  // namespace rlrun
