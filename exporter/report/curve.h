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
  double value = 0;
};

// A line across the picture, and what it is.
struct CurveBound {
  double value = 0;
  std::string text;  // `healthy at least 0.99`, `kl_blowup above 0.2`
};

// A signature, or a failed check, that rests on what the curve shows.
struct CurveActive {
  std::string name;
  std::int64_t since = 0;
};

struct Curve {
  std::string title;               // in words
  std::string key;                 // verbatim, of the run; may be empty
  std::vector<CurvePoint> points;  // the oldest first, all finite
  std::vector<CurveBound> bounds;
  std::vector<CurveActive> active;  // what rests on it most comes first
  std::string note = {};            // what of the key is shown; may be empty
  // Printed values that are no points: not finite, or left out by the rules.
  std::vector<CurvePoint> unused = {};
  std::string unused_why = {};                  // why finite ones are left out
  std::optional<std::int64_t> last_step = {};   // newest one of the run
  std::optional<double> least = {}, most = {};  // no value can be beyond
};

// Those that the run has values of: first what an active signature or a failed
// check rests on, then reward, loss, gradient norm, agreement of rollout and
// trainer, turns, response length, entropy, step time, validation.
std::vector<Curve> MakeCurves(const History& history,
                              const Judgement& judgement);

}  // namespace rlrun
