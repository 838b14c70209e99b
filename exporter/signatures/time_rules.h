// The rules that a clock decides: `stall` and `no_progress` (signatures.md,
// "Failure signatures"). Pure functions of options and inputs; what holds until
// the next training line is kept by state_findings.h.
//
// Formulas: stall: now >= newest write or trial change + max(30 min, 1.5 x the
// longest silence inside a completed step). no_progress: the log has grown
// behind the newest step, now >= that step + max(60 min, 5 x own median step).
// Before the first training line both have 2 h; while a validation or
// checkpoint is known to run no_progress has max(2 h, 2 x the longest known).
// Thresholds: a silence of half an hour with a live process is what a deadlock
// of validation or weight sync looked like, and the run's own steps tell what
// is normal for it. Known false positive: the first validation of a trainer
// that prints nothing while it validates for more than half an hour.
// Pure; safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "exporter/signatures/rule.h"
#include "exporter/signatures/state_inputs.h"
#include "exporter/signatures/time_options.h"

namespace rlrun {

// A result that is not evaluated leaves what was before: its source cannot be
// read, or only time will tell.
struct TimeRule {
  std::string_view name;  // the label `signature`
  std::uint8_t severities;
  RuleResult (*evaluate)(const TimeOptions& options, const StateInputs& inputs);
  std::string_view means;  // one sentence for the report
  std::string_view next;   // what to do, one sentence
};

// stall, no_progress: of what has a log.
std::span<const TimeRule> TimeRules();

// Seconds of silence that are a stall.
double StallLimit(const TimeOptions& options, const StateInputs& inputs);
// Seconds without a step line that are no progress.
double ProgressLimit(const TimeOptions& options, const StateInputs& inputs);
// Unix seconds from which on progress is waited for; absent: nothing tells.
std::optional<double> ProgressBase(const StateInputs& inputs);

// Where the log's tail sits and whether its process is seen, in words.
std::string TailSits(const StateInputs& inputs);

// Whether `limit` seconds have gone since `base`. Everybody compares like this,
// so that a deadline and its rule agree to the last bit.
inline bool Reached(const StateInputs& inputs, double base, double limit) {
  return inputs.times.now >= base + limit;
}

// The next time after inputs.times.now at which a time or event rule or the
// state can become another by the clock alone; absent: never.
std::optional<double> NextDeadline(const TimeOptions& options,
                                   const StateInputs& inputs);

}  // namespace rlrun
