// What the failure signatures ask of a series beside its medians: the value of
// another key on the same step, and medians of uneven windows. The windows
// themselves are in series.h.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "exporter/signatures/rule.h"
#include "exporter/signatures/series.h"

namespace rlrun {

// The point of `step`; absent where the step is none.
std::optional<double> PointAt(const Series& series, std::int64_t step);

// Values of `series` on those of `steps` that are points of it, in order.
std::vector<double> PointsAt(const Series& series,
                             std::span<const std::int32_t> steps);

// Median of the up to `most` points before the `skip` newest ones; absent with
// fewer than `least` of them.
std::optional<double> MedianBefore(const Series& series, std::size_t skip,
                                   std::size_t most, std::size_t least);

// Median of the newest `count` points that are not behind `step`; absent with
// fewer.
std::optional<double> MedianUpTo(const Series& series, std::int64_t step,
                                 std::size_t count);

// Prompts x responses of the config, else the filter reasons of `step`
// together, which may be 0; absent: unknown.
std::optional<double> BatchAt(const RuleInput& input, std::int64_t step);

// `noise` of these values alone: max(1.0483 x median |x_i - x_(i-1)|, quantum).
double NoiseOf(std::span<const double> values, double quantum);

// Adds the newest share of failed set-ups; it has no key of its own.
void AddEnvShare(const RuleInput& input, double bound, RuleResult* result);

// An evaluated result of this level; evidence is still to be added.
RuleResult Matched(Level level);

}  // namespace rlrun
