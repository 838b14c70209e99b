// One training step as the rules see it: the newest value of each role, merged
// over the lines of the step, finite or not. The values that follow from other
// values of the same step are computed here.
// Plain data.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/signatures/role.h"

namespace rlrun {

struct StepFrame {
  std::int64_t step = 0;
  std::bitset<kRoles> present;   // the step printed it, NaN and Inf included
  std::bitset<kRoles> is_point;  // and it is a point of its role's series
  std::array<double, kRoles> values{};
  std::array<std::uint8_t, kRoles> ranks{};  // of the key that gave the value
  // Nothing could be learned on this step: score, reward or advantages without
  // any spread, or nearly all prompts with equal rewards.
  bool tied = false;
  // The step printed what tells whether it is tied.
  bool tie_known = false;
  // One of its lines was cut: a key that is missing may have been printed.
  bool cut = false;

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

  // Takes a printed value: a more preferred key wins, then the later one.
  void Set(Role role, double value, std::uint8_t rank = 0);
  void Unset(Role role);
};

// What the trajectories of one step amount to, by the reason why they ended.
struct ReasonSums {
  double all = 0, env_setup_failed = 0, timeout = 0;
  bool printed = false;   // at least one reason
  bool counted = false;   // the step counts them, so the others are 0
  bool old_keys = false;  // of an older fork
};

// The trajectories of one step by the reason why they ended, as printed.
struct FilterReasons {
  // At most 32, by the name of the reason.
  std::vector<std::pair<std::string, double>> counts;
  // The step counts its trajectories, so a reason without a line is 0.
  bool counted = false;
  bool old_keys = false;  // of an older fork

  // Takes a key of a step line; false: it is none of these.
  bool Take(std::string_view key, double value);
  void Put(std::string_view reason, double count);
  ReasonSums Sums() const;
};

// Fills what follows from the printed values: task reward, counts and shares of
// the filter, step time, ties, and which values are points.
struct FrameContext {
  // The run prints scores, so a step without one has no task reward.
  bool has_score = false;
  // Trajectories of a step: older filter keys say nothing of those that were
  // completed, so they are shares of it or of nothing.
  std::optional<double> batch;
};
void DeriveFrame(const ReasonSums& reasons, const FrameContext& context,
                 StepFrame* frame);

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
