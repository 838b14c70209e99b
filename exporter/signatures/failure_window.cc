#include "exporter/signatures/failure_window.h"

#include <algorithm>

namespace rlrun {

std::optional<double> PointAt(const Series& series, std::int64_t step) {
  const auto steps = series.steps();
  const auto it = std::lower_bound(steps.begin(), steps.end(), step);
  if (it == steps.end() || *it != step) return std::nullopt;
  return series.values()[static_cast<std::size_t>(it - steps.begin())];
}

std::vector<double> PointsAt(const Series& series,
                             std::span<const std::int32_t> steps) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const std::int32_t step : steps) {
    if (const auto value = PointAt(series, step)) values.push_back(*value);
  }
  return values;
}

std::optional<double> MedianBefore(const Series& series, std::size_t skip,
                                   std::size_t most, std::size_t least) {
  const auto values = series.values();
  if (values.size() < skip + least) return std::nullopt;
  const std::size_t size = std::min(most, values.size() - skip);
  if (size == 0) return std::nullopt;
  const auto window = values.first(values.size() - skip).last(size);
  std::vector<double> copy(window.begin(), window.end());
  return Median(copy);
}

std::optional<double> MedianUpTo(const Series& series, std::int64_t step,
                                 std::size_t count) {
  const auto steps = series.steps();
  const auto end = std::upper_bound(steps.begin(), steps.end(), step);
  const auto behind = static_cast<std::size_t>(steps.end() - end);
  return MedianBefore(series, behind, count, count);
}

std::optional<double> BatchAt(const RuleInput& input, std::int64_t step) {
  const RunFacts& facts = input.facts;
  if (facts.prompts_per_step && facts.responses_per_prompt) {
    const auto batch = static_cast<double>(*facts.prompts_per_step) *
                       static_cast<double>(*facts.responses_per_prompt);
    if (batch > 0) return batch;
  }
  return PointAt(input.history.series(Role::kFilterReasons), step);
}

double NoiseOf(std::span<const double> values, double quantum) {
  Series series(values.size());
  std::int64_t step = 0;
  for (const double value : values) series.Add(step++, value);
  return series.Noise(quantum).value_or(quantum);
}

void AddEnvShare(const RuleInput& input, double bound, RuleResult* result) {
  const Series& shares = input.history.series(Role::kEnvSetupFailedShare);
  if (shares.values().empty()) return;
  result->evidence.push_back({"share of env_setup_failed", shares.newest_step(),
                              shares.newest(), bound});
}

RuleResult Matched(Level level) {
  RuleResult result = RuleResult::None();
  result.level = level;
  return result;
}

}  // namespace rlrun
