// Validations that tell nothing, or do not come.
//
// val_fake_zero, at a validation: all main scores 0, and the median of the last
// 3 points of R up to its step > 0.05.
//   Why: a model that solves training tasks does not solve none of another
//   split; images of that split that cannot be pulled do give zeros.
//   Known false positive: a validation split that is far harder. On a rounded
//   console one such validation is no evidence, two in a row are.
//
// validation_missing: test_freq is known and no validation for 2 x test_freq
// steps; or the main scores of two validations in a row are not finite; or one
// started and has given no result for 2 x the longest one (ValidationOverdue).
//   Why: one that comes late by its own length is slow; by a whole period, it
//   hangs or its line was lost.
//   Known false positive: a log from which validation lines were cut.
// The time part is apart, for step rules have no clock: whoever has one merges
// both, the higher level in force.
// Pure; safe from any thread.
#pragma once

#include <optional>

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kValFakeZeroRule;
extern const StepRule kValidationMissingRule;

// What phase marks and step lines tell of validations, seconds.
struct ValidationWait {
  // Since the newest one started, while it has given no result; absent: none is
  // running, or it is not known since when.
  std::optional<double> running;
  // Of the longest one that gave a result; absent: none has.
  std::optional<double> longest;
};

// The time part of validation_missing; not evaluated where either is absent.
RuleResult ValidationOverdue(const ValidationWait& wait,
                             const FailureOptions& options);

}  // namespace rlrun
