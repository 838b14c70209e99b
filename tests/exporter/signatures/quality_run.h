// A run made of step lines, on which one training-quality signal is judged
// after each line, as it is raw: without the memory of three evaluated steps.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/signatures/history.h"
#include "exporter/signatures/quality_gradient.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

class QualityRun {
 public:
  using Values = std::vector<std::pair<std::string_view, double>>;
  using Kind = RuleResult::Kind;

  explicit QualityRun(std::string_view rule) {
    for (const StepRule& r : QualityRules()) {
      if (r.name == rule) rule_ = &r;
    }
    if (rule_ == nullptr) throw std::invalid_argument(std::string(rule));
  }

  History history;
  RunFacts facts;
  RunRules rules;
  std::map<std::string, Level, std::less<>> published;  // of other rules
  std::uint8_t decimals = StepRecord::kExponent;

  // One training line; the result is kept under its step.
  const RuleResult& Step(std::int64_t step, const Values& values) {
    return Line(step, LineClass::kTrain, values);
  }
  const RuleResult& Validation(std::int64_t step, const Values& values) {
    return Line(step, LineClass::kVal, values);
  }
  // Steps `from`..`to` with one key.
  const RuleResult& Feed(std::int64_t from, std::int64_t to,
                         std::string_view key, double value) {
    for (std::int64_t s = from; s <= to; ++s) Step(s, {{key, value}});
    return at(to);
  }
  // Steps `from`..`to`; the value of the key turns around `middle`.
  const RuleResult& Swing(std::int64_t from, std::int64_t to,
                          std::string_view key, double middle, double size) {
    for (std::int64_t s = from; s <= to; ++s) {
      Step(s, {{key, middle + (s % 2 == 0 ? size : -size)}});
    }
    return at(to);
  }

  const RuleResult& at(std::int64_t step) const { return results_.at(step); }
  Level level(std::int64_t step) const { return at(step).level; }
  // First step of this level; absent: none had it.
  std::optional<std::int64_t> first(Level level) const {
    for (const auto& [step, result] : results_) {
      if (result.level == level) return step;
    }
    return std::nullopt;
  }
  // No step had a level.
  bool silent() const {
    for (const auto& [step, result] : results_) {
      if (result.level != Level::kNone) return false;
    }
    return true;
  }
  // Steps on which the signal was evaluated.
  std::size_t evaluated() const {
    std::size_t count = 0;
    for (const auto& [step, result] : results_) {
      if (result.kind == Kind::kEvaluated) ++count;
    }
    return count;
  }

 private:
  struct Levels : RuleLevels {
    explicit Levels(const QualityRun* r) : run(r) {}
    Level published(std::string_view rule) const override {
      const auto found = run->published.find(rule);
      return found == run->published.end() ? Level::kNone : found->second;
    }
    const QualityRun* run;
  };

  const RuleResult& Line(std::int64_t step, LineClass line_class,
                         const Values& values) {
    StepRecord record;
    record.step = step;
    record.line_class = line_class;
    record.decimals = decimals;
    for (const auto& [key, value] : values) record.Add(key, value);
    // What makes it a training line.
    if (line_class == LineClass::kTrain) record.Add("actor/n", 1);
    const History::Change change = history.Apply(record);
    if (change.rewound_to) {
      results_.erase(results_.lower_bound(*change.rewound_to), results_.end());
    }
    if (history.newest().point(Role::kActorGradNorm) &&
        IsGradientSpike(history.series(Role::kActorGradNorm),
                        rules.options.quality.grad_explosion)) {
      history.MarkSpike(Role::kActorGradNorm);
    }
    const Levels levels(this);
    return results_[step] =
               rule_->evaluate({history, facts, rules, levels, Level::kNone});
  }

  const StepRule* rule_ = nullptr;
  std::map<std::int64_t, RuleResult> results_;
};

// key, step, value and bound of one reason.
inline std::string Text(const Evidence& e) {
  char text[256];
  if (e.bound) {
    std::snprintf(text, sizeof text, "%s@%lld=%g bound %g", e.key.str().c_str(),
                  static_cast<long long>(e.step), e.value, *e.bound);
  } else {
    std::snprintf(text, sizeof text, "%s@%lld=%g", e.key.str().c_str(),
                  static_cast<long long>(e.step), e.value);
  }
  return text;
}
inline std::vector<std::string> Texts(const RuleResult& result) {
  std::vector<std::string> all;
  for (const Evidence& e : result.evidence) all.push_back(Text(e));
  return all;
}

}  // namespace rlrun
