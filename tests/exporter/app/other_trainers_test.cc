// Logs of slime, miles and Hugging Face trainers through the whole app: whose
// console it is, the names and axes of their values, documents that are
// replaced as a whole.
#include <gmock/gmock.h>

#include <string>

#include "tests/exporter/app/app_fixture.h"
#include "tests/support/metric_files.h"

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
  // `run`: its labels, open at the end.
  void ExpectStopped(const std::string& run) {
    EXPECT_THAT(Text(), HasSubstr("framework=\"trl\",mode=\"sync\""));
    EXPECT_EQ(Value("rlrun_signature_active" + run +
                    ",signature=\"reward_drop\",severity=\"critical\"}"),
              "1");
    EXPECT_EQ(Value("rlrun_decision" + run + ",decision=\"stop\"}"), "1");
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

// The reward of 60 steps: it rises, and falls at the 31st.
double RewardOf(int step) { return step <= 30 ? 0.1 + 0.02 * step : 0.05; }

TEST_F(OtherTrainers, TrlKnownByWandbAloneIsJudged) {
  WandbFileWriter file;
  for (int step = 1; step <= 60; ++step) {
    file.Add(WandbHistory(2 * step, {{"profiling/Time taken: x", "0.5"}}));
    file.Add(WandbHistory(
        2 * step + 1,
        {{"train/loss", "0.0"},
         {"train/grad_norm", "0.5"},
         {"train/learning_rate", "1e-06"},
         {"train/completions/mean_length", std::to_string(300 + step)},
         {"train/reward", std::to_string(RewardOf(step))},
         {"train/epoch", "0.5"},
         {"train/global_step", std::to_string(step)}}));
  }
  files_.Write("/r/wandb/run-20260102_030405-abc/run-abc.wandb", file.text());
  ReadAt(0);
  const std::string run = "{run=\"run-20260102_030405-abc\"";
  EXPECT_EQ(Value("rlrun_last_step" + run + ",line=\"train\"}"), "60");
  EXPECT_EQ(Value("rlrun_rewinds_total" + run + "}"), "0");
  EXPECT_EQ(Value("rlrun_step_reward" + run + "}"), "0.05");
  EXPECT_EQ(Value("rlrun_step_completions_mean_length" + run + "}"), "360");
  ExpectStopped(run);
}

TEST_F(OtherTrainers, TrlKnownByItsEventsAloneIsJudged) {
  std::string text = EventRecord(FileVersionEvent(kStart));
  for (int step = 1; step <= 60; ++step) {
    const auto add = [&](const char* tag, double value) {
      text += EventRecord(Event(static_cast<double>(kStart) + step, step,
                                {SimpleValue(tag, static_cast<float>(value))}));
    };
    add("train/loss", 0);
    add("train/grad_norm", 0.5);
    add("train/learning_rate", 1e-6);
    add("train/reward", RewardOf(step));
    add("train/epoch", 0.5);
    if (step % 10 == 0) add("eval/loss", 0.25);
  }
  files_.Write("/r/runs/Jan02_host/events.out.tfevents.1767323045.host.8.0",
               text);
  ReadAt(70);
  const std::string run = "{run=\"Jan02_host\"";
  EXPECT_EQ(Value("rlrun_last_step" + run + ",line=\"val\"}"), "60");
  EXPECT_EQ(Value("rlrun_step_eval_loss" + run + "}"), "0.25");
  ExpectStopped(run);
}

// A file that is empty, cut or of somebody else costs no other run anything.
TEST_F(OtherTrainers, AStateThatIsNotWholeHidesNobody) {
  const std::string good = State(5, 1);
  int n = 0;
  for (const std::string& bad :
       {std::string(), good.substr(0, 200), std::string("{\"foo\": 1}"),
        std::string("[]"), std::string("\0\0\0", 3), std::string("hello")}) {
    const std::string folder = "/r/bad" + std::to_string(n++);
    files_.Mkdir(folder);
    Replace(folder + "/trainer_state.json", bad);
  }
  files_.Mkdir("/r/good");
  Replace("/r/good/trainer_state.json", good);
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("good"));
  EXPECT_EQ(Files("not_a_log"), "6");
  // One of them is written to its end at last.
  Clock(30);
  Replace("/r/bad1/trainer_state.json", good);
  ReadThrough(30, 50);
  EXPECT_THAT(Runs(), ElementsAre("bad1", "good"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"bad1\",line=\"train\"}"), "5");
}

TEST_F(OtherTrainers, OfACheckpointThatIsNotWholeTheOneBeforeIsRead) {
  files_.Mkdir("/r/sft");
  for (const char* n : {"10", "20", "30"}) {
    const std::string folder = std::string("/r/sft/checkpoint-") + n;
    files_.Mkdir(folder);
    const std::string text = State(std::stoi(n), 1);
    Replace(folder + "/trainer_state.json",
            std::string(n) == "10" ? text : text.substr(0, 300));
  }
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("sft"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"sft\",line=\"train\"}"), "10");
  EXPECT_EQ(Files("side_file"), "0");
  // It stays so while listings come and go, and ends with the newest.
  ReadThrough(5, 150);
  EXPECT_EQ(Value("rlrun_last_step{run=\"sft\",line=\"train\"}"), "10");
  Clock(160);
  Replace("/r/sft/checkpoint-30/trainer_state.json", State(30, 1));
  ReadThrough(160, 300);
  EXPECT_THAT(Runs(), ElementsAre("sft"));
  EXPECT_EQ(Value("rlrun_last_step{run=\"sft\",line=\"train\"}"), "30");
  EXPECT_EQ(Files("side_file"), "2");
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
