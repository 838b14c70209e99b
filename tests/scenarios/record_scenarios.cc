#include "tests/scenarios/record_scenarios.h"

#include <utility>

namespace rlrun::scenarios {
namespace {

constexpr char kRecord[] = "store/training-runs/calm-otter-0a1b.json";
constexpr char kLog[] = "logs/calm-otter-0a1b.log";
constexpr int kSteps = 12;
constexpr double kStepSeconds = 60;

// What a record states, with what is usual.
struct Stated {
  std::string status = "running";
  std::string phase = "generate_rollouts";
  std::string app_id = "ap-Q7";
  std::string error = {};
  double updated = 20;  // seconds before the look
  double created = 7200;
  int current = 13;  // 0: none
  bool active = true;
};

class Maker {
 public:
  explicit Maker(std::int64_t at) : at_(at) {}

  RecordFile Record(const Stated& s) const {
    std::string progress = R"({"phase": ")" + s.phase + R"(", "updated_at": )" +
                           Time(s.updated) + R"(, "is_active": )" +
                           (s.active ? "true" : "false");
    if (s.current != 0) {
      progress += R"(, "current": )" + std::to_string(s.current) +
                  R"(, "total": 100, "unit": "step", "rollout_id": )" +
                  std::to_string(s.current - 1);
    }
    std::string text =
        R"({"training_run_id": "calm-otter-0a1b", "modal_app_id": ")" +
        s.app_id +
        R"(", "framework": "slime", "config": {"metrics": )"
        R"({"provider": "wandb", "project": "lab", "run_id": )"
        R"("w1b2c3d4"}}, "status": ")" +
        s.status + R"(", "framework_status": ")" + s.phase +
        R"(", "created_at": )" + Time(s.created) + R"(, "started_at": )" +
        Time(s.created) + R"(, "updated_at": )" + Time(s.updated);
    if (!s.error.empty()) text += R"(, "error_message": ")" + s.error + "\"";
    text += R"(, "metadata": {"attempt_count": 1, "framework_progress": )" +
            progress + "}}}";
    return {kRecord, std::move(text), s.updated};
  }

  // Healthy steps, then `more`; last written `age` seconds before the look.
  static RecordFile Log(double age, const std::string& more = "") {
    std::string text;
    for (int step = 1; step <= kSteps; ++step) {
      const std::string n = std::to_string(step);
      text += "step:" + n + " - actor/grad_norm:0.5" + n +
              " - actor/entropy:0.31 - critic/score/mean:0.4" + n +
              " - critic/score/max:1.0 - critic/score/min:0.0"
              " - timing_s/step:" +
              std::to_string(kStepSeconds) + "\n";
    }
    return {kLog, text + more, age};
  }

 private:
  std::string Time(double before) const {
    return std::to_string(at_ - static_cast<std::int64_t>(before));
  }
  std::int64_t at_;
};

std::string Times(int n, const std::string& line) {
  std::string out;
  for (int i = 0; i < n; ++i) out += line;
  return out;
}

void AddLiveness(const Maker& make, std::vector<RecordScenario>* out) {
  out->push_back({"possibly_stuck",
                  "record and log stand still for 15 minutes",
                  "possibly_stuck",
                  "warning",
                  {},
                  "running",
                  {make.Record({.updated = 900}), Maker::Log(900)}});
  out->push_back({"possibly_stuck-record-only",
                  "no log of the run is known",
                  "possibly_stuck",
                  "warning",
                  {},
                  "running",
                  {make.Record({.updated = 900})}});
  out->push_back({"app_died",
                  "the log ends in an error, nobody closed the record",
                  "app_died",
                  "critical",
                  {"cuda_oom"},
                  "failed",
                  {make.Record({.updated = 700}),
                   Maker::Log(700,
                              "CUDA out of memory. Tried to allocate 2.00 "
                              "GiB\n")}});
  out->push_back({"not_started",
                  "queued: it has no app yet",
                  "not_started",
                  "info",
                  {},
                  "starting",
                  {make.Record({.phase = "initializing",
                                .app_id = "",
                                .created = 300,
                                .current = 0})}});
  out->push_back(
      {"not_started-startup",
       "a model is fetched for 40 minutes",
       "not_started",
       "info",
       {},
       "starting",
       {make.Record(
           {.phase = "download_model", .created = 2400, .current = 0})}});
}

void AddLines(const Maker& make, std::vector<RecordScenario>* out) {
  const auto add = [&](const char* name, const char* summary,
                       const std::string& lines) {
    out->push_back({name,
                    summary,
                    name,
                    "warning",
                    {},
                    "running",
                    {make.Record({}), Maker::Log(20, lines)}});
  };
  add("auth_failure", "an upload is refused",
      "ERROR:2026-03-02 09:00:00,000:requests.exceptions.HTTPError: 401 Client "
      "Error: Unauthorized for url: https://hub.example.org/api\n");
  add("cuda_oom", "a GPU ran out of memory, no step yet behind it",
      "CUDA out of memory. Tried to allocate 2.00 GiB\n");
  add("nccl_failure", "a collective operation timed out",
      "[rank1]:[E ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught "
      "collective "
      "operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE) ran for 600022 "
      "milliseconds before timing out.\n");
  add("retry_loop", "a judge does not answer",
      Times(6, "Retrying in 2 seconds: the judge did not answer\n"));
}

void AddEnds(const Maker& make, std::vector<RecordScenario>* out) {
  out->push_back(
      {"record-failed",
       "the record says failed, there is no log",
       "trainer_crash",
       "critical",
       {},
       "failed",
       {make.Record({.status = "failed", .error = "the pod was evicted"})}});
  out->push_back({"record-stopped",
                  "stopped by somebody",
                  "",
                  "",
                  {},
                  "interrupted",
                  {make.Record({.status = "stopped"}), Maker::Log(30)}});
  out->push_back({"record-cancelled",
                  "cancelled by the reconciler",
                  "",
                  "",
                  {},
                  "interrupted",
                  {make.Record({.status = "cancelled"})}});
  out->push_back({"record-completed",
                  "it has come to its end",
                  "",
                  "",
                  {},
                  "finished",
                  {make.Record({.status = "completed"}), Maker::Log(30)}});
}

void AddHealthy(const Maker& make, std::vector<RecordScenario>* out) {
  out->push_back({"record-healthy",
                  "record and log go on",
                  "",
                  "",
                  {},
                  "running",
                  {make.Record({}), Maker::Log(20)}});
  out->push_back({"record-stale",
                  "the reporter is gone, the log goes on",
                  "",
                  "",
                  {},
                  "running",
                  {make.Record({.updated = 5000}), Maker::Log(20)}});
  out->push_back({"record-queued",
                  "it waits for a GPU in its phase",
                  "",
                  "",
                  {},
                  "running",
                  {make.Record({.updated = 1500, .active = false})}});
  out->push_back(
      {"record-wake-up",
       "what an engine prints when it wakes up",
       "",
       "",
       {},
       "running",
       {make.Record({}), Maker::Log(20,
                                    "[torch_memory_saver.cpp] "
                                    "TorchMemorySaver::malloc return OOM for "
                                    "CUDA out of memory, retrying later\n")}});
  out->push_back(
      {"record-few-retries",
       "four retries are none",
       "",
       "",
       {},
       "running",
       {make.Record({}), Maker::Log(20, Times(4, "Retrying in 2 seconds\n"))}});
  out->push_back({"record-survived-oom",
                  "a step came behind the error",
                  "",
                  "",
                  {},
                  "running",
                  {make.Record({}),
                   Maker::Log(20,
                              "CUDA out of memory. Tried to allocate 2.00 "
                              "GiB\nstep:13 - actor/grad_norm:0.5\n")}});
}

}  // namespace

std::vector<RecordScenario> RecordScenarios(std::int64_t at) {
  const Maker make(at);
  std::vector<RecordScenario> all;
  AddLiveness(make, &all);
  AddLines(make, &all);
  AddEnds(make, &all);
  AddHealthy(make, &all);
  return all;
}

}  // namespace rlrun::scenarios
