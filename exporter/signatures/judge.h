// The memory of one run's rules: takes step records in text order, runs every
// check and step rule on each training step, and tells at any time what holds.
// Clearing: the published level of a step rule is the highest of its last three
// evaluated steps. Time and event rules, state and verdict are computed when
// asked (time_rules.h, state.h, verdict.h).
// Not thread-safe; only the thread that runs Tick touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "exporter/signatures/history.h"
#include "exporter/signatures/judgement.h"
#include "exporter/signatures/options.h"
#include "parsers/model/run_facts.h"

namespace rlrun {

class Judge {
 public:
  explicit Judge(std::shared_ptr<const RunRules> rules);
  ~Judge();
  Judge(Judge&&) noexcept;

  // Judges the newest step anew where the numbers differ; counts nothing again.
  void SetRules(std::shared_ptr<const RunRules> rules);
  // What the run was told to do; null: nothing known.
  void SetFacts(std::shared_ptr<const RunFacts> facts);
  void Apply(const StepRecord& record);
  void StartNewText();

  const History& history() const;
  // Findings of step rules, checks and recovered; state, time findings and
  // verdict are left for the caller. Cheap: made from what Apply computed.
  Judgement StepJudgement() const;

  // Level of this very step for one rule, for traces and tests; absent: not
  // evaluated on it.
  std::optional<Level> raw_level(std::string_view rule) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rlrun
