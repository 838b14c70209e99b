// The memory of one run's rules: takes step records in text order, runs every
// check and step rule on each training step, and tells at any time what holds.
// Clearing: the published level of a step rule is the highest of its last three
// evaluated steps. Time and event rules, state and verdict are computed when
// asked (time_rules.h, state.h, verdict.h).
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "exporter/signatures/history.h"
#include "exporter/signatures/judgement.h"
#include "exporter/signatures/options.h"
#include "exporter/signatures/rule.h"
#include "parsers/model/run_facts.h"

namespace rlrun {

// The step rules of signatures.md: failures, then training quality.
std::vector<StepRule> AllStepRules();

class Judge {
 public:
  // Null rules: the defaults. `table`: other rules, for tests; the order of
  // judging within a step is no_signal, reward_drop, then that of the table.
  explicit Judge(std::shared_ptr<const RunRules> rules);
  Judge(std::shared_ptr<const RunRules> rules, std::vector<StepRule> table);
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  // Judges the newest 12 training steps and the newest validation anew. What
  // was active before and still is does not count as an activation.
  void SetRules(std::shared_ptr<const RunRules> rules);
  // What the run was told to do; null: nothing known. For the steps to come.
  void SetFacts(std::shared_ptr<const RunFacts> facts);
  void Apply(const StepRecord& record);
  // The text that follows does not continue the old one; counters stay.
  void StartNewText();

  // Asks for the memory that the next step will touch: stage 0, 1, 2, each a
  // while after the one before.
  void Prefetch(std::size_t stage) const;

  const History& history() const;
  // Findings of step rules, checks and recovered; state, time findings and
  // verdict are left for the caller. Cheap: made from what Apply computed.
  Judgement StepJudgement() const;

  // Level of this very step (a validation rule: validation) for one rule, for
  // traces and tests; absent: not evaluated on it.
  std::optional<Level> raw_level(std::string_view rule) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rlrun
