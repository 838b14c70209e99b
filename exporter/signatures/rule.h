// What a step rule is: a pure function of the history of a run, its facts and
// options to a level with its evidence. One row per rule in the table of its
// family's file; the judge runs the tables, keeps the last three evaluated
// levels and everything else that has a memory.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/signatures/history.h"
#include "exporter/signatures/key_text.h"
#include "exporter/signatures/level.h"
#include "exporter/signatures/options.h"
#include "parsers/model/run_facts.h"

namespace rlrun {

// On which side of its bound what a rule looks at is.
enum class Side : std::uint8_t { kNone = 0, kAbove, kBelow };

// One reason for a level.
struct Evidence {
  KeyText key;  // verbatim, or the name of what was computed of it
  std::int64_t step = 0;
  double value = 0;
  std::optional<double> bound;
  // Of the bound; kNone: the one that the value is on. A median may be above a
  // bound that the newest value is below.
  Side side = Side::kNone;
  bool operator==(const Evidence&) const = default;
};

struct RuleResult {
  enum class Kind : std::uint8_t {
    kNotApplicable,  // this run is not of the kind: the series is absent
    kNotEvaluated,   // the first-named key is no point here: counts neither way
    kEvaluated
  };
  Kind kind = Kind::kNotEvaluated;
  Level level = Level::kNone;
  std::vector<Evidence> evidence;  // at most 4; only with a level
  std::string detail;              // what else the report says; may be empty

  static RuleResult NotApplicable() {
    return {Kind::kNotApplicable, {}, {}, {}};
  }
  static RuleResult NotEvaluated() { return {}; }
  static RuleResult None() { return {Kind::kEvaluated, {}, {}, {}}; }
};

// Levels that other rules have on this step: published ones, this step's
// evaluation included.
class RuleLevels {
 public:
  virtual ~RuleLevels() = default;
  virtual Level published(std::string_view rule) const = 0;
};

// What a rule may look at.
struct RuleInput {
  const History& history;
  const RunFacts& facts;  // empty where nothing is stated
  const RunRules& rules;  // options in force for this run
  const RuleLevels& levels;
  // The rule's own level on the step on which it was evaluated before this one
  // (for `no_signal`): not the published one, which holds three steps.
  Level before = Level::kNone;

  const StepFrame& step() const { return history.newest(); }
  bool sao() const;  // signatures.md, "A rule applies only if": critic and DIS
};

enum class RuleTrigger : std::uint8_t {
  kTrainingStep,  // judged at each training step
  kValidation,    // judged at each validation; level of the newest one
};

struct StepRule {
  std::string_view name;  // the label `signature`
  RuleTrigger trigger;
  std::uint8_t severities;  // bit (1 << level) for each level it can have
  // Rules that a later line of the same step re-runs: roles they watch.
  std::span<const Role> roles;
  RuleResult (*evaluate)(const RuleInput& input);
  std::string_view means;  // one sentence for the report
  std::string_view next;   // what to do, one sentence
};

constexpr std::uint8_t LevelBit(Level level) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(level));
}

// In the order in which they are judged within a step.
std::span<const StepRule> FailureRules();  // failure_*.cc
std::span<const StepRule> QualityRules();  // quality_*.cc

// Adds evidence: newest value of the role under its verbatim key.
void AddEvidence(const History& history, Role role, std::optional<double> bound,
                 RuleResult* result, Side side = Side::kNone);
// kNone: it has no bound, or is at it.
Side SideOf(const Evidence& evidence);

}  // namespace rlrun
