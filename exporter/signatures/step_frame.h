// One training step as the rules see it: the newest value of each role, merged
// over the lines of the step, finite or not.
// Plain data.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "exporter/signatures/role.h"

namespace rlrun {

struct StepFrame {
  std::int64_t step = 0;
  std::bitset<kRoles> present;   // the step printed it, NaN and Inf included
  std::bitset<kRoles> is_point;  // and it is a point of its role's series
  std::array<double, kRoles> values{};
  // Nothing could be learned on this step: score, reward or advantages without
  // any spread, or nearly all prompts with equal rewards.
  bool tied = false;

  bool has(Role role) const { return present[RoleIndex(role)]; }
  bool point(Role role) const { return is_point[RoleIndex(role)]; }
  // The value; absent where the step did not print it.
  std::optional<double> value(Role role) const {
    if (!has(role)) return std::nullopt;
    return values[RoleIndex(role)];
  }
  // The value where it is a point, else `otherwise`.
  double value_or(Role role, double otherwise) const {
    return point(role) ? values[RoleIndex(role)] : otherwise;
  }
};

// A validation, complete as far as its lines have come.
struct ValidationFrame {
  std::int64_t step = 0;
  // Main scores by data source are in History::validations().
  std::size_t scores = 0;  // main scores printed
  std::size_t finite = 0;  // of those, finite
  bool all_zero = false;   // all of them finite and 0, and there is one
  std::optional<double> turns_max;  // val-aux/num_turns/max
};

}  // namespace rlrun
