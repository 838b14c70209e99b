// What a healthy step of each kind of trainer prints. Slow trends with bounded
// noise, so that no rule comes near its bound.
// Pure functions (Random aside); safe to call from any thread.
#pragma once

#include "tests/scenarios/recipe.h"

namespace rlrun::scenarios {

// All keys of a training step, the rollouter's too, validation aside.
StepValues HealthyStep(const Recipe& recipe, const Moment& moment);

// The keys of a validation at `moment.step`, which may be 0.
void AddValidation(const Recipe& recipe, const Moment& moment,
                   StepValues* values);

}  // namespace rlrun::scenarios
