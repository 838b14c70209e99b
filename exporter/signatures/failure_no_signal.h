// no_signal: nothing can be learned from the batches.
//
// Formula, over tied steps (history.h): warning from 9 of the last 10 training
// steps on, or when all so far are tied (at least 5); it stays while 5 of the
// last 10 are. Critical from 26 of the last 30 on; it stays while 15 are.
//   Why: hard data ties some steps of a healthy run, seldom two in a row; a
//   run whose answers are all cut, or whose reward is broken, ties every one.
//   Two bounds, for a run at the edge would come and go with each step.
//   Known false positive: data that is too easy; the run is done, not broken.
// A step that prints nothing from which ties are told is not evaluated, and
// counts as not tied.
// Pure; safe from any thread.
#pragma once

#include "exporter/signatures/rule.h"

namespace rlrun {

extern const StepRule kNoSignalRule;

}  // namespace rlrun
