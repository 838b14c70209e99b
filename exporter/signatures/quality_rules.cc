#include <algorithm>
#include <cstdio>
#include <vector>

#include "exporter/signatures/quality_family.h"

namespace rlrun {

// `reward_drop` comes first: others ask for its level of the same step.
std::span<const StepRule> QualityRules() {
  static const std::vector<StepRule> rules = [] {
    std::vector<StepRule> all;
    for (const std::span<const StepRule> family :
         {RewardRules(), NonfiniteRules(), LossRules(), EvalRules(),
          GradientRules(), LearningRateRules(), EntropyRules(), KlRules(),
          LengthRules()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return rules;
}

RuleResult::Kind FirstKey(const RuleInput& input,
                          std::initializer_list<Role> roles) {
  for (const Role role : roles) {
    if (!Prints(input, role)) continue;
    return input.step().point(role) ? RuleResult::Kind::kEvaluated
                                    : RuleResult::Kind::kNotEvaluated;
  }
  return RuleResult::Kind::kNotApplicable;
}

bool HasPoints(const RuleInput& input, Role role, std::size_t points) {
  return input.step().point(role) &&
         input.history.series(role).count() >= points;
}

bool IsWithinSteps(const History& history, const Series& series,
                   std::size_t back, std::size_t steps) {
  const auto& numbers = history.training_steps();
  if (back >= series.values().size() || numbers.empty() || steps == 0) {
    return false;
  }
  const std::size_t oldest = std::min(steps, numbers.size()) - 1;
  return series.newest_step(back) >= numbers[oldest];
}

void Raise(Level level, RuleResult* result) {
  result->kind = RuleResult::Kind::kEvaluated;
  result->level = std::max(result->level, level);
}

void AddDetail(std::string_view name, double number, RuleResult* result) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  if (!result->detail.empty()) result->detail += ", ";
  result->detail += name;
  result->detail += '=';
  result->detail += text;
}

void Claim(const RuleInput& input, Level level, Role role, double bound,
           std::string_view computed, double number, RuleResult* result) {
  Raise(level, result);
  AddEvidence(input.history, role, bound, result,
              number < bound ? Side::kBelow : Side::kAbove);
  AddDetail(computed, number, result);
}

void ClaimHits(const RuleInput& input, Role role, std::size_t back,
               double bound, std::size_t hits, RuleResult* result) {
  Raise(Level::kCritical, result);
  const Series& series = input.history.series(role);
  result->evidence.push_back({KeyText::Lasting(input.history.key(role)),
                              series.newest_step(back), series.newest(back),
                              bound});
  AddDetail("hits", static_cast<double>(hits), result);
}

}  // namespace rlrun
