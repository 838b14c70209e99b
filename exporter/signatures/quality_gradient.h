// Which gradient norms are spikes. The judge marks them on their series
// (History::MarkSpike) as soon as a step is applied and before any rule is run,
// so that T of later steps leaves them out. Only the actor's: a critic's single
// norms are never hits. The signals are in quality_gradient.cc.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/quality_options.h"
#include "exporter/signatures/series.h"

namespace rlrun {

// The newest point of `actor/grad_norm` is a hit of `grad_explosion`:
// x >= ratio x U, from the 10th point on. Where U is 0 nothing is a hit.
bool IsGradientSpike(const Series& actor,
                     const QualityOptions::GradExplosion& options);

}  // namespace rlrun
