// Any bytes as each document of a run-record store: what is refused leaves what
// was there, what is taken is bounded, and a document that is cut anywhere is
// never taken for a whole one.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "parsers/formats/run_record.h"
#include "tests/fuzz/check.h"

namespace rlrun {
namespace {

void CheckRecord(const std::string& bytes) {
  RunRecord record;
  record.id = "before";
  const DocumentParse parsed = ParseRunRecord(bytes, &record);
  if (parsed != DocumentParse::kOk) {
    RLRUN_CHECK(record.id == "before");
    return;
  }
  for (const std::string* text :
       {&record.id, &record.framework, &record.status, &record.phase,
        &record.app_id, &record.app_name, &record.project,
        &record.metric_run_id, &record.progress.phase}) {
    RLRUN_CHECK(text->size() <= kMaxRecordText);
  }
  for (const auto& time : {record.created_at, record.started_at,
                           record.updated_at, record.ended_at}) {
    RLRUN_CHECK(!time || (std::isfinite(*time) && *time > 0));
  }
  for (const auto& [phase, seconds] : record.phase_seconds) {
    RLRUN_CHECK(std::isfinite(seconds) && seconds >= 0);
  }
  // The closing brace is the last thing that a writer writes.
  const std::size_t end = bytes.find_last_of('}');
  RunRecord cut;
  RLRUN_CHECK(ParseRunRecord(bytes.substr(0, end), &cut) != DocumentParse::kOk);
}

void CheckOthers(const std::string& bytes) {
  RunRecord update;
  ParseRunUpdate(bytes, &update);
  std::vector<NamedRollout> rollouts;
  ParseRolloutSummary(bytes, &rollouts);
  for (const auto& [run, rollout] : rollouts) {
    RLRUN_CHECK(rollout.id >= 0 && run.size() <= kMaxRecordText);
    RLRUN_CHECK(!rollout.seconds || *rollout.seconds >= 0);
  }
  RecordedTiming timing;
  ParseRecordedTiming(bytes, &timing);
  for (const auto& [phase, seconds] : timing.phase_seconds) {
    RLRUN_CHECK(std::isfinite(seconds) && seconds >= 0);
  }
  for (const auto parse : {&ParseMetricChunk, &ParseRecordedSteps}) {
    MetricChunk chunk;
    parse(bytes, &chunk);
    for (const auto& [step, values] : chunk.steps) {
      RLRUN_CHECK(!values.empty());
      for (const auto& [key, value] : values) {
        RLRUN_CHECK(value.written >= 0 && std::isfinite(value.written));
      }
    }
  }
}

}  // namespace
}  // namespace rlrun

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  rlrun::CheckRecord(bytes);
  rlrun::CheckOthers(bytes);
  return 0;
}
