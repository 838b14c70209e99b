// Which gradient norms are spikes: they are marked on their series as soon as
// they are added, so that T of later steps leaves them out. The signals are in
// quality_gradient.cc.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/quality_options.h"
#include "exporter/signatures/series.h"

namespace rlrun {

// The newest point of `actor/grad_norm` is a hit of `grad_explosion`:
// x >= ratio x U, from the 10th point on. Where U is 0 nothing is a hit.
bool IsGradientSpike(const Series& actor,
                     const QualityOptions::GradExplosion& options);

// The same for `critic/grad_norm`: M_3 >= ratio x T.
bool IsCriticGradientSpike(const Series& critic,
                           const QualityOptions::GradExplosion& options);

}  // namespace rlrun
