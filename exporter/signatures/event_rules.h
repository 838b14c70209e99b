// The rules that lines of the log and processes decide: `trainer_crash`,
// `died_silently`, `ended_early` (signatures.md, "Failure signatures"). Pure
// functions of options and inputs.
//
// trainer_crash: an authoritative end (the launcher's "error executing job"
// block and its like), or a traceback or an actor's death, with no training
// line behind it, and then 5 min of silence or no process: retries and agents
// print tracebacks that a run lives with. Known false positive: a trainer that
// catches an error and then waits, silent, for more than 5 min.
// died_silently: the process was seen here and is gone, the log says nothing.
// ended_early: an end mark well below the planned steps; a wrapper says
// "finished" after a crash too.
// Pure; safe from any thread.
#pragma once

#include <span>

#include "exporter/signatures/time_rules.h"

namespace rlrun {

// trainer_crash, died_silently, ended_early: the stronger ones first.
std::span<const TimeRule> EventRules();

// The newest errors that can have stopped the run; null: there are none, they
// came with an interrupt or behind the end, or a training line followed.
const ErrorBurst* StoppingBurst(const TimeOptions& options,
                                const StateInputs& inputs);
// The log ends in an interrupt, or in an end mark, and no new launch follows.
bool EndsInInterrupt(const StateInputs& inputs);
bool EndsInEndMark(const StateInputs& inputs);
// The newest step is where a normal end has it: at most `total_slack` below the
// planned total, or the total is not known.
bool ReachedTotal(const TimeOptions& options, const StateInputs& inputs);
// The line of the last planned step is the end of it: all steps are printed,
// nothing is under way, and the process is gone or, where none is seen, the
// log silent for as long as a stall takes. Trainers without an end mark.
bool EndedAtLastStep(const TimeOptions& options, const StateInputs& inputs);

}  // namespace rlrun
