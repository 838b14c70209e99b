// Events of whole pieces of console text, through the format that reads them.
#include "parsers/formats/event_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "parsers/formats/verl_console.h"
#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

using Kind = LogErrorKind;

class EventReaderTest : public testing::Test {
 protected:
  void Feed(std::string_view bytes) {
    splitter_.Feed(bytes, [&](std::span<const Line> batch) {
      format_.ParseLines(batch, &facts_);
    });
    format_.Finish(&facts_);
  }
  const LogEvents& events() const { return facts_.events; }
  std::uint64_t Errors(Kind kind) const {
    return events().errors[static_cast<std::size_t>(kind)];
  }
  const PhaseMarks& Phase(RunPhase p) const {
    return events().phases[static_cast<std::size_t>(p)];
  }

  LineSplitter splitter_;
  VerlConsole format_;
  LogFacts facts_;
};

constexpr std::string_view kStep = "(TaskRunner pid=1) step:7 - actor/lr:1\n";

TEST_F(EventReaderTest, OnlyTheNewestLineOfEachReplica) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    for (const char* pid : {"5", "6"}) {
      text += std::string("(vLLMHttpServer pid=") + pid +
              ", ip=10.0.0.9) (EngineCore pid=8) INFO 07-16 18:49:02 "
              "[loggers.py:208] Engine 000: Avg prompt throughput: " +
              std::to_string(i) + ".0 tokens/s, Running: 2 reqs\n";
    }
  }
  Feed(text);
  ASSERT_EQ(events().engines.size(), 2u);
  EXPECT_EQ(events().engines[0].engine, "10.0.0.9:5/000");
  EXPECT_EQ(events().engines[0].prompt_rate, 999.0);
  EXPECT_EQ(events().engines[1].engine, "10.0.0.9:6/000");
  ASSERT_TRUE(events().engines[1].at.stamp);
  EXPECT_EQ(events().engines[1].at.stamp->minute, 49);
  EXPECT_EQ(facts_.lines[static_cast<std::size_t>(LineOutcome::kEvent)], 2000u);
}

TEST_F(EventReaderTest, ReplicasBeyondTheLimitAreCounted) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    text += "(S pid=" + std::to_string(i) +
            ") INFO 07-16 18:49:02 [loggers.py:1] Engine 000: Avg prompt "
            "throughput: 1.0 tokens/s\n";
  }
  Feed(text);
  EXPECT_EQ(events().engines.size(), kMaxEngines);
  EXPECT_EQ(events().engines_dropped, 600 - kMaxEngines);
}

TEST_F(EventReaderTest, FirstErrorIsTheEvidenceAndNotItsEcho) {
  Feed(
      "(raylet) A worker died or was killed while executing a task\n"
      "(WorkerDict pid=2) [rank1]:[E207 01:52:41.3 ProcessGroupNCCL.cpp:607] "
      "[Rank 1] Watchdog caught collective operation timeout: x\n");
  for (int i = 0; i < 150; ++i) Feed("  frame\n");
  Feed("Set the environment variable HYDRA_FULL_ERROR=1 for more\n");
  ASSERT_TRUE(events().newest_burst);
  EXPECT_EQ(events().newest_burst->evidence().kind, Kind::kActorDied);
  EXPECT_EQ(events().newest_burst->errors, 3u);
  EXPECT_TRUE(events().newest_burst->severe);
  EXPECT_EQ(Errors(Kind::kNccl), 1u);
  EXPECT_EQ(Errors(Kind::kTrainerCrash), 1u);
}

TEST_F(EventReaderTest, CauseInsideTheJobsBlockIsTheEvidence) {
  Feed(
      "Error executing job with overrides: ['wandb_key=hunter22']\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in main\n"
      "ray.exceptions.RayTaskError(OSError): ray::A.m() (pid=1)\n"
      "OSError: [Errno 28] No space left on device\n"
      "\n"
      "Set the environment variable HYDRA_FULL_ERROR=1 for more\n");
  const ErrorBurst& burst = *events().newest_burst;
  EXPECT_EQ(burst.first.kind, Kind::kTrainerCrash);
  EXPECT_EQ(burst.first.text,
            "Error executing job with overrides: ['wandb_key=***']");
  EXPECT_EQ(burst.evidence().kind, Kind::kDiskFull);
  EXPECT_EQ(Errors(Kind::kTrainerCrash), 1u);
  EXPECT_EQ(Errors(Kind::kTraceback), 1u);
}

TEST_F(EventReaderTest, ExceptionOfATracebackIsItsText) {
  Feed(
      "Traceback (most recent call last):\n  File \"a.py\"\n"
      "ray.exceptions.RayTaskError(KeyError): x\n  File \"b.py\"\n"
      "KeyError: 'lr'\nValueError: later\n");
  EXPECT_EQ(events().newest_burst->evidence().text, "KeyError: 'lr'");
}

TEST_F(EventReaderTest, StepLineEndsABurst) {
  Feed("KeyError: no traceback, no error\nNo scores. Retrying...\n");
  Feed(kStep);
  Feed("Traceback (most recent call last):\n");
  EXPECT_EQ(events().first_burst->first.kind, Kind::kRetry);
  EXPECT_FALSE(events().first_burst->severe);
  EXPECT_EQ(events().newest_burst->first.kind, Kind::kTraceback);
  EXPECT_EQ(events().newest_burst->errors, 1u);
  Feed(kStep);
  Feed("Traceback (most recent call last):\n");
  EXPECT_EQ(events().newest_burst->errors, 1u);
}

TEST_F(EventReaderTest, SevereErrorIsNotHiddenBehindLivableOnes) {
  Feed(
      "ERROR:2026-07-16 18:48:04,595:Failed to decode tool call: 'x'\n"
      "torch.OutOfMemoryError: CUDA out of memory\n"
      "ERROR:2026-07-16 18:48:05,595:Failed to decode tool call: 'x'\n");
  EXPECT_EQ(events().newest_burst->first.kind, Kind::kCudaOom);
  EXPECT_EQ(events().newest_burst->errors, 2u);
}

TEST_F(EventReaderTest, FarErrorsAreTwoBurstsUnlessStampsAreNear) {
  const std::string far(250, '\n');
  Feed("ERROR:2026-07-16 18:48:00,000:CUDA out of memory\n" + far +
       "ERROR:2026-07-16 18:48:59,000:NCCL error\n");
  EXPECT_EQ(events().newest_burst->errors, 2u);
  Feed(far + "ERROR:2026-07-16 18:50:59,000:NCCL error\n");
  EXPECT_EQ(events().newest_burst->errors, 1u);
  EXPECT_EQ(events().first_burst->errors, 2u);
}

TEST_F(EventReaderTest, RetriesFarBehindASevereErrorAreABurstBesideIt) {
  const std::string far(250, '\n');
  Feed("torch.OutOfMemoryError: CUDA out of memory\n" + far +
       "ERROR:2026-07-16 18:48:05,595:Failed to decode tool call: 'x'\n");
  ASSERT_TRUE(events().severe_burst);
  EXPECT_EQ(events().severe_burst->first.kind, Kind::kCudaOom);
  EXPECT_FALSE(events().newest_burst->severe);
}

TEST_F(EventReaderTest, BurstGoesOnInLaterFacts) {
  Feed("Traceback (most recent call last):\n");
  facts_ = {};
  Feed("torch.OutOfMemoryError: CUDA out of memory\n");
  EXPECT_FALSE(events().first_burst);
  EXPECT_EQ(events().newest_burst->first.at.offset, 0u);
  EXPECT_EQ(events().newest_burst->errors, 2u);
}

TEST_F(EventReaderTest, InterruptedTraceback) {
  Feed("Traceback (most recent call last):\n  File \"a\"\nKeyboardInterrupt\n");
  ASSERT_TRUE(events().interrupt);
  EXPECT_EQ(events().interrupt->text, "KeyboardInterrupt");
  EXPECT_TRUE(events().newest_burst->interrupted);
}

TEST_F(EventReaderTest, WorkersThatStopWhenTheRunIsThroughAreNoErrors) {
  Feed("Total training steps: 7\n");
  Feed(kStep);
  Feed("(raylet) A worker died or was killed while executing a task\n");
  EXPECT_EQ(Errors(Kind::kActorDied), 0u);
  Feed("Traceback (most recent call last):\n");
  EXPECT_TRUE(events().newest_burst->after_end);
}

TEST_F(EventReaderTest, OneHealthTimeoutIsNoError) {
  Feed("ERROR 07-16 18:49:02 [a.py:1] Health check failed. No answer\n");
  EXPECT_EQ(Errors(Kind::kEngine), 0u);
  Feed("ERROR 07-16 18:49:22 [a.py:1] Health check failed. No answer\n");
  EXPECT_EQ(Errors(Kind::kEngine), 1u);
}

TEST_F(EventReaderTest, ValidationAndCheckpoint) {
  Feed("test_gen_batch meta info: {'validate': False}\n");
  EXPECT_FALSE(Phase(RunPhase::kEvaluateRollouts).begin);
  Feed("(T pid=1) test_gen_batch meta info: {'a': 1, 'validate': True}\n");
  EXPECT_EQ(events().phase, RunPhase::kEvaluateRollouts);
  Feed("(T pid=1) validation generation end\nlocal_global_step_folder: a/b\n");
  EXPECT_TRUE(Phase(RunPhase::kEvaluateRollouts).end);
  EXPECT_EQ(events().phase, RunPhase::kCheckpointSave);
  EXPECT_FALSE(Phase(RunPhase::kCheckpointSave).end);
  Feed(kStep);
  EXPECT_TRUE(Phase(RunPhase::kCheckpointSave).end);
  EXPECT_EQ(events().phase, RunPhase::kTraining);
}

TEST_F(EventReaderTest, SamplesOfAnAsynchronousStep) {
  Feed("[FullyAsyncTrainer] Requesting 128 samples from queue\n");
  EXPECT_EQ(events().samples->required, 128);
  EXPECT_EQ(events().samples->collected, 0);
  EXPECT_EQ(events().phase, RunPhase::kGenerateRollouts);
  Feed("[FullyAsyncTrainer] Collected 64/128 samples. mq_len: 3\n");
  EXPECT_EQ(events().samples->collected, 64);
  Feed(
      "[FullyAsyncTrainer] Loop collection completed: 128/128 samples, total "
      "wait time: 3.0 seconds. mq_len: 0\n");
  EXPECT_EQ(events().samples->collected, 128);
  EXPECT_EQ(events().phase, RunPhase::kOptimizerStep);
  Feed(
      "[FullyAsyncTrainer] _fit_update_weights, timing_s/param_sync: 12.5 "
      "seconds self.current_param_version: 4\n");
  EXPECT_EQ(events().controls[4]->value, 12.5);
  EXPECT_EQ(events().phase, RunPhase::kTraining);
}

TEST_F(EventReaderTest, StatisticsOverSeveralLines) {
  Feed(
      "(R pid=3) [FullyAsyncRollouter][MonitorLoop][Statistics] {'count/a': "
      "4,\n(W pid=9) 'count/a': 77,\n(R pid=3)  'monitor/b': 0.5,\n"
      "(R pid=3)  'c': None}\n(R pid=3) 'd': 5}\n");
  ASSERT_TRUE(events().queue);
  const auto& values = events().queue->values;
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].first, "count/a");
  EXPECT_EQ(values[0].second, 4);
  EXPECT_EQ(values[1].second, 0.5);
}

TEST_F(EventReaderTest, PauseDrainAndHeartbeat) {
  Feed(
      "[FullyAsyncRollouter][ShouldPause]  due to full queue: size=64, "
      "max=64\n[FullyAsyncRollouter][Processor] Drain interrupted by resume "
      "signal, resuming generation early (active tasks remaining: 3)\n"
      "[FullyAsyncTrainer] global_steps: 12 local_trigger_step: 1 "
      "trigger_parameter_sync_step: 4 10:11:12.345\n"
      "MessageQueue stats: produced=9, queue_size=5\n");
  const auto value = [&](ControlKind k) {
    return events().controls[static_cast<std::size_t>(k)]->value;
  };
  EXPECT_EQ(value(ControlKind::kPause), 64);
  EXPECT_EQ(value(ControlKind::kResume), 3);
  EXPECT_EQ(value(ControlKind::kHeartbeat), 12);
  EXPECT_EQ(value(ControlKind::kQueue), 5);
}

TEST_F(EventReaderTest, ResumeAndEndMarks) {
  Feed("Load from checkpoint folder: a/global_step_100\n");
  EXPECT_EQ(events().resume->step, 100);
  Feed("Setting global step to 101\n");
  EXPECT_EQ(events().resume->step, 101);
  Feed("Training completed, see the logs\n");
  EXPECT_EQ(events().end->kind, EndKind::kWrapper);
  Feed("[ASYNC MAIN] Training completed or interrupted\n");
  EXPECT_EQ(events().end->kind, EndKind::kAmbiguous);
  Feed("total time: 12.00 seconds\nTraining completed\n");
  EXPECT_EQ(events().end->kind, EndKind::kTrainer);
}

TEST_F(EventReaderTest, EndOfALaunchWhoseRunWentOnGivesWay) {
  Feed("total time: 12.00 seconds\n");
  Feed(kStep);
  Feed("(raylet) A worker died or was killed while executing a task\n");
  EXPECT_EQ(Errors(Kind::kActorDied), 1u);
  Feed("Training completed, see the logs\n");
  EXPECT_EQ(events().end->kind, EndKind::kWrapper);
}

TEST_F(EventReaderTest, TrialsAreCountedAndAreNoErrors) {
  Feed(
      "[task=a] attempt 1/2 timeout (no retry). results=Traceback (most\n"
      "[task=a] attempt 1/2 no verifier result (exception=x), retrying.\n"
      "[DEBUG] [task=a] attempt 2/2 exception: CUDA out of memory\n"
      "[Trial] step=3 5/64 task=a outcome=success reward=1.00 turns=2\n");
  EXPECT_EQ(events().trial_lines[1], 1u);
  EXPECT_EQ(events().trial_lines[3], 1u);
  EXPECT_EQ(events().trial_lines[4], 1u);
  EXPECT_EQ(events().trial_lines[0], 1u);
  EXPECT_EQ(events().samples->collected, 5);
  EXPECT_EQ(events().samples->required, 64);
  EXPECT_FALSE(events().first_burst);
}

TEST_F(EventReaderTest, LastActivityIsMaskedAndNoBar) {
  Feed(
      "\x1b[36m(T pid=1)\x1b[0m login with hf_AbCdEfGhIjKl0123\x1b[0m\n"
      "====\nTraining Progress:   1%| | 1/9 [00:01<00:09, 1.0s/it]\n"
      "INFO: 10.0.0.1:1 - \"GET /health HTTP/1.1\" 200 OK\n");
  ASSERT_TRUE(events().last_activity);
  EXPECT_EQ(events().last_activity->text, "login with ***");
  EXPECT_EQ(events().last_activity->at.offset, 0u);
}

}  // namespace
}  // namespace rlrun
