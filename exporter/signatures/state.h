// The state of a run: signatures.md, "State", the first row that holds; and
// which finding keeps quiet beside which.
// Pure; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "exporter/signatures/judgement.h"
#include "exporter/signatures/state_inputs.h"
#include "exporter/signatures/time_options.h"

namespace rlrun {

struct StateResult {
  RunState state = RunState::kStarting;
  std::string reason;  // a few words; may be empty
};

// `findings`: those of time and event rules at least. `was_lost`: the state
// before, kept while the source cannot be read.
StateResult DecideState(const TimeOptions& options, const StateInputs& inputs,
                        const std::vector<Finding>& findings,
                        bool was_lost = false);

// Of trainer_crash > died_silently > ended_early > app_died > stall >
// no_progress > possibly_stuck > step_slowdown only the highest active one
// stays active.
void SuppressFindings(std::vector<Finding>* findings);

// A run that has ended neither stalls nor is slow to get on: no stall,
// no_progress, possibly_stuck.
void ClearWaiting(std::vector<Finding>* findings);

// Takes a finding's level and what belongs to it away.
void Quiet(Finding* finding);

}  // namespace rlrun
