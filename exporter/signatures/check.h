// The health table of signatures.md: each row as data and a pure function of
// the history of a run. How many steps in a row are out of range is the
// judge's. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "exporter/signatures/check_options.h"
#include "exporter/signatures/role.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

struct CheckOutcome {
  enum class Kind : std::uint8_t {
    kNotApplicable,  // this run is not of the kind
    kNotEvaluated,   // counts neither way
    kHealthy,
    kFailing
  };
  Kind kind = Kind::kNotEvaluated;
  double value = 0;
  std::optional<double> min, max;  // in force
  // Fewer steps in a row than these say nothing and count as none.
  std::size_t least = 1;
};

struct Check {
  std::string_view name;  // the label `check`
  RuleTrigger trigger;
  Role role;  // whose key is shown; kCount: main scores of the validation
  CheckBound CheckOptions::*bound;
  CheckOutcome (*evaluate)(const RuleInput& input, const CheckBound& bound);
  std::string_view means;  // for the report
  // What is judged of the key where that is not its own value; else empty.
  std::string_view label = {};
};

// In the order of the table.
std::span<const Check> Checks();

// A learning rate of 0 is no finding there: within a configured warm-up, or in
// the last 2 % of the planned steps.
bool LrMayBeZero(const RuleInput& input);

}  // namespace rlrun
