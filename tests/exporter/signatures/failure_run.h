// A run made of step lines, for tests of step rules: lines in, the result of
// one rule on the newest step out.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/signatures/failure_actor.h"
#include "exporter/signatures/failure_critic.h"
#include "exporter/signatures/failure_environment.h"
#include "exporter/signatures/failure_no_signal.h"
#include "exporter/signatures/failure_rollout.h"
#include "exporter/signatures/failure_step_time.h"
#include "exporter/signatures/failure_turns.h"
#include "exporter/signatures/failure_validation.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class FailureRun : private RuleLevels {
 public:
  using Pairs = std::initializer_list<std::pair<std::string_view, double>>;

  explicit FailureRun(const StepRule& rule) : rule_(&rule) {}

  // What every step prints unless it says otherwise.
  std::map<std::string, double, std::less<>> base;
  RunFacts facts;
  RunRules rules;
  // Of each line: exact, or the decimals of a console that rounds.
  std::uint8_t decimals = StepRecord::kExponent;

  // A training step: `base` with these pairs over it.
  RuleResult Step(std::int64_t step, Pairs pairs = {}) {
    auto all = base;
    for (const auto& [key, value] : pairs) all[std::string(key)] = value;
    StepRecord record = Record(step);
    for (const auto& [key, value] : all) record.Add(key, value);
    return Apply(record);
  }
  // The same as many times as it takes to get to step `last`.
  RuleResult StepsTo(std::int64_t last, Pairs pairs = {}) {
    RuleResult result;
    while (next_ <= last) result = Step(next_, pairs);
    return result;
  }
  // A line of these pairs alone.
  RuleResult Line(std::int64_t step, Pairs pairs) {
    StepRecord record = Record(step);
    for (const auto& [key, value] : pairs) record.Add(key, value);
    return Apply(record);
  }
  RuleResult Apply(const StepRecord& record) {
    if (facts.prompts_per_step && facts.responses_per_prompt) {
      history_.SetBatch(static_cast<double>(*facts.prompts_per_step *
                                            *facts.responses_per_prompt));
    }
    history_.Apply(record);
    next_ = record.step + 1;
    const RuleResult result =
        rule_->evaluate({history_, facts, rules,
                         static_cast<const RuleLevels&>(*this), before_});
    if (result.kind == RuleResult::Kind::kEvaluated) before_ = result.level;
    return result;
  }
  RuleResult Now() const {
    return rule_->evaluate({history_, facts, rules,
                            static_cast<const RuleLevels&>(*this), before_});
  }
  // The first step up to `last` with a level; absent: silent.
  std::optional<std::int64_t> FiresUpTo(std::int64_t last, Pairs pairs) {
    while (next_ <= last) {
      const std::int64_t step = next_;
      if (Step(step, pairs).level != Level::kNone) return step;
    }
    return std::nullopt;
  }
  const History& history() const { return history_; }

 private:
  Level published(std::string_view) const override { return Level::kNone; }
  StepRecord Record(std::int64_t step) const {
    StepRecord record;
    record.step = step;
    record.decimals = decimals;
    return record;
  }

  const StepRule* rule_;
  History history_;
  Level before_ = Level::kNone;
  std::int64_t next_ = 1;
};

inline bool IsAbsent(const RuleResult& r) {
  return r.kind != RuleResult::Kind::kEvaluated;
}
inline bool IsSilent(const RuleResult& r) {
  return r.kind == RuleResult::Kind::kEvaluated && r.level == Level::kNone &&
         r.evidence.empty();
}

inline void PrintTo(const Evidence& e, std::ostream* out) {
  *out << e.key << " at step " << e.step << " = " << e.value;
  if (e.bound) *out << ", bound " << *e.bound;
}

}  // namespace rlrun
