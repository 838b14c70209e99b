// What checks and the evidence of findings say in words, the same in texts and
// on pages.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "exporter/signatures/judgement.h"

namespace rlrun {

// The active ones, the worst first; they point into `findings`.
std::vector<const Finding*> ActiveFindings(
    const std::vector<Finding>& findings);

// The bound itself is out of range: a learning rate of 0 moves nothing.
bool IsOpenAtMin(const CheckResult& check);

// How long it has been: `since step 8 (3 steps)`, of a check of validations
// `since step 20 (2 validations)`; `for 3 steps` where the first is not known.
std::string OutOfRange(const CheckResult& check);

// `above 0.2`, `below 0.35`; a bound that is met exactly: its number. Empty: it
// has none.
std::string BoundText(const Evidence& evidence);

// Its newest value; `-` where what should be absent is.
std::string CheckValue(const CheckResult& check);

// `at least 0.99`, `at most 0.01`, `not all 0`; empty: nothing is known.
std::string HealthyRange(const CheckResult& check);

}  // namespace rlrun
