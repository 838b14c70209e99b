#include "parsers/formats/run_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "parsers/formats/record_value.h"
#include "parsers/values/redact.h"

namespace rlrun {
namespace {

// Fields of one record. Those of its progress stand in `metadata`, or, in a
// document of updates, at the top.
class RecordVisitor : public JsonVisitor {
 public:
  explicit RecordVisitor(RunRecord* out) : out_(*out) {}

  void Number(const JsonPath& path, double value) override {
    if (path.depth == 1) return TopNumber(path.key[0], value);
    if (path.Is("config", "lr")) out_.lr = Finite(value);
    if (path.Is("metadata", "attempt_count")) out_.attempts = Whole(value);
    if (IsIn(path, "framework_progress")) {
      ProgressNumber(path.last(), value);
    } else if (IsIn(path, "latest_rollout")) {
      SetRolloutNumber(path.last(), value, &rollout_, &has_rollout_id_);
    } else if (path.depth == 4 && path.key[0] == "substep_times") {
      SubstepTime(path, value);
    }
  }

  void Text(const JsonPath& path, std::string_view text) override {
    if (path.depth == 1) return TopText(path.key[0], text);
    if (IsIn(path, "framework_progress") && path.last() == "phase") {
      out_.progress.phase = RecordText(text);
    } else if (path.Is("metadata", "last_attempt_status")) {
      out_.attempt_status = RecordText(text);
    } else if (path.Is("metadata", "metric_latest_run_id")) {
      out_.metric_run_id = RecordText(text);
    } else if (path.Is("config", "model", "model_name")) {
      out_.model = RecordText(text);
    } else if (IsMetrics(path)) {
      MetricsText(path.last(), text);
    }
  }

  void Bool(const JsonPath& path, bool value) override {
    if (IsIn(path, "framework_progress") && path.last() == "is_active") {
      out_.progress.is_active = value;
    }
  }

  void Finish() {
    if (has_rollout_id_) out_.latest_rollout = rollout_;
    if (!out_.ended_at) out_.ended_at = completed_at_;
  }

 private:
  static bool IsIn(const JsonPath& path, std::string_view object) {
    return (path.depth == 2 && path.key[0] == object) ||
           (path.depth == 3 && path.key[0] == "metadata" &&
            path.key[1] == object);
  }
  // The older name of where metrics go is `wandb`.
  static bool IsMetrics(const JsonPath& path) {
    return (path.depth == 3 && path.key[0] == "config" &&
            (path.key[1] == "metrics" || path.key[1] == "wandb")) ||
           (path.depth == 2 && path.key[0] == "metrics");
  }

  void TopNumber(std::string_view key, double value) {
    if (key == "created_at") out_.created_at = RecordTime(value);
    if (key == "started_at") out_.started_at = RecordTime(value);
    if (key == "updated_at") out_.updated_at = RecordTime(value);
    if (key == "ended_at") out_.ended_at = RecordTime(value);
    if (key == "completed_at") completed_at_ = RecordTime(value);
  }
  void TopText(std::string_view key, std::string_view text) {
    if (key == "error_message") {
      out_.error = RedactFront(text, kMaxRecordText);
      return;
    }
    constexpr std::array kTexts = {
        std::pair{"training_run_id", &RunRecord::id},
        std::pair{"framework", &RunRecord::framework},
        std::pair{"status", &RunRecord::status},
        std::pair{"framework_status", &RunRecord::phase},
        std::pair{"modal_app_id", &RunRecord::app_id},
        std::pair{"app_name", &RunRecord::app_name}};
    for (const auto& [name, field] : kTexts) {
      if (key == name) out_.*field = RecordText(text);
    }
  }
  void MetricsText(std::string_view key, std::string_view text) {
    if (key == "project") out_.project = RecordText(text);
    if (key == "group") out_.group = RecordText(text);
    if (key == "run_id" && out_.metric_run_id.empty()) {
      out_.metric_run_id = RecordText(text);
    }
  }
  void ProgressNumber(std::string_view key, double value) {
    RecordedProgress& p = out_.progress;
    if (key == "updated_at") p.updated_at = RecordTime(value);
    if (key == "current") p.current = WholeFrom(0, value);
    if (key == "total") p.total = WholeFrom(1, value);
    if (key == "rollout_id") p.rollout_id = WholeFrom(0, value);
  }
  // {step: {phase: {start, finish}}}
  void SubstepTime(const JsonPath& path, double value) {
    const auto substep =
        std::pair(std::string(path.key[1]), std::string(path.key[2]));
    if (path.key[3] == "start") starts_[substep] = value;
    if (path.key[3] == "finish") ends_[substep] = value;
    const auto start = starts_.find(substep);
    const auto end = ends_.find(substep);
    if (start == starts_.end() || end == ends_.end()) return;
    const double seconds = end->second - start->second;
    if (seconds >= 0 && seconds < kMaxSeconds) {
      out_.phase_seconds[RecordText(substep.second)] += seconds;
    }
    starts_.erase(start);
    ends_.erase(end);
  }

  RunRecord& out_;
  RecordedRollout rollout_;
  bool has_rollout_id_ = false;
  std::optional<double> completed_at_;
  std::map<std::pair<std::string, std::string>, double> starts_, ends_;
};

// {"items": [{...}, ...]} or one item.
class RolloutVisitor : public JsonVisitor {
 public:
  explicit RolloutVisitor(std::vector<NamedRollout>* out) : out_(*out) {}

  void Begin(const JsonPath& path) override {
    if (IsItem(path)) item_ = {};
  }
  void End(const JsonPath& path) override {
    if (IsItem(path)) Finish();
  }
  void Number(const JsonPath& path, double value) override {
    if (IsField(path)) {
      SetRolloutNumber(path.last(), value, &item_.rollout, &item_.has_id);
    }
  }
  void Text(const JsonPath& path, std::string_view text) override {
    if (IsField(path) && path.last() == "training_run_id") {
      item_.run = RecordText(text);
    }
  }
  // Behind the document, too, for one that is a single item.
  void Finish() {
    if (item_.has_id) out_.emplace_back(item_.run, item_.rollout);
    item_ = {};
  }

 private:
  struct Item {
    std::string run;
    RecordedRollout rollout;
    bool has_id = false;
  };
  static bool IsItem(const JsonPath& path) {
    return path.depth == 2 && path.key[0] == "items" && path.key[1].empty();
  }
  static bool IsField(const JsonPath& path) {
    return path.depth == 1 ||
           (path.depth == 3 && path.key[0] == "items" && path.key[1].empty());
  }

  std::vector<NamedRollout>& out_;
  Item item_;
};

class TimingVisitor : public JsonVisitor {
 public:
  explicit TimingVisitor(RecordedTiming* out) : out_(*out) {}

  void Number(const JsonPath& path, double value) override {
    if (path.Is("lane_start_unix_s")) begin_ = RecordTime(value);
    if (path.depth != 3 || path.key[0] != "phases") return;
    if (!(value >= 0) || value >= kMaxSeconds) return;
    if (path.key[2] == "busy_duration_s" || path.key[2] == "total_duration_s") {
      out_.phase_seconds[RecordText(path.key[1])] = value;
    } else if (path.key[2] == "last_end_s") {
      last_ = std::max(last_, value);
    }
  }
  void Finish() {
    if (begin_) out_.end = *begin_ + last_;
  }
  void Bool(const JsonPath& path, bool value) override {
    if (path.Is("final")) out_.final = value;
  }

 private:
  RecordedTiming& out_;
  std::optional<double> begin_;
  double last_ = 0;
};

DocumentParse ParseAs(std::string text, RunRecord* out) {
  RunRecord record;
  RecordVisitor visitor(&record);
  const DocumentParse parsed = ParseJsonDocument(std::move(text), &visitor);
  if (parsed != DocumentParse::kOk) return parsed;
  visitor.Finish();
  *out = std::move(record);
  return parsed;
}

}  // namespace

DocumentParse ParseRunRecord(std::string text, RunRecord* out) {
  RunRecord record;
  const DocumentParse parsed = ParseAs(std::move(text), &record);
  if (parsed != DocumentParse::kOk) return parsed;
  if (record.id.empty() && record.status.empty() && record.framework.empty() &&
      !record.created_at && !record.started_at) {
    return DocumentParse::kIncomplete;
  }
  *out = std::move(record);
  return parsed;
}

DocumentParse ParseRunUpdate(std::string text, RunRecord* out) {
  return ParseAs(std::move(text), out);
}

DocumentParse ParseRolloutSummary(std::string text,
                                  std::vector<NamedRollout>* out) {
  std::vector<NamedRollout> rollouts;
  RolloutVisitor visitor(&rollouts);
  const DocumentParse parsed = ParseJsonDocument(std::move(text), &visitor);
  if (parsed != DocumentParse::kOk) return parsed;
  visitor.Finish();
  *out = std::move(rollouts);
  return parsed;
}

DocumentParse ParseRecordedTiming(std::string text, RecordedTiming* out) {
  RecordedTiming timing;
  TimingVisitor visitor(&timing);
  const DocumentParse parsed = ParseJsonDocument(std::move(text), &visitor);
  visitor.Finish();
  if (parsed == DocumentParse::kOk) *out = std::move(timing);
  return parsed;
}

}  // namespace rlrun
