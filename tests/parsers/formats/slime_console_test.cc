#include "parsers/formats/slime_console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "parsers/lines/line_splitter.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kActor =
    "\x1b[36m(MegatronTrainRayActor pid=7, ip=10.0.0.2)\x1b[0m ";
const std::string kManager = "(RolloutManager pid=6) ";

class SlimeConsoleTest : public testing::Test {
 protected:
  void Feed(std::string_view bytes) {
    splitter_.Feed(bytes, [&](std::span<const Line> batch) {
      format_.ParseLines(batch, &facts_);
      lines_ += batch.size();
    });
    EXPECT_EQ(std::accumulate(facts_.lines.begin(), facts_.lines.end(),
                              std::uint64_t{0}),
              lines_);
  }
  // One line of a type with one value.
  static std::string Metrics(const std::string& type, int number, double value,
                             const std::string& key = "train/pg_loss") {
    return "[2026-08-21 10:00:0" + std::to_string(number % 10) +
           "] model.py:918 - " + type + " " + std::to_string(number) + ": {'" +
           key + "': " + std::to_string(value) + "}\n";
  }
  std::vector<std::int64_t> Steps() const {
    std::vector<std::int64_t> steps;
    for (const StepRecord& r : facts_.steps) steps.push_back(r.step);
    return steps;
  }
  std::uint64_t Count(LineOutcome o) const {
    return facts_.lines[static_cast<std::size_t>(o)];
  }
  std::uint64_t Errors(LogErrorKind kind) const {
    return facts_.events.errors[static_cast<std::size_t>(kind)];
  }
  const LogFacts& Finished() {
    format_.Finish(&facts_);
    return facts_;
  }

  LineSplitter splitter_;
  SlimeConsole format_;
  LogFacts facts_;
  std::uint64_t lines_ = 0;
};

TEST_F(SlimeConsoleTest, PrefixesColoursAndModalFronts) {
  Feed(kActor + Metrics("step", 0, 1));
  Feed("2026-03-01 05:00:00+00:00 " + Metrics("step", 1, 1));
  Feed("2026-03-01 05:00:00+00:00 ta-01JABCDEFGH " + kActor +
       Metrics("step", 2, 1));
  Feed("  4933:" + kManager + Metrics("step", 3, 1));
  EXPECT_THAT(Steps(), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(facts_.trainer_actor);
  EXPECT_EQ(facts_.run_facts->framework, "slime");
}

// Each replica by its own name, whatever stands in front of its line.
TEST_F(SlimeConsoleTest, LinesOfSglangAreReadings) {
  const std::string decode =
      "Decode batch, #running-req: 32, #token: 51200, token usage: 0.82, cuda "
      "graph: True, gen throughput (token/s): 308.1, #queue-req: 4";
  Feed(Metrics("step", 0, 1));
  Feed("(SGLangEngine pid=8, ip=10.0.0.3) [2026-08-21 10:00:01 TP0] " + decode +
       "\x1b[32m [repeated 3x across cluster]\x1b[0m\n");
  Feed(
      "2026-03-01 05:00:00+00:00 ta-01JABCDEFGH \x1b[36m(SGLangEngine pid=9)"
      "\x1b[0m [2026-08-21 10:00:01.250 DP3 TP0 EP0] " +
      decode + ",\n");
  Feed("[2026-08-21 10:00:02] scheduler.py:77 - " + decode + "\n");
  Feed(
      "(SGLangEngine pid=8, ip=10.0.0.3) [2026-08-21 10:00:03 TP0] Prefill "
      "batch, #new-seq: 2, #new-token: 25, #cached-token: 75, token usage: "
      "0.50, #running-req: 30, #queue-req: 1, input throughput (token/s): "
      "900.5,\n");
  Feed(
      "[2026-08-21 10:00:04] rollout.py:421 - First rollout sample: ['Decode "
      "batch, #running-req: 99'], label: 1, reward: 0\n");
  const std::vector<EngineReading>& engines = Finished().events.engines;
  ASSERT_EQ(engines.size(), 3u);
  EXPECT_EQ(engines[1].engine, "local:9/003");
  EXPECT_EQ(engines[1].running, 32);
  EXPECT_EQ(engines[1].waiting, 4);
  EXPECT_EQ(engines[1].generation_rate, 308.1);
  EXPECT_EQ(engines[1].kv_cache_usage, 0.82);
  EXPECT_EQ(engines[2].engine, "local:-/000");
  EXPECT_EQ(engines[0].engine, "10.0.0.3:8/000");
  EXPECT_EQ(engines[0].generation_rate, 308.1) << "of its older line";
  EXPECT_EQ(engines[0].prompt_rate, 900.5);
  EXPECT_EQ(engines[0].running, 30);
  EXPECT_EQ(engines[0].prefix_hit_ratio, 0.75);
}

TEST_F(SlimeConsoleTest, TwentyFourBitColourAndABareReset) {
  Feed("\x1b[38;2;180;60;0mstep 4: {'train/pg_loss': \x1b[39m0.5}\x1b[0m\n");
  ASSERT_THAT(Steps(), ElementsAre(4));
  EXPECT_EQ(facts_.steps[0].pairs[0].value, 0.5);
}

TEST_F(SlimeConsoleTest, BarsGluedInFront) {
  Feed("\rRollout generation:  45%|##  | 115/256 [00:12<00:15,  9.2it/s]\r" +
       Metrics("step", 4, 1));
  Feed("actor train: 100%|###| 4/4 [00:12<00:00,  3.1s/it]" + kActor +
       Metrics("step", 5, 1));
  EXPECT_THAT(Steps(), ElementsAre(4, 5));
}

TEST_F(SlimeConsoleTest, NulBytesBadUtf8AndCrlf) {
  std::string line = Metrics("step", 4, 1);
  line.insert(3, std::string(5, '\0'));
  line.insert(line.size() - 1, "\r");
  Feed(line);
  Feed("step 5: {'train/\xff\xfe': 1.5}\n");
  EXPECT_THAT(Steps(), ElementsAre(4, 5));
}

TEST_F(SlimeConsoleTest, HalfALineIsHeld) {
  const std::string line = Metrics("step", 4, 1);
  Feed(line.substr(0, line.size() - 4));
  EXPECT_THAT(Steps(), IsEmpty());
  Feed(line.substr(line.size() - 4));
  EXPECT_THAT(Steps(), ElementsAre(4));
}

TEST_F(SlimeConsoleTest, LineOfHundredsOfKilobytes) {
  Feed("Finish rollout: ['" + std::string(300'000, 'x') +
       " step 3: {\\'train/loss\\': 1}'], label: 4, reward: 1.0\n" +
       Metrics("step", 4, 1));
  EXPECT_THAT(Steps(), ElementsAre(4));
}

TEST_F(SlimeConsoleTest, DeduplicatedLine) {
  Feed(
      "step 4: {'train/pg_loss': 0.5}\x1b[32m [repeated 7x across cluster]"
      "\x1b[0m\n");
  ASSERT_THAT(Steps(), ElementsAre(4));
  EXPECT_EQ(facts_.values_skipped, decltype(facts_.values_skipped){});
}

TEST_F(SlimeConsoleTest, MilesPrintsALineTwice) {
  const std::string head = "[2026-09-04 01:00:00.000 actor_cell0_rank0] ";
  const std::string body =
      "step 0: {'train/pg_loss': 0.5, 'train/ess_ratio': 1}";
  Feed(head + "log_utils.py:542 - " + body + "\n");
  Feed(head + "model.py:854 - " + body + "\n");
  EXPECT_THAT(Steps(), ElementsAre(0));
  EXPECT_EQ(Count(LineOutcome::kStep), 2u);
  EXPECT_EQ(facts_.run_facts->framework, "miles");
}

TEST_F(SlimeConsoleTest, ARetriedStepHasOtherValues) {
  Feed(Metrics("step", 3, 1) + Metrics("step", 3, 2));
  EXPECT_THAT(Steps(), ElementsAre(3, 3));
}

TEST_F(SlimeConsoleTest, ReplayAfterReconnectSaysNothingNew) {
  std::string first;
  for (int i = 0; i < 5; ++i) {
    first += Metrics("rollout", i, i, "rollout/raw_reward");
    first += Metrics("step", i, i);
  }
  Feed(first +
       "[ray] Log stream ended but job x: reconnecting in 2s... (retry "
       "1/35)\n");
  facts_.steps.clear();
  Feed(first);
  EXPECT_THAT(Steps(), IsEmpty());
  Feed(Metrics("step", 5, 5));
  EXPECT_THAT(Steps(), ElementsAre(5));
  EXPECT_EQ(Count(LineOutcome::kStep), 21u);
}

TEST_F(SlimeConsoleTest, OldErrorsInAReplayAreOld) {
  const std::string first = Metrics("step", 0, 1) +
                            "Traceback (most recent call last):\n" +
                            Metrics("step", 1, 1) + Metrics("step", 2, 1);
  Feed(first + first);
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 1u);
  // Behind the newest line that is known, text is new again.
  Feed("Traceback (most recent call last):\n");
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 2u);
}

constexpr char kLost[] =
    "[ray] Log stream ended but job x reconnecting in 2s... (retry 1/35)\n";
constexpr char kEntry[] =
    "Running entrypoint for job x: python3 train.py --num-rollout 9\n";

// What was survived at the start comes again before any metric line does.
TEST_F(SlimeConsoleTest, TheHeadOfAReplayIsOld) {
  for (const std::string& head :
       {std::string(kEntry), std::string("no entrypoint is printed\n")}) {
    format_.Reset();
    facts_ = {};
    lines_ = 0;
    const std::string stream =
        head + kManager + "Traceback (most recent call last):\n" + kManager +
        "torch.OutOfMemoryError: CUDA out of memory.\n" + kActor +
        "[2026-08-21 10:00:00] timer.py:24 - Timer train_wait start\n" +
        Metrics("step", 0, 1) + kActor +
        "[2026-08-21 10:00:09] timer.py:24 - Timer update_weights start\n" +
        kManager + "Traceback (most recent call last):\n";
    Feed("Training run id: a-b-00112233\n" + stream);
    EXPECT_EQ(Errors(LogErrorKind::kTraceback), 2u);
    EXPECT_EQ(Errors(LogErrorKind::kCudaOom), 1u);
    const auto newest = facts_.events.severe_burst->newest.offset;
    Feed(kLost + stream);
    EXPECT_EQ(Errors(LogErrorKind::kTraceback), 2u) << head;
    EXPECT_EQ(Errors(LogErrorKind::kCudaOom), 1u) << head;
    EXPECT_EQ(facts_.events.severe_burst->newest.offset, newest);
    EXPECT_EQ(facts_.events.phase, RunPhase::kWeightSync);
    // What comes behind it is new.
    Feed(kManager + "Traceback (most recent call last):\n");
    EXPECT_EQ(Errors(LogErrorKind::kTraceback), 3u) << head;
  }
}

TEST_F(SlimeConsoleTest, AReplayBeforeTheFirstStep) {
  const std::string stream = std::string(kEntry) +
                             "Traceback (most recent call last):\n"
                             "loading weights\n";
  Feed("Submitted Ray job: x\n" + stream + kLost + stream);
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 1u);
  // The stream was lost again in the middle.
  Feed(kLost + stream.substr(0, stream.size() - 16) + kLost + stream);
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 1u);
  Feed("Traceback (most recent call last):\n" + Metrics("step", 0, 1));
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 2u);
  EXPECT_THAT(Steps(), ElementsAre(0));
}

// A stream that goes on where it was hides nothing.
TEST_F(SlimeConsoleTest, AReconnectWithoutAReplay) {
  Feed(std::string(kEntry) + Metrics("step", 0, 1) + kLost + "going on\n" +
       "Traceback (most recent call last):\n" + "Job 'x' failed\n");
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 1u);
  EXPECT_EQ(Errors(LogErrorKind::kTrainerCrash), 1u);
}

TEST_F(SlimeConsoleTest, AnEndInAReplayIsNew) {
  Feed(std::string(kEntry) + Metrics("step", 0, 1) + Metrics("step", 1, 1) +
       kLost + kEntry + Metrics("step", 0, 1) +
       "Final Ray job status: FAILED\n");
  EXPECT_EQ(Errors(LogErrorKind::kTrainerCrash), 1u);
}

// However it looks: what is printed again is no longer than what there was.
TEST_F(SlimeConsoleTest, AReplayEnds) {
  Feed(std::string(kEntry) + "a\nb\n" + Metrics("step", 0, 1) + kEntry);
  for (int i = 0; i < 10; ++i) Feed("something else\n");
  Feed("Traceback (most recent call last):\n");
  EXPECT_EQ(Errors(LogErrorKind::kTraceback), 1u);
}

TEST_F(SlimeConsoleTest, ARestartGoesBackWithOtherValues) {
  for (int i = 0; i < 5; ++i) Feed(Metrics("step", i, i));
  Feed(
      "WARNING: training run abc is retrying after preemption or interruption "
      "(attempt 2).\n");
  Feed(Metrics("step", 2, 7) + Metrics("step", 3, 8));
  EXPECT_THAT(Steps(), ElementsAre(0, 1, 2, 3, 4, 2, 3));
  EXPECT_TRUE(facts_.events.resume.has_value());
}

TEST_F(SlimeConsoleTest, ReplayOfMoreThanIsRemembered) {
  LineMemory memory;
  for (int i = 0; i < 40'000; ++i) {
    EXPECT_FALSE(memory.IsRepeated(1, i, std::to_string(i)));
  }
  for (int i = 0; i < 40'000; ++i) {
    EXPECT_TRUE(memory.IsRepeated(1, i, std::to_string(i))) << i;
  }
  EXPECT_FALSE(memory.IsOld("a line behind it"));
  EXPECT_FALSE(memory.IsRepeated(1, 40'000, "new"));
  EXPECT_FALSE(memory.IsRepeated(1, 39'000, "another value"));
}

TEST_F(SlimeConsoleTest, StampsOfTheLineItself) {
  Feed(Metrics("step", 1, 1) + Metrics("step", 4, 1));
  ASSERT_EQ(facts_.steps.size(), 2u);
  EXPECT_EQ(facts_.steps[1].stamp_before->second, 4);
  EXPECT_EQ(facts_.steps[1].longest_gap, 3);
}

TEST_F(SlimeConsoleTest, BenignOutOfMemoryText) {
  Feed("TorchMemorySaver::malloc return OOM for CUdeviceptr size=1\n");
  Feed(kActor +
       "[2026-08-21 10:00:00] x.py:1 - ERROR TorchMemorySaver: CUDA "
       "out of memory\n");
  EXPECT_EQ(Errors(LogErrorKind::kCudaOom), 0u);
  Feed("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1 GiB\n");
  EXPECT_EQ(Errors(LogErrorKind::kCudaOom), 1u);
}

// Whoever generates runs what a model has written, and lives with its errors.
TEST_F(SlimeConsoleTest, TracebackOfARolloutIsOfAHelper) {
  Feed(Metrics("step", 0, 1) + kManager +
       "Traceback (most recent call last):\n" + kManager +
       "ZeroDivisionError: division by zero\n");
  ASSERT_TRUE(facts_.events.severe_burst);
  EXPECT_TRUE(facts_.events.severe_burst->of_helpers);
  Feed("Traceback (most recent call last):\n");
  EXPECT_FALSE(facts_.events.severe_burst->of_helpers);
}

TEST_F(SlimeConsoleTest, AnAnswerWithAnErrorInItIsNone) {
  Feed(
      "First rollout sample: ['RuntimeError: CUDA out of memory'], label: x, "
      "reward: 0\n");
  EXPECT_EQ(facts_.events.errors, decltype(facts_.events.errors){});
  EXPECT_EQ(facts_.events.phase, RunPhase::kGenerateRollouts);
}

TEST_F(SlimeConsoleTest, MemoryUsageIsNoMetricLine) {
  Feed("[Rank 0] Memory-Usage after wake_up: {'gpu': '0', 'free_GB': 12.5}\n");
  EXPECT_THAT(Steps(), IsEmpty());
}

TEST_F(SlimeConsoleTest, LauncherStatesTheRun) {
  Feed(
      "Training run id: calm-otter-0011aabbccdd\n"
      "Downloading model Qwen/Qwen3-4B...\n"
      "Running entrypoint for job raysubmit_1: python3 train_async.py "
      "--num-rollout 100 --rollout-batch-size 32 --n-samples-per-prompt 8 "
      "--global-batch-size=128 --lr 1e-6 --lr-decay-style constant\n");
  EXPECT_EQ(facts_.run_facts->training_run_id, "calm-otter-0011aabbccdd");
  EXPECT_EQ(facts_.total_steps, 200);
  EXPECT_EQ(facts_.run_facts->lr, 1e-6);
  EXPECT_EQ(facts_.run_facts->lr_scheduler, "constant");
  EXPECT_EQ(facts_.run_facts->prompts_per_step, 32);
  EXPECT_EQ(facts_.events.phase, RunPhase::kDownloadModel);
  Feed(Metrics("step", 0, 1));
  EXPECT_EQ(facts_.mode, RunMode::kAsync);
}

TEST_F(SlimeConsoleTest, StepsPerRolloutAreLearnt) {
  Feed(
      "Running entrypoint for job raysubmit_1: python3 train.py --num-rollout "
      "100\n");
  EXPECT_FALSE(facts_.total_steps.has_value());
  Feed(Metrics("rollout", 0, 1, "rollout/raw_reward") + Metrics("step", 0, 1) +
       Metrics("step", 1, 1) + Metrics("rollout", 1, 2, "rollout/raw_reward") +
       Metrics("step", 2, 1));
  EXPECT_EQ(facts_.total_steps, 200);
}

TEST_F(SlimeConsoleTest, EndsOfAJob) {
  Feed("Job 'raysubmit_1' succeeded\n");
  EXPECT_EQ(facts_.events.end->kind, EndKind::kTrainer);
  Feed("Final Ray job status: FAILED\n");
  EXPECT_EQ(Errors(LogErrorKind::kTrainerCrash), 1u);
  Feed("Final Ray job status: STOPPED\n");
  EXPECT_TRUE(facts_.events.interrupt.has_value());
}

TEST_F(SlimeConsoleTest, TimersArePhases) {
  const std::string head = kActor + "[2026-08-21 10:00:00] timer.py:24 - ";
  Feed(head + "Timer train_wait start\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kGenerateRollouts);
  Feed(head + "Timer train_wait end (elapsed: 12.3s)\n" + head +
       "Timer train start\n" + head + "Timer log_probs start\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kComputeLogProbs);
  Feed(head + "Timer log_probs end (elapsed: 1.5s)\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kTraining);
  Feed(head + "timer actor_train start\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kOptimizerStep);
  Feed(head + "Timer train end (elapsed: 9.9s)\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kTraining);
  Feed(head + "Timer is running\n" + head + "Timer a start now\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kTraining);
}

TEST_F(SlimeConsoleTest, RoundedTimesCountOnlyWithoutPerfLines) {
  const auto seconds = [&] {
    return facts_.events
        .phase_seconds[static_cast<std::size_t>(RunPhase::kOptimizerStep)];
  };
  const std::string rollout =
      "Timer train start\nTimer actor_train start\n"
      "Timer actor_train end (elapsed: 12.3s)\n"
      "Timer train end (elapsed: 20.0s)\n";
  Feed(rollout + Metrics("perf", 0, 12.34, "perf/actor_train_time") + rollout +
       Metrics("perf", 1, 12.34, "perf/actor_train_time") + rollout);
  EXPECT_EQ(seconds(), 0);
  Feed(rollout);
  EXPECT_NEAR(seconds(), 24.6, 1e-9);
}

TEST_F(SlimeConsoleTest, ProgressInsideARollout) {
  Feed("Rollout generation:  45%|##  | 115/256 [00:12<00:15,  9.2it/s]\n");
  ASSERT_TRUE(facts_.events.samples.has_value());
  EXPECT_EQ(facts_.events.samples->collected, 115);
  EXPECT_EQ(facts_.events.samples->required, 256);
  EXPECT_EQ(facts_.events.phase, RunPhase::kGenerateRollouts);
  Feed("Eval aime:  10%|#  | 3/30 [00:12<00:15,  9.2it/s]\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kEvaluateRollouts);
}

TEST_F(SlimeConsoleTest, FaultToleranceLinesOfMiles) {
  const std::string head =
      "[2026-09-04 01:00:00.000 main] structured_log.py:9 - ";
  Feed(head + "ft op=train phase=start rollout_id=3\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kOptimizerStep);
  EXPECT_EQ(facts_.run_facts->framework, "miles");
  Feed(head + "ft cls=actor fn=update_weights phase=start\n");
  EXPECT_EQ(facts_.events.phase, RunPhase::kWeightSync);
  Feed(head + "ft op=check decision=retry msg=\"a b=c\"\n");
  EXPECT_EQ(Errors(LogErrorKind::kRetry), 1u);
  Feed(head + "ft op=check decision=no_retry\n");
  EXPECT_EQ(Errors(LogErrorKind::kRetry), 1u);
}

TEST_F(SlimeConsoleTest, AsynchronousWorkerThatCrashes) {
  Feed(
      "[2026-08-21 10:00:00] fully_async_rollout.py:145 - fully-async task "
      "crashed: boom\n");
  EXPECT_EQ(Errors(LogErrorKind::kEngine), 1u);
}

TEST_F(SlimeConsoleTest, MetricLinesAreNoActivity) {
  Feed("loading shards\n" + kActor + Metrics("step", 0, 1));
  ASSERT_TRUE(Finished().events.last_activity.has_value());
  EXPECT_EQ(facts_.events.last_activity->text, "loading shards");
}

TEST_F(SlimeConsoleTest, MetricLineWithoutNumbersIsMalformed) {
  Feed("step 3: {'train/note': 'x'}\n");
  EXPECT_EQ(Count(LineOutcome::kMalformed), 1u);
}

}  // namespace
}  // namespace rlrun
