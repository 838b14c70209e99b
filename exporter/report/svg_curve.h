// A curve as inline SVG: the line, its check's bounds, the steps since which a
// signature is active, and each point's value as a title. No script, no style
// of its own: classes are those of the page that it stands in. Pure; safe from
// any thread.
#pragma once

#include <string>

#include "exporter/report/curve.h"

namespace rlrun {

// `<figure>` with caption, picture and a sentence for those who do not see it.
std::string CurveFigure(const Curve& curve);

}  // namespace rlrun
