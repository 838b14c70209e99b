// Logs of slime, miles and Hugging Face trainers through the whole app: whose
// console it is, the names and axes of their values, documents that are
// replaced as a whole.
#include <gmock/gmock.h>

#include <string>

#include "tests/exporter/app/app_fixture.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OtherTrainers : public AppFixture {
 protected:
  static std::string Metrics(const std::string& type, int number,
                             const std::string& pairs) {
    return "(MegatronTrainRayActor pid=7) [2026-01-02 03:00:00] model.py:918 "
           "- " +
           type + " " + std::to_string(number) + ": {" + pairs + "}\n";
  }
  // A history of `steps` steps, its losses from `first` on downwards.
  static std::string State(int steps, double first) {
    std::string text = "{\"global_step\": " + std::to_string(steps) +
                       ", \"max_steps\": 100,\n  \"log_history\": [\n";
    for (int i = 1; i <= steps; ++i) {
      text += std::string(i == 1 ? "" : ",\n") +
              "    {\"loss\": " + std::to_string(first - i * 0.01) +
              ", \"grad_norm\": 0.5, \"epoch\": 0.1, \"step\": " +
              std::to_string(i) + "}";
    }
    return text + "\n  ]\n}\n";
  }
  void Replace(const std::string& path, const std::string& text) {
    files_.Write(path, text);
  }
};

TEST_F(OtherTrainers, BothAxesOfSlime) {
  files_.Append(
      "/r/s.log",
      "starting up\n" + Metrics("rollout", 3, "'rollout/raw_reward': 0.5") +
          Metrics("step", 6, "'train/pg_loss': 0.25, 'train/step': 6") +
          Metrics("step", 7, "'train/pg_loss': 0.75, 'train/step': 7") +
          Metrics("perf", 3, "'perf/step_time': 35.0"));
  ReadAt(0);
  EXPECT_EQ(Value("rlrun_last_step{run=\"s\",line=\"train\"}"), "7");
  EXPECT_EQ(Value("rlrun_last_step{run=\"s\",line=\"rollout\"}"), "3");
  EXPECT_EQ(Value("rlrun_step_rollout_raw_reward{run=\"s\"}"), "0.5");
  EXPECT_EQ(Value("rlrun_step_train_pg_loss{run=\"s\"}"), "0.75");
  EXPECT_EQ(Value("rlrun_last_step_duration_seconds{run=\"s\"}"), "17.5")
      << "of two steps";
  EXPECT_EQ(app_->Reports(NowAt(0))[0].framework, "slime");
}

TEST_F(OtherTrainers, TheTwoPerfLinesAreMerged) {
  files_.Append("/r/s.log",
                Metrics("perf", 0, "'perf/rollout_time': 20.5") +
                    Metrics("rollout", 0, "'rollout/raw_reward': 0.5") +
                    Metrics("step", 0, "'train/pg_loss': 0.25") +
                    Metrics("perf", 0, "'perf/actor_train_time': 3.5"));
  ReadAt(0);
  EXPECT_EQ(Value("rlrun_step_perf_rollout_time{run=\"s\"}"), "20.5");
  EXPECT_EQ(Value("rlrun_step_perf_actor_train_time{run=\"s\"}"), "3.5");
  EXPECT_EQ(Value("rlrun_step_rollout_raw_reward{run=\"s\"}"), "0.5");
  EXPECT_EQ(Value("rlrun_phase_seconds_total{run=\"s\",phase=\"optimizer_"
                  "step\"}"),
            "3.5");
}

TEST_F(OtherTrainers, AReplayIsNoRewind) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += Metrics("step", i, "'train/pg_loss': " + std::to_string(i));
  }
  files_.Append("/r/s.log", text);
  ReadAt(0);
  files_.Append("/r/s.log", text.substr(0, text.size() / 2));
  ReadAt(1);
  EXPECT_EQ(Value("rlrun_last_step{run=\"s\",line=\"train\"}"), "3");
  EXPECT_EQ(Value("rlrun_rewinds_total{run=\"s\"}"), "0");
  files_.Append("/r/s.log", Metrics("step", 1, "'train/pg_loss': 9.0"));
  ReadAt(2);
  EXPECT_EQ(Value("rlrun_rewinds_total{run=\"s\"}"), "1");
}

TEST_F(OtherTrainers, ALaunchThatHasNotTrainedYetIsARun) {
  files_.Append("/r/s.log",
                "Training run id: calm-otter-0011\nDownloading model x...\n");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("s"));
  EXPECT_EQ(Value("rlrun_phase{run=\"s\",phase=\"download_model\"}"), "1");
}

TEST_F(OtherTrainers, AnotherTextMayBeOfAnotherTrainer) {
  files_.Append("/r/a.log", Metrics("step", 3, "'train/pg_loss': 0.25"));
  ReadAt(0);
  files_.Truncate("/r/a.log", 0);
  files_.Append("/r/a.log", "hello\n" + Step(5, "actor/lr:0.5"));
  ReadAt(30);
  ReadAt(60);
  EXPECT_EQ(Value("rlrun_last_step{run=\"a\",line=\"train\"}"), "5");
}

TEST_F(OtherTrainers, AStateIsReadAgainWhenItIsReplaced) {
  files_.Mkdir("/r/sft");
  files_.Mkdir("/r/sft/checkpoint-10");
  Replace("/r/sft/checkpoint-10/trainer_state.json", State(10, 1));
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("sft"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"sft\",line=\"train\"}"), "10");
  EXPECT_EQ(Value("rlrun_total_steps{run=\"sft\"}"), "100");
  // Half of it was written: what was read stands.
  Clock(30);
  Replace("/r/sft/checkpoint-10/trainer_state.json",
          State(20, 1).substr(0, 300));
  ReadThrough(30, 50);
  EXPECT_EQ(Value("rlrun_last_step{run=\"sft\",line=\"train\"}"), "10");
  Clock(60);
  Replace("/r/sft/checkpoint-10/trainer_state.json", State(20, 1));
  ReadThrough(60, 80);
  EXPECT_EQ(Value("rlrun_last_step{run=\"sft\",line=\"train\"}"), "20");
  EXPECT_EQ(Value("rlrun_rewinds_total{run=\"sft\"}"), "0");
}

TEST_F(OtherTrainers, TheNewestCheckpointHasTheWholeHistory) {
  for (const char* n : {"9", "10"}) {
    const std::string folder = std::string("/r/grpo/checkpoint-") + n;
    files_.Mkdir("/r/grpo");
    files_.Mkdir(folder);
    Replace(folder + "/trainer_state.json", State(std::stoi(n), 1));
  }
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("grpo"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"grpo\",line=\"train\"}"), "10");
  EXPECT_EQ(Files("side_file"), "1");
  Clock(5);
  files_.Mkdir("/r/grpo/checkpoint-11");
  Replace("/r/grpo/checkpoint-11/trainer_state.json", State(11, 1));
  ReadThrough(10, 120);
  EXPECT_THAT(Runs(), ElementsAre("grpo"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"grpo\",line=\"train\"}"), "11");
}

TEST_F(OtherTrainers, AFilteredLossStopsTheRun) {
  std::string text;
  for (int i = 1; i <= 12; ++i) {
    text +=
        "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1e-06, 'reward': "
        "0.5, 'epoch': 0.1}\n";
  }
  files_.Append("/r/t.log", text);
  ReadAt(0);
  const RunReport report = app_->Reports(NowAt(1))[0];
  EXPECT_EQ(report.framework, "trl");
  EXPECT_EQ(report.decision, Decision::kStop);
  EXPECT_THAT(report.decision_reason, HasSubstr("nan_inf"));
}

}  // namespace
}  // namespace rlrun
