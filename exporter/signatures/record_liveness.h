// What the record of a run and its log say against each other: does it live?
//
// possibly_stuck: the record says running with a phase active, was last updated
// more than 10 min ago, was not seen to change for as long, and the log (where
// there is one) is silent as long.
//   Why: a healthy launcher writes its record each minute; a log that grows
//   says that only the record stands still. What has no app yet waits for one.
//   Known false positive: a phase without any output of its own.
// app_died: the record says running, the log ends in an error and has not grown
// for 10 min.
//   Why: who writes "failed" died with it. Known false positive: a trainer that
//   catches the error and waits for something.
// not_started (info): no app id, or for more than 30 min nothing but start-up
// phases.
//   Why: a queue or a large image takes that long. Known false positive: the
//   conversion of a very large model.
// The caller judges them only while record and log can be read. Times are
// seconds, absent where unknown; a signature without its inputs is not
// applicable.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exporter/signatures/failure_options.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

enum class RecordStatus : std::uint8_t { kQueued = 0, kRunning, kEnded };

struct RecordView {
  RecordStatus status = RecordStatus::kQueued;
  bool has_app_id = false;
  std::string phase;          // active one, as recorded; empty: none
  bool only_startup = false;  // every phase so far was one of start-up
  std::optional<double> age;  // since the record was made
  // Since `updated_at`, or since it was seen to change, if that is less.
  std::optional<double> since_update;
  std::optional<double> log_silence;      // absent: no log is known
  std::optional<bool> log_ends_in_error;  // absent: no log is known
  std::int64_t step = 0;                  // newest one, for the evidence
};

RuleResult PossiblyStuck(const RecordView& record, const FailureOptions& o);
RuleResult AppDied(const RecordView& record, const FailureOptions& o);
RuleResult NotStarted(const RecordView& record, const FailureOptions& o);

}  // namespace rlrun
