// Run records through the whole application: alone, beside a log, while their
// store misbehaves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "exporter/report/report_text.h"
#include "parsers/blocks/block_records.h"
#include "tests/exporter/app/app_fixture.h"
#include "tests/exporter/app/metric_sources.h"
#include "tests/exporter/app/other_sources.h"
#include "tests/exporter/app/run_files.h"

namespace rlrun {
namespace {

constexpr char kId[] = "calm-otter-0a1b";
constexpr char kRecordPath[] = "/r/store/training-runs/calm-otter-0a1b.json";

class RecordsTest : public AppFixture {
 protected:
  // Written and updated at `t`.
  void WriteRecord(double t, const std::string& status,
                   const std::string& phase, int current = 0) {
    Clock(t);
    const std::string at =
        std::to_string(kStart + static_cast<std::int64_t>(t));
    std::string progress =
        R"({"phase": ")" + phase + R"(", "updated_at": )" + at;
    if (current != 0) {
      progress += R"(, "current": )" + std::to_string(current) +
                  R"(, "total": 50, "rollout_id": )" +
                  std::to_string(current - 1);
    }
    files_.Write(kRecordPath,
                 std::string(R"({"training_run_id": ")") + kId +
                     R"(", "modal_app_id": ")" + app_id_ +
                     R"(", "framework": "slime", "status": ")" + status +
                     R"(", "framework_status": ")" + phase +
                     R"(", "created_at": )" + std::to_string(kStart) +
                     R"(, "app_name": "otter-app", "updated_at": )" + at +
                     R"(, "error_message": "the pod was evicted", "config": )"
                     R"({"metrics": {"project": "lab", "run_id": ")" +
                     wandb_id_ + R"("}}, "metadata": {"attempt_count": )" +
                     std::to_string(attempts_) + R"(, "framework_progress": )" +
                     progress + "}}}");
  }
  void Step(double t, const std::string& path, int step) {
    Clock(t);
    files_.Append(path,
                  "step:" + std::to_string(step) + " - actor/grad_norm:0." +
                      std::to_string(50 + step) + " - timing_s/step:61.5\n");
  }
  std::string app_id_ = "ap-Q7", wandb_id_ = "w1b2";
  int attempts_ = 1;

  // `n` steps of one each rollout, the loss rising by `slope`, the newest just
  // before the newest record.
  void WriteSeries(int n, double slope, double (*reward)(int), int per = 1) {
    std::string steps, rollouts, step_times, times, axes, axes2;
    const auto begin = [](int i) {
      return (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": ";
    };
    for (int i = 0; i < n; ++i) {
      const int at = static_cast<int>(kStart) + 900 + i * 100;
      rollouts += begin(i) + R"({"rollout/raw_reward": )" +
                  std::to_string(reward(i)) + "}";
      times +=
          begin(i) + R"({"rollout/raw_reward": )" + std::to_string(at) + "}";
      axes2 += begin(i) + R"({"rollout/raw_reward": "rollout/step"})";
      for (int k = i * per; k < i * per + per; ++k) {
        const std::string time = std::to_string(at + 1 + k - i * per);
        const std::string loss = std::to_string(slope * (1 + k));
        steps += begin(k) + R"({"train/loss": )" + loss +
                 R"(, "train/pg_loss": )" + loss +
                 R"(, "train/grad_norm": 1.5})";
        step_times += begin(k) + R"({"train/loss": )" + time +
                      R"(, "train/pg_loss": )" + time +
                      R"(, "train/grad_norm": )" + time + "}";
        axes += begin(k) + R"({"train/loss": "train/step"})";
      }
    }
    const std::string folder = "/r/store/metric-series/calm-otter-0a1b/";
    files_.Write(folder + "chunk-000000-aa.json",
                 R"({"steps": {)" + steps + R"(}, "written": {)" + step_times +
                     R"(}, "step_keys": {)" + axes + "}}");
    files_.Write(folder + "chunk-000000-bb.json",
                 R"({"steps": {)" + rollouts + R"(}, "written": {)" + times +
                     R"(}, "step_keys": {)" + axes2 + "}}");
  }
  static std::string Of(const std::string& family, const std::string& labels) {
    return family + R"({run="calm-otter-0a1b",project="lab")" + labels + "}";
  }
  std::string Report(double t) {
    std::string out;
    for (const RunReport& r : app_->Reports(NowAt(t))) {
      AppendReport(r, ReportStyle::kText, &out);
    }
    return out;
  }
};

TEST_F(RecordsTest, RecordAloneMakesARun) {
  WriteRecord(0, "running", "generate_rollouts", 13);
  files_.Write(
      "/r/store/training-rollouts-summary/calm-otter-0a1b/summary.json",
      R"({"items": [{"rollout_id": 11, "total": 8, "mean": 0.5, )"
      R"("rollout_time": 62}]})");
  ReadAt(60);
  EXPECT_EQ(Value(Of("rlrun_source_up", R"(,source="record")")), "1");
  EXPECT_EQ(Value(Of("rlrun_last_step", R"(,line="record")")), "13");
  EXPECT_EQ(Value(Of("rlrun_total_steps", "")), "50");
  EXPECT_EQ(Value(Of("rlrun_phase", R"(,phase="generate_rollouts")")), "1");
  EXPECT_EQ(Value(Of("rlrun_rollouts", "")), "1");
  EXPECT_EQ(Value(Of("rlrun_last_rollout_id", "")), "11");
  EXPECT_EQ(Value(Of("rlrun_rollout_reward_mean", "")), "0.5");
  EXPECT_EQ(Value(Of("rlrun_attempts_total", "")), "1");
  EXPECT_EQ(Value(Of("rlrun_state", R"(,state="running")")), "1");
  EXPECT_EQ(Value(Of("rlrun_info", R"(,framework="slime",sources="record")"
                                   R"(,app_id="ap-Q7")")),
            "1");
  EXPECT_EQ(Value(Of("rlrun_log_modified_timestamp_seconds", "")),
            std::nullopt);
  EXPECT_EQ(Files("run"), "1");
  const std::string report = Report(60);
  EXPECT_NE(report.find("step 13/50"), std::string::npos) << report;
  EXPECT_NE(report.find("rollouts 1, newest 11; last 1: 8/0.5/62 s"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("Data source: record"), std::string::npos) << report;
}

TEST_F(RecordsTest, StuckRecordWarnsAndClearsAgain) {
  const std::string active =
      Of("rlrun_signature_active",
         R"(,signature="possibly_stuck",severity="warning")");
  WriteRecord(0, "running", "weight_sync", 3);
  ReadAt(10);
  EXPECT_EQ(Value(active), "0");
  ReadThrough(20, 620);
  EXPECT_EQ(Value(active), "1");
  WriteRecord(630, "running", "optimizer_step", 3);
  ReadThrough(640, 660);
  EXPECT_EQ(Value(active), "0");
}

TEST_F(RecordsTest, LogAndRecordJoinByTheNameOfTheFile) {
  WriteRecord(0, "running", "generate_rollouts", 3);
  Step(10, "/r/logs/calm-otter-0a1b.log", 1);
  Step(70, "/r/logs/calm-otter-0a1b.log", 2);
  ReadAt(80);
  EXPECT_EQ(Value("rlrun_exporter_runs"), "1");
  EXPECT_EQ(Value(Of("rlrun_source_up", R"(,source="record")")), "1");
  EXPECT_EQ(Value(Of("rlrun_source_up", R"(,source="log")")), "1");
  EXPECT_EQ(Value(Of("rlrun_last_step", R"(,line="train")")), "2");
  EXPECT_NE(Value(Of("rlrun_log_modified_timestamp_seconds", "")),
            std::nullopt);
  // The log goes on: the record alone stands still.
  for (int i = 3; i < 14; ++i) {
    Step(i * 61, "/r/logs/calm-otter-0a1b.log", i);
    ReadAt(i * 61 + 5);
  }
  const std::string stuck =
      Of("rlrun_signature_active",
         R"(,signature="possibly_stuck",severity="warning")");
  EXPECT_EQ(Value(stuck), "0");
  ReadThrough(810, 1500);
  EXPECT_EQ(Value(stuck), "1");
  EXPECT_EQ(Value(Of("rlrun_state", R"(,state="running")")), "1");
}

TEST_F(RecordsTest, LogJoinsByAppIdAndByWandbId) {
  WriteRecord(0, "running", "training", 3);
  Step(10, "/r/logs/ap-Q7.log", 1);
  Step(10, "/r/wandb/run-20260102_030405-w1b2/files/output.log", 1);
  ReadAt(80);
  EXPECT_EQ(Value("rlrun_exporter_runs"), "1");
}

// A run of slime that gets stuck: which step, which phase, alive or stuck, on
// what. `front` and the name of the log are what joins it to its record.
struct Join {
  const char* name;
  const char* log;
  const char* front;
};
class StuckRun : public RecordsTest, public testing::WithParamInterface<Join> {
 protected:
  void SlimeStep(double t, int step) {
    Clock(t);
    const auto line = [](const std::string& text) {
      return "(MegatronTrainRayActor pid=7) [2026-01-02 03:00:00] a.py:1 - " +
             text + "\n";
    };
    files_.Append(GetParam().log,
                  line("Timer train_wait end (elapsed: 30.0s)") +
                      line("Timer actor_train start") +
                      line("step " + std::to_string(step) +
                           ": {'train/pg_loss': 0.25, 'train/grad_norm': 0." +
                           std::to_string(50 + step) + "}") +
                      line("Timer actor_train end (elapsed: 28.3s)") +
                      line("Timer train_wait start"));
  }
};

constexpr Join kJoins[] = {
    {"ById", "/r/logs/node-7.log", "Training run id: calm-otter-0a1b\n"},
    {"ByFileName", "/r/logs/calm-otter-0a1b.log", ""},
    {"ByAppName", "/r/logs/otter-app.log", ""}};

INSTANTIATE_TEST_SUITE_P(, StuckRun, testing::ValuesIn(kJoins),
                         [](const auto& instance) {
                           return std::string(instance.param.name);
                         });

TEST_P(StuckRun, IsToldWithStepPhaseAndWhatItStandsOn) {
  WriteRecord(0, "running", "generate_rollouts", 1);
  files_.Append(GetParam().log, GetParam().front);
  for (int step = 0; step < 12; ++step) {
    WriteRecord(step * 60 + 10, "running", "generate_rollouts", step + 2);
    SlimeStep(step * 60 + 10, step);
    ReadAt(step * 60 + 15);
  }
  ASSERT_EQ(Value("rlrun_exporter_runs"), "1");
  const std::vector<std::string> names = Runs();
  ASSERT_EQ(names.size(), 1U);
  const auto of = [&](const std::string& family, const std::string& labels) {
    const std::size_t slash = names[0].find('/');
    return Value(family + "{run=\"" + names[0].substr(slash + 1) +
                 "\",project=\"" + names[0].substr(0, slash) + "\"" + labels +
                 "}");
  };
  EXPECT_EQ(names[0], "lab/calm-otter-0a1b");
  const std::string stuck = R"(,signature="possibly_stuck")";
  const std::string warns = stuck + R"(,severity="warning")";
  EXPECT_EQ(of("rlrun_source_up", R"(,source="record")"), "1");
  EXPECT_EQ(of("rlrun_source_up", R"(,source="log")"), "1");
  EXPECT_EQ(of("rlrun_last_step", R"(,line="train")"), "11");
  EXPECT_EQ(of("rlrun_total_steps", ""), "50");
  EXPECT_EQ(of("rlrun_phase", R"(,phase="generate_rollouts")"), "1");
  EXPECT_EQ(of("rlrun_signature_active", warns), "0");
  EXPECT_NE(Report(680).find("Decision: CONTINUE"), std::string::npos);
  ReadThrough(690, 1290);
  EXPECT_EQ(of("rlrun_signature_active", warns), "1");
  EXPECT_EQ(of("rlrun_signature_since_step", stuck), "11");
  EXPECT_EQ(of("rlrun_phase", R"(,phase="generate_rollouts")"), "1");
  EXPECT_EQ(of("rlrun_state", R"(,state="running")"), "1");
  EXPECT_EQ(of("rlrun_health", R"(,level="at_risk")"), "1");
  const std::string report = Report(1290);
  for (const char* text :
       {"step 11/50 · phase generate_rollouts for ", "log last written 10 min",
        "record updated 10 min ago", "\n- possibly_stuck (warning",
        "phase generate_rollouts",
        "Decision: WAIT — to be looked at: "
        "possibly_stuck."}) {
    EXPECT_NE(report.find(text), std::string::npos) << text << "\n" << report;
  }
}

TEST_F(RecordsTest, LogOfAnotherNameIsAnotherRun) {
  WriteRecord(0, "running", "training", 3);
  Step(10, "/r/logs/calm-otter-0a1c.log", 1);
  ReadAt(80);
  EXPECT_EQ(Value("rlrun_exporter_runs"), "2");
}

TEST_F(RecordsTest, WandbIdIsTheFrontOfTheIdOfAnOlderRecord) {
  const auto write = [this](const std::string& id, const std::string& more) {
    files_.Write("/r/store/training-runs/" + id + ".json",
                 R"({"training_run_id": ")" + id +
                     R"(", "status": "running", "framework": "slime", )" +
                     more + R"("created_at": )" + std::to_string(kStart) + "}");
  };
  write("olderone-frog-aa", "");
  write("newerone-frog-aa",
        R"("config": {"metrics": {"run_id": "elsewhere"}}, )");
  MadeRun run;
  run.begin = static_cast<double>(kStart);
  for (const std::string id : {"olderone", "newerone"}) {
    run.seed += 1;
    files_.Write("/r/wandb/run-20260102_030405-" + id + "/run-" + id + ".wandb",
                 SlimeWandb(run, 1, "shown-" + id));
  }
  ReadAt(10);
  EXPECT_THAT(Runs(), testing::UnorderedElementsAre(
                          "olderone-frog-aa", "newerone-frog-aa",
                          "slimeproj/shown-newerone"));
}

TEST_F(RecordsTest, SecretsAreNotOpenedWhoeverNamesThem) {
  WriteRecord(0, "running", "training", 3);
  Step(10, "/r/store/framework-status-tokens/odd.log", 1);
  AddRoot("/r/store/*");
  AddRoot("/r/store/framework-status-tokens");
  AddRoot("/r/*/framework-status-tokens/*.log");
  ReadAt(80);
  EXPECT_EQ(Value("rlrun_exporter_files{outcome=\"run\"}"), "0");
}

TEST_F(RecordsTest, NoLogOfAStoreIsTakenForARun) {
  WriteRecord(0, "running", "training", 3);
  Step(10, "/r/store/training-rollouts/odd.log", 1);
  Step(10, "/r/store/framework-status-tokens/odd.log", 1);
  ReadAt(80);
  EXPECT_EQ(Value("rlrun_exporter_runs"), "1");
}

TEST_F(RecordsTest, EndOfTheRecordIsTheStateOfTheRun) {
  WriteRecord(0, "running", "training", 3);
  ReadAt(10);
  WriteRecord(20, "failed", "training", 3);
  ReadThrough(30, 50);
  EXPECT_EQ(Value(Of("rlrun_state", R"(,state="failed")")), "1");
  EXPECT_EQ(Value(Of("rlrun_decision", R"(,decision="wait")")), std::nullopt);
  EXPECT_NE(Report(50).find("the pod was evicted"), std::string::npos);
}

TEST_F(RecordsTest, FailureWithoutATracebackIsADeathOfTheApp) {
  WriteRecord(0, "running", "training", 3);
  Step(10, "/r/logs/calm-otter-0a1b.log", 1);
  files_.Append("/r/logs/calm-otter-0a1b.log",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to "
                "allocate 2.00 GiB\n");
  ReadThrough(20, 630);
  EXPECT_EQ(Value(Of("rlrun_signature_active",
                     R"(,signature="cuda_oom",severity="warning")")),
            "1");
  EXPECT_EQ(Value(Of("rlrun_signature_active",
                     R"(,signature="app_died",severity="critical")")),
            "1");
  EXPECT_EQ(Value(Of("rlrun_state", R"(,state="failed")")), "1");
}

// What the series of a slime run says is judged as its log is.
TEST_F(RecordsTest, FallingRewardOfTheSeriesStopsTheRun) {
  WriteRecord(7000, "running", "training", 60);
  WriteSeries(60, 0.001, [](int i) { return i < 40 ? 0.2 + i * 0.02 : 0.15; });
  ReadAt(7000);
  const RunReport report = app_->Reports(NowAt(7000))[0];
  EXPECT_EQ(report.decision, Decision::kStop);
  EXPECT_NE(report.decision_reason.find("reward_drop"), std::string::npos)
      << report.decision_reason;
}

TEST_F(RecordsTest, RisingLossOfAPolicyIsNoDivergence) {
  WriteRecord(7000, "running", "training", 60);
  WriteSeries(60, 0.001, [](int i) { return 0.2 + i * 0.01; });
  ReadAt(7000);
  const RunReport report = app_->Reports(NowAt(7000))[0];
  EXPECT_EQ(report.decision, Decision::kContinue) << report.decision_reason;
}

// A record plans rollouts; of two steps each, there are twice as many.
TEST_F(RecordsTest, ThePlanIsOneOfRollouts) {
  WriteRecord(4000, "running", "training", 30);
  WriteSeries(
      30, 0.001, [](int i) { return 0.2 + i * 0.01; }, 2);
  ReadAt(4000);
  EXPECT_EQ(Value(Of("rlrun_last_step", R"(,line="train")")), "59");
  EXPECT_EQ(Value(Of("rlrun_total_steps", "")), "100");
}

TEST_F(RecordsTest, APlanThatCannotBeToldIsNotTold) {
  WriteRecord(4000, "running", "training", 30);
  const std::string path = "/r/logs/calm-otter-0a1b.log";
  for (int i = 1; i <= 40; ++i) Step(4000, path, i);
  ReadAt(4010);
  EXPECT_EQ(Value(Of("rlrun_last_step", R"(,line="train")")), "40");
  EXPECT_EQ(Value(Of("rlrun_total_steps", "")), std::nullopt);
}

TEST_F(RecordsTest, TheIdOfTheRecordIsTheNameAtEveryStart) {
  WriteRecord(0, "running", "training", 3);
  files_.Append("/r/logs/calm-otter-0a1b.log",
                ConfigBlock("lab", "some-experiment"));
  Step(10, "/r/logs/calm-otter-0a1b.log", 1);
  ReadAt(80);
  EXPECT_THAT(Runs(), testing::ElementsAre("lab/calm-otter-0a1b"));
}

// Its record, its log and its W&B file, each of which has another name for it;
// it fails, and is launched again from its checkpoint under the same id.
class RestartedRun : public RecordsTest {
 protected:
  static constexpr char kLog[] = "/r/logs/calm-otter-0a1b.log";

  std::string WandbPath() const {
    return "/r/wandb/run-20260102_03040" + std::to_string(attempts_) + "-" +
           wandb_id_ + "/run-" + wandb_id_ + ".wandb";
  }
  // Step `step` at time `t`, in all three.
  void TrainStep(double t, int step) {
    WriteRecord(t, "running", "training", step);
    files_.Append(kLog, LogStep(step));
    const double now = static_cast<double>(kStart) + t;
    if (wandb_.text().size() <= BlockRecords::kFileHeader) {
      wandb_ = WandbOf("", "jthree-RANK_0", 0, now);
    }
    wandb_.Add(WandbStep(step, now));
    files_.Write(WandbPath(), wandb_.text());
    ReadAt(t + 5);
    ExpectOneRun(t);
  }
  void Launch() {
    ++attempts_;
    app_id_ = "ap-R8";
    wandb_ = WandbFileWriter();
  }
  void ExpectOneRun(double t) {
    ASSERT_THAT(Runs(), testing::ElementsAre("lab/calm-otter-0a1b")) << t;
    EXPECT_EQ(Value("rlrun_exporter_name_collisions_total"), "0") << t;
  }
  std::optional<std::string> Train() {
    return Value(Of("rlrun_last_step", R"(,line="train")"));
  }
  std::optional<std::string> State(const std::string& state) {
    return Value(Of("rlrun_state", R"(,state=")" + state + "\""));
  }
  void ExpectRestarted(int step) {
    EXPECT_EQ(Train(), std::to_string(step));
    EXPECT_EQ(Value(Of("rlrun_last_step", R"(,line="record")")),
              std::to_string(step));
    EXPECT_EQ(Value(Of("rlrun_rewinds_total", "")), "1");
    EXPECT_EQ(Value(Of("rlrun_attempts_total", "")), std::to_string(attempts_));
    EXPECT_EQ(State("running"), "1");
    EXPECT_EQ(State("failed"), "0");
  }

  WandbFileWriter wandb_;
};

TEST_F(RestartedRun, KeepsItsNameItsStepsAndItsCounts) {
  for (const bool new_log : {false, true}) {
    for (const bool new_id : {false, true}) {
      app_.reset();
      attempts_ = 0;
      wandb_id_ = "w1b2";
      Launch();
      for (const char* path : {kLog, kRecordPath}) {
        if (files_.Exists(path)) files_.Remove(path);
      }
      for (int step = 1; step <= 6; ++step) TrainStep(step * 61, step);
      EXPECT_EQ(Train(), "6");
      EXPECT_EQ(Value(Of("rlrun_rewinds_total", "")), "0");
      WriteRecord(420, "failed", "training", 6);
      ReadThrough(425, 435);
      ExpectOneRun(435);
      EXPECT_EQ(State("failed"), "1");
      Launch();
      if (new_id) wandb_id_ = "w9z8";
      WriteRecord(500, "running", "initialize_rollouts");
      if (new_log) files_.Truncate(kLog, 0);
      ReadThrough(505, 515);
      ExpectOneRun(515);
      EXPECT_EQ(State("failed"), "0");
      for (int step = 4; step <= 8; ++step) {
        TrainStep(400 + step * 61, step);
        ExpectRestarted(step);
      }
      ReadThrough(900, 1000);
      ExpectOneRun(1000);
      ExpectRestarted(8);
      // The same for who comes later.
      app_.reset();
      ReadAt(1010);
      ExpectOneRun(1010);
      EXPECT_EQ(Train(), "8");
      if (files_.Exists(WandbPath())) files_.Remove(WandbPath());
    }
  }
}

TEST_F(RecordsTest, PhaseOfTheFresherOfLogAndRecord) {
  const std::string path = "/r/logs/calm-otter-0a1b.log";
  WriteRecord(0, "running", "optimizer_step", 3);
  Clock(60);
  files_.Append(path,
                "Training run id: calm-otter-0a1b\n"
                "(MegatronTrainRayActor pid=7) [2026-01-02 03:00:00] "
                "timer.py:24 - Timer train_wait start\n");
  ReadAt(60);
  EXPECT_EQ(Value(Of("rlrun_phase", R"(,phase="generate_rollouts")")), "1");
  WriteRecord(90, "running", "optimizer_step", 3);
  ReadThrough(90, 110);
  EXPECT_EQ(Value(Of("rlrun_phase", R"(,phase="optimizer_step")")), "1");
  EXPECT_EQ(Value(Of("rlrun_phase", R"(,phase="generate_rollouts")")), "0");
}

TEST_F(RecordsTest, RolloutsThatNobodyCountsAreNotCounted) {
  Clock(0);
  files_.Write(kRecordPath,
               std::string(R"({"training_run_id": ")") + kId +
                   R"(", "status": "running", "created_at": )" +
                   std::to_string(kStart) +
                   R"(, "config": {"metrics": {"project": "lab"}}, )"
                   R"("metadata": {"latest_rollout": {"rollout_id": 11, )"
                   R"("total": 8}}})");
  ReadAt(10);
  EXPECT_EQ(Value(Of("rlrun_last_rollout_id", "")), "11");
  EXPECT_EQ(Value(Of("rlrun_rollouts", "")), std::nullopt);
  const std::string report = Report(10);
  EXPECT_NE(report.find("rollouts newest 11; last 1: 8/?/?"), report.npos)
      << report;
}

TEST_F(RecordsTest, SupervisedStepsAreTrainingSteps) {
  WriteRecord(4000, "running", "training", 30);
  std::string items;
  for (int i = 0; i < 30; ++i) {
    items += std::string(i == 0 ? "" : ", ") + R"({"step": )" +
             std::to_string(i) + R"(, "loss": )" +
             std::to_string(2 - i * 0.05) +
             R"(, "grad_norm": 1.5, "learning_rate": 1e-5, "created_at": )" +
             std::to_string(kStart + 1000 + i * 100) + "}";
  }
  files_.Write("/r/store/training-steps-summary/calm-otter-0a1b.json",
               R"({"items": [)" + items + "]}");
  ReadAt(4000);
  EXPECT_EQ(Value(Of("rlrun_last_step", R"(,line="train")")), "29");
  const RunReport report = app_->Reports(NowAt(4000))[0];
  EXPECT_EQ(report.mode, "sft");
  EXPECT_EQ(report.framework, "slime");
  EXPECT_EQ(report.decision, Decision::kContinue) << report.decision_reason;
}

TEST_F(RecordsTest, StoreThatCannotBeListedKeepsItsRuns) {
  WriteRecord(0, "running", "training", 3);
  ReadAt(10);
  files_.Fail(InMemoryFileSource::Call::kList, "/r/store/training-runs", EIO);
  ReadThrough(20, 60);
  EXPECT_EQ(Value(Of("rlrun_source_up", R"(,source="record")")), "0");
  files_.ClearFaults("/r/store/training-runs");
  ReadThrough(70, 80);
  EXPECT_EQ(Value(Of("rlrun_source_up", R"(,source="record")")), "1");
}

TEST_F(RecordsTest, StatusFindsARunByTheIdsOfItsRecord) {
  WriteRecord(0, "running", "training", 3);
  ReadAt(10);
  const auto reports = app_->Reports(NowAt(10));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].run_id, kId);
  EXPECT_EQ(reports[0].app_id, "ap-Q7");
  EXPECT_EQ(reports[0].metric_run_id, "w1b2");
}

}  // namespace
}  // namespace rlrun
