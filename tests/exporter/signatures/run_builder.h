// A made-up run for tests of rules: keys with a function of the step each, fed
// step by step into a Judge.
//
//   RunBuilder run;
//   run.Key("critic/score/mean", [](int i) { return 0.01 * i; });
//   run.Key("actor/lr", 1e-6);
//   run.Play(1, 100);
//   EXPECT_EQ(run.level("reward_drop"), Level::kNone);
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/signatures/judge.h"

namespace rlrun {

class RunBuilder {
 public:
  using Pairs = std::vector<std::pair<std::string, double>>;
  using Value = std::function<double(int step)>;
  using MaybeValue = std::function<std::optional<double>(int step)>;
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kInf = std::numeric_limits<double>::infinity();

  RunBuilder() : judge_(std::make_shared<RunRules>()) {}
  // Other rules than those of signatures.md.
  explicit RunBuilder(std::vector<StepRule> table)
      : judge_(std::make_shared<RunRules>(), std::move(table)) {}

  // Each later training line has the key; a key that is there is replaced.
  RunBuilder& Key(std::string key, Value value) {
    return MaybeKey(std::move(key), [v = std::move(value)](int step) {
      return std::optional<double>(v(step));
    });
  }
  RunBuilder& Key(std::string key, double value) {
    return Key(std::move(key), [value](int) { return value; });
  }
  // Steps on which it gives nothing do not print the key.
  RunBuilder& MaybeKey(std::string key, MaybeValue value) {
    for (auto& [name, old] : keys_) {
      if (name != key) continue;
      old = std::move(value);
      return *this;
    }
    keys_.emplace_back(std::move(key), std::move(value));
    return *this;
  }
  RunBuilder& Without(std::string_view key) {
    std::erase_if(keys_, [&](const auto& k) { return k.first == key; });
    return *this;
  }
  // Of all later lines: 0 none printed, 3 a console that rounds, 255 exponents.
  RunBuilder& Decimals(std::uint8_t decimals) {
    decimals_ = decimals;
    return *this;
  }

  // Training lines first..last, with every key of the table.
  RunBuilder& Play(int first, int last) {
    for (int step = first; step <= last; ++step) Line(step, Values(step));
    return *this;
  }
  // One line, as it is.
  RunBuilder& Line(int step, const Pairs& pairs) {
    judge_.Apply(Record(step, pairs));
    return *this;
  }
  Pairs Values(int step) const {
    Pairs pairs;
    for (const auto& [key, value] : keys_) {
      if (const auto x = value(step)) pairs.emplace_back(key, *x);
    }
    return pairs;
  }
  StepRecord Record(int step, const Pairs& pairs) const {
    StepRecord record;
    record.step = step;
    record.decimals = decimals_;
    for (const auto& [key, value] : pairs) record.Add(key, value);
    return record;
  }

  RunBuilder& Facts(RunFacts facts) {
    judge_.SetFacts(std::make_shared<RunFacts>(std::move(facts)));
    return *this;
  }
  RunBuilder& Rules(RunRules rules) {
    judge_.SetRules(std::make_shared<RunRules>(std::move(rules)));
    return *this;
  }

  Judge& judge() { return judge_; }
  const History& history() const { return judge_.history(); }
  // Published level; nothing: absent.
  std::optional<Level> level(std::string_view rule) const {
    const Judgement judgement = judge_.StepJudgement();
    const Finding* finding = judgement.find(rule);
    return finding ? std::optional(finding->level) : std::nullopt;
  }
  // Level of the newest step alone; nothing: not evaluated there.
  std::optional<Level> raw(std::string_view rule) const {
    return judge_.raw_level(rule);
  }
  std::optional<Finding> finding(std::string_view rule) const {
    const Judgement judgement = judge_.StepJudgement();
    const Finding* finding = judgement.find(rule);
    return finding ? std::optional(*finding) : std::nullopt;
  }
  std::optional<CheckResult> check(std::string_view name) const {
    for (const CheckResult& c : judge_.StepJudgement().checks) {
      if (c.name == name) return c;
    }
    return std::nullopt;
  }
  // Newest steps in a row that fail the check; nothing: absent.
  std::optional<std::size_t> failing(std::string_view name) const {
    const auto result = check(name);
    return result ? std::optional(result->failing_steps) : std::nullopt;
  }
  // The step on which it cleared, while it is listed.
  std::optional<std::int64_t> recovered(std::string_view rule) const {
    for (const Recovered& r : judge_.StepJudgement().recovered) {
      if (r.name == rule) return r.step;
    }
    return std::nullopt;
  }

  // Plays on from `first` until the rule has the level (or worse) as its own
  // level of a step, at most to `last`; the step, or nothing.
  std::optional<int> FirstRaw(std::string_view rule, Level at_least, int first,
                              int last) {
    for (int step = first; step <= last; ++step) {
      Line(step, Values(step));
      const auto level = raw(rule);
      if (level && *level >= at_least) return step;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<std::string, MaybeValue>> keys_;
  std::uint8_t decimals_ = StepRecord::kExponent;
  Judge judge_;
};

}  // namespace rlrun
