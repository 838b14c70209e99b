#include "exporter/report/report_json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <string_view>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

// Writes one report. A field without a value is left out.
class JsonReport {
 public:
  using Json = rapidjson::Writer<rapidjson::StringBuffer>;
  JsonReport(const RunReport& report, const std::vector<std::string>& tail,
             Json* json)
      : r_(report), tail_(tail), j_(*json) {}

  void Write() {
    j_.StartObject();
    Field("project", r_.project);
    Key("run");
    Text(r_.run);
    Field("framework", r_.framework);
    Field("mode", r_.mode);
    Field("path", r_.path);
    Field("run_id", r_.run_id);
    Field("app_id", r_.app_id);
    Field("metric_run_id", r_.metric_run_id);
    Field("state", kRunStateNames[static_cast<std::size_t>(r_.state)]);
    Field("state_reason", r_.state_reason);
    Field("health", kHealthNames[static_cast<std::size_t>(r_.health)]);
    if (r_.decision) {
      Field("decision", kDecisionNames[static_cast<std::size_t>(*r_.decision)]);
    }
    Field("decision_reason", r_.decision_reason);
    Field("headline", r_.headline);
    Stage();
    Sources();
    Processes();
    Rollouts();
    Trials();
    Values();
    Field("log", r_.log_text);
    Field("data_source", r_.data_source);
    Field("baseline", r_.baseline);
    Signatures();
    Checks();
    Lists();
    j_.EndObject();
  }

 private:
  void Key(std::string_view name) {
    j_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }
  // Paths and keys may hold any byte; JSON may not.
  void Text(std::string_view any) {
    const std::string text = RepairUtf8(any);
    j_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void Number(double value) {
    if (std::isnan(value)) {
      Text("NaN");
    } else if (std::isinf(value)) {
      Text(value > 0 ? "+Inf" : "-Inf");
    } else {
      j_.Double(value);
    }
  }
  void Field(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    Key(name);
    Text(text);
  }
  void Field(std::string_view name, const std::optional<double>& value) {
    if (!value) return;
    Key(name);
    Number(*value);
  }
  void Field(std::string_view name, const std::optional<std::int64_t>& value) {
    if (!value) return;
    Key(name);
    j_.Int64(*value);
  }

  void Stage() {
    Field("step", r_.step);
    Field("total_steps", r_.total_steps);
    Field("epoch", r_.epoch);
    Field("phase", r_.phase);
    Field("phase_seconds", r_.phase_seconds);
    Field("start_time", r_.start_time);
    Field("last_step_time", r_.last_step_time);
    Field("log_modified_time", r_.modified_time);
    Field("running_seconds", r_.running_seconds);
    Field("seconds_per_step", r_.seconds_per_step);
    if (r_.averaged_steps != 0) {
      Field("averaged_steps", std::optional<std::int64_t>(r_.averaged_steps));
    }
    if (r_.steps_hold_more) {
      Key("steps_hold_more");
      j_.Bool(true);
    }
    Field("silence_seconds", r_.silence_seconds);
    Field("record_seconds", r_.record_seconds);
    Field("attempts", r_.attempts);
    Field("gpus", r_.gpus);
  }

  void Sources() {
    Key("sources");
    j_.StartArray();
    for (const ReportSource& source : r_.sources) {
      j_.StartObject();
      Field("source", source.name);
      Field("path", source.path);
      Key("up");
      j_.Bool(source.up);
      if (source.files > 1) {
        Field("files", std::optional<std::int64_t>(source.files));
        Field("newest_path", source.newest_path);
      }
      j_.EndObject();
    }
    j_.EndArray();
  }

  void Processes() {
    Key("processes");
    j_.StartArray();
    for (const ReportProcess& p : r_.processes) {
      j_.StartObject();
      Field("role", p.role);
      Key("up");
      j_.Bool(p.pid.has_value());
      Field("pid", p.pid);
      Field("start_time", p.start_time);
      j_.EndObject();
    }
    j_.EndArray();
  }

  void Counts(std::string_view name,
              const std::map<std::string, std::uint64_t>& counts) {
    Key(name);
    j_.StartObject();
    for (const auto& [key, n] : counts) {
      const std::string text = RepairUtf8(key);
      Key(text);
      j_.Uint64(n);
    }
    j_.EndObject();
  }

  void Rollouts() {
    if (!r_.rollouts) return;
    Key("rollouts");
    j_.StartObject();
    if (r_.rollouts->count) {
      Key("count");
      j_.Uint64(*r_.rollouts->count);
    }
    Key("newest");
    j_.StartArray();
    for (const RecordedRollout& rollout : r_.rollouts->newest) {
      j_.StartObject();
      Field("id", std::optional<std::int64_t>(rollout.id));
      Field("samples", rollout.samples);
      Field("mean_reward", rollout.mean_reward);
      Field("seconds", rollout.seconds);
      Field("created_at", rollout.created_at);
      j_.EndObject();
    }
    j_.EndArray();
    j_.EndObject();
  }

  void Trials() {
    if (!r_.trials) return;
    const ReportTrials& t = *r_.trials;
    Key("trials");
    j_.StartObject();
    Key("complete");
    j_.Bool(t.complete);
    if (t.complete) {
      Counts("counts", {{"finished", t.finished},
                        {"scored", t.scored},
                        {"solved", t.solved},
                        {"running", t.running},
                        {"stuck", t.stuck}});
      Field("reward_mean", t.reward_mean);
      Counts("reasons", t.reasons);
      Counts("dropped", t.dropped);
    }
    j_.EndObject();
  }

  void Values() {
    Key("values");
    j_.StartObject();
    for (const ReportLine& line : r_.lines) {
      Key(line.name);
      j_.StartObject();
      Field("note", line.note);
      Key("keys");
      j_.StartArray();
      for (const ReportValue& v : line.values) {
        j_.StartObject();
        Field("key", v.key);
        if (v.label != v.key) Field("label", v.label);
        Field("value", std::optional<double>(v.value));
        Field("step", v.step);
        j_.EndObject();
      }
      j_.EndArray();
      j_.EndObject();
    }
    j_.EndObject();
    if (r_.reward_trend) Field("reward_trend", TrendName(*r_.reward_trend));
  }

  void EvidenceList(const std::vector<Evidence>& evidence) {
    Key("evidence");
    j_.StartArray();
    for (const Evidence& e : evidence) {
      j_.StartObject();
      Field("key", e.key);
      if (e.step >= 0) Field("step", std::optional<std::int64_t>(e.step));
      Field("value", std::optional<double>(e.value));
      Field("bound", e.bound);
      if (const Side side = SideOf(e); side != Side::kNone) {
        Field("side", side == Side::kAbove ? "above" : "below");
      }
      j_.EndObject();
    }
    j_.EndArray();
  }

  void Signatures() {
    Key("signatures");
    j_.StartArray();
    for (const Finding& f : r_.findings) {
      j_.StartObject();
      Field("signature", f.name);
      Field("level", LevelName(f.level));
      Field("since_step", f.since_step);
      Key("activations");
      j_.Uint64(f.activations);
      if (f.level != Level::kNone) {
        EvidenceList(f.evidence);
        Field("detail", f.detail);
        Field("means", f.means);
        Field("next", f.next);
      }
      j_.EndObject();
    }
    j_.EndArray();
  }

  void Checks() {
    Key("checks");
    j_.StartArray();
    for (const CheckResult& check : r_.checks) {
      j_.StartObject();
      Field("check", check.name);
      Field("key", check.key);
      Field("label", check.label);
      Key("failed");
      j_.Bool(check.failed());
      Key("failing_steps");
      j_.Uint64(check.failing_steps);
      Key("alert_after");
      j_.Uint64(check.alert_after);
      Field("since_step", check.since_step);
      Field("min", check.min);
      Field("max", check.max);
      Field("value", check.value);
      Field("step", check.step);
      Field("means", check.means);
      Field("next", check.next);
      j_.EndObject();
    }
    j_.EndArray();
  }

  void Strings(std::string_view name, const std::vector<std::string>& list) {
    Key(name);
    j_.StartArray();
    for (const std::string& item : list) Text(item);
    j_.EndArray();
  }

  void Lists() {
    Key("recovered");
    j_.StartArray();
    for (const Recovered& item : r_.recovered) {
      j_.StartObject();
      Field("signature", item.name);
      Field("step", std::optional<std::int64_t>(item.step));
      j_.EndObject();
    }
    j_.EndArray();
    Strings("recommendations", r_.recommendations);
    Strings("thin_evidence", r_.thin);
    Strings("unknown_facts", r_.unknown);
    if (!tail_.empty()) Strings("log_tail", tail_);
  }

  const RunReport& r_;
  const std::vector<std::string>& tail_;
  Json& j_;
};

}  // namespace

std::string StatusJson(const std::vector<RunReport>& reports,
                       const StatusChoice& choice, const LogTails& tails,
                       double now, bool partial) {
  static const std::vector<std::string> no_tail;
  rapidjson::StringBuffer buffer;
  JsonReport::Json json(buffer);
  json.StartObject();
  json.Key("generated_at");
  json.Double(now);
  if (partial) {
    json.Key("partial");
    json.Bool(true);
  }
  json.Key("exit_code");
  json.Int(StatusExitCode(reports, choice));
  json.Key("runs");
  json.StartArray();
  for (std::size_t n = 0; n < choice.full.size(); ++n) {
    JsonReport(reports[choice.full[n]], n < tails.size() ? tails[n] : no_tail,
               &json)
        .Write();
  }
  json.EndArray();
  json.Key("other_runs");
  json.StartArray();
  for (const std::size_t i : choice.listed) {
    JsonReport(reports[i], no_tail, &json).Write();
  }
  json.EndArray();
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string ErrorJson(std::string_view error,
                      const std::vector<RunName>& near) {
  rapidjson::StringBuffer buffer;
  JsonReport::Json json(buffer);
  const auto text = [&](const char* key, std::string_view value) {
    const std::string repaired = RepairUtf8(value);
    json.Key(key);
    json.String(repaired.data(),
                static_cast<rapidjson::SizeType>(repaired.size()));
  };
  json.StartObject();
  text("error", error);
  json.Key("near");
  json.StartArray();
  for (const RunName& name : near) {
    json.StartObject();
    if (!name.project.empty()) text("project", name.project);
    text("run", name.run);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace rlrun
