// Rollout and trainer apart from each other.
//
// r3_misalignment: pearson of the probabilities < 0.99 on the last 2 points and
// (both < 0.95, or |rollout_corr/kl| > 0.01 on both steps).
//   Why: healthy runs stay near 0.999 at a KL of 3e-4; replay that is off or
//   misrouted gives about 0.75 or a KL of 0.15. Pearson alone also sinks when
//   entropy does (0.9936 at a KL of 5e-4 on a healthy run), hence the proof.
//   Known false positive: very low entropy takes pearson below 0.95 by itself.
//
// dis_not_reaching_actor (SAO): `actor/pg_clipfrac` on the newest training
// step, or rollout_is_ratio_fraction_low non-zero and a multiple of 1/batch on
// 3 points in a row.
//   Why: in bypass mode the loss mirror prints no clip fraction; shares of
//   tokens are multiples of 1/batch only where whole sequences are counted,
//   which is the wrong loss.
//   Known false positive: a rounded console prints shares that are multiples
//   of 1/batch by rounding.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kR3MisalignmentRule;
extern const StepRule kDisNotReachingActorRule;

}  // namespace rlrun
