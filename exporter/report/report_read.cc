#include "exporter/report/report_read.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace rlrun {
namespace {

using Json = rapidjson::Value;

// Null: there is no such field.
const Json* Field(const Json& object, const char* name) {
  const auto it = object.FindMember(name);
  return it == object.MemberEnd() ? nullptr : &it->value;
}

std::string_view View(const Json& value) {
  return value.IsString()
             ? std::string_view(value.GetString(), value.GetStringLength())
             : std::string_view();
}

std::string Text(const Json& object, const char* name) {
  const Json* value = Field(object, name);
  return value == nullptr ? std::string() : std::string(View(*value));
}

std::optional<double> Number(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->IsNumber()) return value->GetDouble();
  const std::string_view text = View(*value);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<double> Number(const Json& object, const char* name) {
  return Number(Field(object, name));
}

std::optional<std::int64_t> Whole(const Json& object, const char* name) {
  const Json* value = Field(object, name);
  if (value == nullptr || !value->IsInt64()) return std::nullopt;
  return value->GetInt64();
}

std::uint64_t Count(const Json& object, const char* name) {
  const Json* value = Field(object, name);
  return value != nullptr && value->IsUint64() ? value->GetUint64() : 0;
}

bool Flag(const Json& object, const char* name) {
  const Json* value = Field(object, name);
  return value != nullptr && value->IsBool() && value->GetBool();
}

// Calls `take` with each object of a list.
template <typename Take>
void ForEach(const Json& object, const char* name, const Take& take) {
  const Json* list = Field(object, name);
  if (list == nullptr || !list->IsArray()) return;
  for (const Json& item : list->GetArray()) {
    if (item.IsObject()) take(item);
  }
}

std::vector<std::string> Strings(const Json& object, const char* name) {
  std::vector<std::string> out;
  const Json* list = Field(object, name);
  if (list == nullptr || !list->IsArray()) return out;
  for (const Json& item : list->GetArray()) out.emplace_back(View(item));
  return out;
}

std::map<std::string, std::uint64_t> Counts(const Json& object,
                                            const char* name) {
  std::map<std::string, std::uint64_t> out;
  const Json* counts = Field(object, name);
  if (counts == nullptr || !counts->IsObject()) return out;
  for (const auto& member : counts->GetObject()) {
    if (member.value.IsUint64()) {
      out[std::string(View(member.name))] = member.value.GetUint64();
    }
  }
  return out;
}

// The place of `text` in a list of names; false: it is not among them.
template <typename Enum>
bool Named(std::string_view text, std::span<const std::string_view> names,
           Enum* out) {
  const auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) return false;
  *out = static_cast<Enum>(it - names.begin());
  return true;
}

constexpr std::array<std::string_view, kLevels> kLevelNames = {
    LevelName(Level::kNone), LevelName(Level::kInfo),
    LevelName(Level::kWarning), LevelName(Level::kCritical)};
constexpr std::array<std::string_view, 3> kTrendNames = {
    TrendName(Trend::kFlat), TrendName(Trend::kRising),
    TrendName(Trend::kFalling)};

class ReportReader {
 public:
  ReportReader(const Json& json, std::deque<std::string>* texts)
      : j_(json), texts_(*texts) {}

  // False: it lacks what every report has.
  bool Read(RunReport* report) {
    r_ = report;
    if (!Named(Text(j_, "state"), kRunStateNames, &r_->state) ||
        !Named(Text(j_, "health"), kHealthNames, &r_->health)) {
      return false;
    }
    Names();
    Stage();
    Rollouts();
    Trials();
    Values();
    Signatures();
    Checks();
    return !r_->run.empty();
  }

 private:
  std::string_view Kept(std::string text) {
    return texts_.emplace_back(std::move(text));
  }

  void Names() {
    r_->project = Text(j_, "project");
    r_->run = Text(j_, "run");
    r_->framework = Text(j_, "framework");
    r_->mode = Text(j_, "mode");
    r_->path = Text(j_, "path");
    r_->run_id = Text(j_, "run_id");
    r_->app_id = Text(j_, "app_id");
    r_->metric_run_id = Text(j_, "metric_run_id");
    r_->state_reason = Text(j_, "state_reason");
    Decision decision{};
    if (Named(Text(j_, "decision"), kDecisionNames, &decision)) {
      r_->decision = decision;
    }
    r_->decision_reason = Text(j_, "decision_reason");
    r_->headline = Text(j_, "headline");
    r_->log_text = Text(j_, "log");
    r_->data_source = Text(j_, "data_source");
    r_->baseline = Text(j_, "baseline");
    r_->recommendations = Strings(j_, "recommendations");
    r_->thin = Strings(j_, "thin_evidence");
    r_->unknown = Strings(j_, "unknown_facts");
    ForEach(j_, "recovered", [&](const Json& item) {
      r_->recovered.push_back(
          {Kept(Text(item, "signature")), Whole(item, "step").value_or(0)});
    });
  }

  void Stage() {
    r_->step = Whole(j_, "step");
    r_->total_steps = Whole(j_, "total_steps");
    r_->epoch = Number(j_, "epoch");
    r_->phase = Text(j_, "phase");
    r_->phase_seconds = Number(j_, "phase_seconds");
    r_->start_time = Number(j_, "start_time");
    r_->last_step_time = Number(j_, "last_step_time");
    r_->modified_time = Number(j_, "log_modified_time");
    r_->running_seconds = Number(j_, "running_seconds");
    r_->seconds_per_step = Number(j_, "seconds_per_step");
    r_->averaged_steps = Count(j_, "averaged_steps");
    r_->steps_hold_more = Flag(j_, "steps_hold_more");
    r_->silence_seconds = Number(j_, "silence_seconds");
    r_->record_seconds = Number(j_, "record_seconds");
    r_->attempts = Whole(j_, "attempts");
    r_->gpus = Whole(j_, "gpus");
    ForEach(j_, "sources", [&](const Json& item) {
      r_->sources.push_back({Text(item, "source"), Text(item, "path"),
                             Flag(item, "up"),
                             std::max<std::uint64_t>(Count(item, "files"), 1),
                             Text(item, "newest_path")});
    });
    ForEach(j_, "processes", [&](const Json& item) {
      r_->processes.push_back(
          {Text(item, "role"), Whole(item, "pid"), Number(item, "start_time")});
    });
  }

  void Rollouts() {
    const Json* json = Field(j_, "rollouts");
    if (json == nullptr || !json->IsObject()) return;
    ReportRollouts& rollouts = r_->rollouts.emplace();
    if (Field(*json, "count") != nullptr) {
      rollouts.count = Count(*json, "count");
    }
    ForEach(*json, "newest", [&](const Json& item) {
      RecordedRollout& rollout = rollouts.newest.emplace_back();
      rollout.id = Whole(item, "id").value_or(0);
      rollout.created_at = Number(item, "created_at");
      rollout.samples = Whole(item, "samples");
      rollout.mean_reward = Number(item, "mean_reward");
      rollout.seconds = Number(item, "seconds");
    });
  }

  void Trials() {
    const Json* json = Field(j_, "trials");
    if (json == nullptr || !json->IsObject()) return;
    ReportTrials trials;
    trials.complete = Flag(*json, "complete");
    auto counts = Counts(*json, "counts");
    trials.finished = counts["finished"];
    trials.scored = counts["scored"];
    trials.solved = counts["solved"];
    trials.running = counts["running"];
    trials.stuck = counts["stuck"];
    trials.reward_mean = Number(*json, "reward_mean");
    trials.reasons = Counts(*json, "reasons");
    trials.dropped = Counts(*json, "dropped");
    r_->trials = std::move(trials);
  }

  void Values() {
    Trend trend{};
    if (Named(Text(j_, "reward_trend"), kTrendNames, &trend)) {
      r_->reward_trend = trend;
    }
    const Json* lines = Field(j_, "values");
    if (lines == nullptr || !lines->IsObject()) return;
    for (const auto& member : lines->GetObject()) {
      if (!member.value.IsObject()) continue;
      ReportLine line;
      line.name = Kept(std::string(View(member.name)));
      line.note = Text(member.value, "note");
      ForEach(member.value, "keys", [&](const Json& item) {
        ReportValue value;
        value.key = Text(item, "key");
        value.label = Text(item, "label");
        if (value.label.empty()) value.label = value.key;
        value.value = Number(item, "value").value_or(0);
        value.step = Whole(item, "step");
        line.values.push_back(std::move(value));
      });
      r_->lines.push_back(std::move(line));
    }
  }

  void Signatures() {
    ForEach(j_, "signatures", [&](const Json& item) {
      Finding finding;
      finding.name = Kept(Text(item, "signature"));
      Named(Text(item, "level"), kLevelNames, &finding.level);
      finding.since_step = Whole(item, "since_step");
      finding.activations = Count(item, "activations");
      finding.detail = Text(item, "detail");
      finding.means = Kept(Text(item, "means"));
      finding.next = Kept(Text(item, "next"));
      ForEach(item, "evidence", [&](const Json& e) {
        const std::string side = Text(e, "side");
        finding.evidence.push_back(
            {Text(e, "key"), Whole(e, "step").value_or(-1),
             Number(e, "value").value_or(0), Number(e, "bound"),
             side == "above"   ? Side::kAbove
             : side == "below" ? Side::kBelow
                               : Side::kNone});
      });
      r_->findings.push_back(std::move(finding));
    });
  }

  void Checks() {
    ForEach(j_, "checks", [&](const Json& item) {
      CheckResult check;
      check.name = Kept(Text(item, "check"));
      check.key = Text(item, "key");
      check.label = Kept(Text(item, "label"));
      check.failing_steps = Count(item, "failing_steps");
      check.alert_after = Count(item, "alert_after");
      check.since_step = Whole(item, "since_step");
      check.min = Number(item, "min");
      check.max = Number(item, "max");
      check.value = Number(item, "value");
      check.step = Whole(item, "step");
      check.means = Kept(Text(item, "means"));
      check.next = Kept(Text(item, "next"));
      r_->checks.push_back(std::move(check));
    });
  }

  const Json& j_;
  std::deque<std::string>& texts_;
  RunReport* r_ = nullptr;
};

}  // namespace

bool ReadStatusJson(std::string_view json, ReadReports* out,
                    std::string* error) {
  rapidjson::Document document;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;
  document.Parse<kFlags>(json.data(), json.size());
  const auto fail = [&](const char* what) {
    *error = what;
    return false;
  };
  if (document.HasParseError()) return fail("no JSON");
  if (!document.IsObject()) return fail("no object");
  const std::optional<double> time = Number(document, "generated_at");
  const Json* runs = Field(document, "runs");
  if (!time || runs == nullptr || !runs->IsArray()) {
    return fail("no list of runs");
  }
  const auto texts = std::make_shared<std::deque<std::string>>();
  ReadReports read{*time, Flag(document, "partial"), {}, texts};
  for (const Json& run : runs->GetArray()) {
    RunReport report;
    if (!run.IsObject() || !ReportReader(run, texts.get()).Read(&report)) {
      return fail("a run without a name, a state or a health that is known");
    }
    read.runs.push_back(std::move(report));
  }
  *out = std::move(read);
  return true;
}

}  // namespace rlrun
