// The median that rules, clocks and durations are written in.
// Pure; safe from any thread.
#pragma once

#include <span>

namespace rlrun {

// Median of `values`, which it reorders: the mean of the middle two where their
// number is even. 0 < size; none is NaN.
double Median(std::span<double> values);

}  // namespace rlrun
