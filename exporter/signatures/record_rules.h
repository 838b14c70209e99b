// The rules of run records as the state of a run is judged by them:
// `possibly_stuck`, `app_died`, `not_started`, `auth_failure`, `cuda_oom`,
// `nccl_failure`, `retry_loop` (signatures.md, "Run-record signatures"). What
// each means stands in record_liveness.h and record_lines.h; here their inputs
// are made of what is known of the run.
// Pure; safe from any thread.
#pragma once

#include <optional>
#include <span>

#include "exporter/signatures/record_liveness.h"
#include "exporter/signatures/state_inputs.h"
#include "exporter/signatures/time_rules.h"

namespace rlrun {

// The stronger ones first.
std::span<const TimeRule> RecordRules();

// The record of `inputs`, which has one.
RecordView RecordViewOf(const StateInputs& inputs);

// How the record says that its run ended.
RecordedEnd RecordedEndOf(const RecordedRun& run);

// The next time after inputs.times.now at which a rule of the record can become
// another by the clock alone; absent: never.
std::optional<double> NextRecordDeadline(const StateInputs& inputs);

}  // namespace rlrun
