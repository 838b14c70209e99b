#include "exporter/signatures/record_liveness.h"

#include "exporter/signatures/failure_window.h"

namespace rlrun {

RuleResult PossiblyStuck(const RecordView& record, const FailureOptions& o) {
  if (!record.since_update) return RuleResult::NotApplicable();
  const bool is_active = record.status == RecordStatus::kRunning &&
                         record.has_app_id && !record.phase.empty();
  if (!is_active || *record.since_update <= o.record_silence ||
      record.log_silence.value_or(*record.since_update) <= o.record_silence) {
    return RuleResult::None();
  }
  RuleResult result = Matched(Level::kWarning);
  result.evidence.push_back({"record_silence_seconds", record.step,
                             *record.since_update, o.record_silence});
  if (record.log_silence) {
    result.evidence.push_back({"log_silence_seconds", record.step,
                               *record.log_silence, o.record_silence});
  }
  result.detail = "phase " + record.phase;
  return result;
}

RuleResult AppDied(const RecordView& record, const FailureOptions& o) {
  if (!record.log_ends_in_error || !record.log_silence) {
    return RuleResult::NotApplicable();
  }
  if (record.status != RecordStatus::kRunning || !*record.log_ends_in_error ||
      *record.log_silence < o.record_silence) {
    return RuleResult::None();
  }
  RuleResult result = Matched(Level::kCritical);
  result.evidence.push_back({"log_silence_seconds", record.step,
                             *record.log_silence, o.record_silence});
  return result;
}

RuleResult NotStarted(const RecordView& record, const FailureOptions& o) {
  if (record.status == RecordStatus::kEnded) return RuleResult::None();
  if (!record.has_app_id) {
    RuleResult result = Matched(Level::kInfo);
    result.detail = "no app id: queued or in early set-up";
    if (record.age) {
      result.evidence.push_back(
          {"record_age_seconds", record.step, *record.age, {}});
    }
    return result;
  }
  if (!record.only_startup) return RuleResult::None();
  if (!record.age) return RuleResult::NotEvaluated();
  if (*record.age <= o.record_startup) return RuleResult::None();
  RuleResult result = Matched(Level::kInfo);
  result.detail = "only start-up phases so far";
  result.evidence.push_back(
      {"record_age_seconds", record.step, *record.age, o.record_startup});
  return result;
}

}  // namespace rlrun
