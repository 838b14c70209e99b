// Curves of one run over its steps, from the bounded history that its rules
// are judged by: what a person looks at first.
// Plain data; MakeCurves is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exporter/signatures/history.h"
#include "exporter/signatures/judgement.h"

namespace rlrun {

struct CurvePoint {
  std::int64_t step = 0;
  double value = 0;  // finite
};

struct Curve {
  std::string title;               // in words
  std::string key;                 // verbatim, of the run
  std::vector<CurvePoint> points;  // the oldest first, at most 512
  std::optional<double> min, max;  // bounds of its check that are in force
  // An active signature rests on this key since that step.
  std::optional<std::int64_t> active_since;
  std::string active_name;
};

// Those that the run has points of: first what an active signature or a failed
// check rests on, then reward, loss, gradient norm, agreement of rollout and
// trainer, turns, response length, entropy, step time, validation.
std::vector<Curve> MakeCurves(const History& history,
                              const Judgement& judgement);

}  // namespace rlrun
