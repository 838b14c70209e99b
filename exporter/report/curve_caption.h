// What is said of a curve beside its picture, as plain text.
// Pure; safe from any thread.
#pragma once

#include <string>

#include "exporter/report/curve.h"

namespace rlrun {

// `kl_blowup since step 57`.
std::string CurveActiveText(const CurveActive& active);

// From which step to which it goes, between which values, how many steps have
// no point and why, its bounds, what is active on it.
std::string CurveCaption(const Curve& curve);

// The newest printed value, be it a point or not; there must be one.
const CurvePoint& NewestPoint(const Curve& curve);

}  // namespace rlrun
