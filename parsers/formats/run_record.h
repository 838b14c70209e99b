// The documents of a run-record store (training-gym, modal-dojo), one JSON
// object each, mostly on one line:
//
//   {"training_run_id": "calm-otter-0a1b2c3d4e5f", "status": "running",
//    "framework": "slime", "framework_status": "generate_rollouts",
//    "updated_at": 1779373600, "metadata": {"framework_progress":
//    {"phase": "generate_rollouts", "current": 13, "total": 100}}}
//
// Accepts: what json_document.h does; each field optional, null or of another
//   type (then it is not stated); numbers of the wrong size are not stated.
// Ignores: fields that it does not know.
// Rejects: what json_document.h does, and a record of which not even an id, a
//   status, a framework or a time is stated (kIncomplete).
// Pure; safe from any thread. `text` is used up. *out is set with kOk.
#pragma once

#include <string>
#include <vector>

#include "parsers/formats/json_document.h"
#include "parsers/model/run_record.h"
#include "parsers/model/step_record.h"

namespace rlrun {

// `training-runs/<id>.json`.
DocumentParse ParseRunRecord(std::string text, RunRecord* out);

// `training-run-updates/...json`: newer progress or a newer rollout of a run.
DocumentParse ParseRunUpdate(std::string text, RunRecord* out);

// A summary `{"items": [...]}` of rollouts, or one rollout alone; with the id
// of the run that an item names, empty where it names none. Items without a
// rollout_id are left out.
using NamedRollout = std::pair<std::string, RecordedRollout>;
DocumentParse ParseRolloutSummary(std::string text,
                                  std::vector<NamedRollout>* out);

// `substep-timing/<id>/<rollout>__<role>.json`.
DocumentParse ParseRecordedTiming(std::string text, RecordedTiming* out);

// `metric-series/<id>/chunk-NNNNNN-<writer>.json`.
DocumentParse ParseMetricChunk(std::string text, MetricChunk* out);

// `training-steps-summary/<id>.json`, or one step alone: the steps of
// supervised training. Keys as stored.
DocumentParse ParseRecordedSteps(std::string text, MetricChunk* out);

}  // namespace rlrun
