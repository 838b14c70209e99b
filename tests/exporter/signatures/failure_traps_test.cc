// What must not alarm, and what looks fine but is not, as far as failure
// signatures are concerned: each through the judge with all rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exporter/signatures/failure_validation.h"
#include "exporter/signatures/record_lines.h"
#include "parsers/formats/error_line.h"
#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

using ::testing::IsEmpty;

// Failure signatures that hold.
std::vector<std::string> Active(RunBuilder& run) {
  std::vector<std::string> names;
  for (const Finding& f : run.judge().StepJudgement().findings) {
    for (const StepRule& rule : FailureRules()) {
      if (rule.name == f.name && f.level != Level::kNone) {
        names.emplace_back(f.name);
      }
    }
  }
  return names;
}

// A run that learns: scores spread, answers of a usual length.
RunBuilder Healthy() {
  RunBuilder run;
  run.Key("critic/score/mean",
          [](int i) { return 0.3 + 0.002 * (i % 7) + 0.001 * i; })
      .Key("critic/score/max", 1)
      .Key("critic/score/min", 0)
      .Key("actor/grad_norm", [](int i) { return 0.3 + 0.01 * (i % 5); })
      .Key("actor/lr", 1e-6)
      .Key("response_length/mean", 900)
      .Key("response_length/clip_ratio", 0.05)
      .Key("num_turns/mean", 12)
      .Key("timing_s/step", 300);
  return run;
}

void ExpectQuiet(RunBuilder& run, int steps) {
  for (int step = 1; step <= steps; ++step) {
    run.Play(step, step);
    ASSERT_THAT(Active(run), IsEmpty()) << "step " << step;
  }
}

TEST(FailureTrapsTest, PolicyLossNearZeroIsNormal) {
  RunBuilder run = Healthy();
  ExpectQuiet(run.Key("actor/pg_loss", 0).Key("actor/kl_loss", 0), 60);
}

TEST(FailureTrapsTest, PpoKlAndClipFractionOfZeroAreNormal) {
  RunBuilder run = Healthy();
  ExpectQuiet(run.Key("actor/ppo_kl", 0)
                  .Key("actor/pg_clipfrac", 0)
                  .Key("critic/vf_explained_var", 0.4)
                  .Key("rollout_corr/kl", 3e-4),
              60);
}

TEST(FailureTrapsTest, UntrainedCriticIsNormal) {
  RunBuilder run = Healthy();
  ExpectQuiet(run.Key("critic/vf_explained_var",
                      [](int i) {
                        return i == 1 ? -1.6e6 : i < 5 ? -65 : 0.006 * i;
                      })
                  .Key("critic/grad_norm", 50),
              90);
}

TEST(FailureTrapsTest, RateOfZeroAtTheFirstStepIsAWarmup) {
  RunBuilder run = Healthy();
  ExpectQuiet(run.Key("actor/lr", [](int i) { return 1e-7 * (i - 1); }), 30);
}

TEST(FailureTrapsTest, RateThatIsRoundedToZeroIsOne) {
  RunBuilder run = Healthy();
  ExpectQuiet(run.Decimals(3).Key("actor/lr", 0), 30);
}

TEST(FailureTrapsTest, UtilizationOfAnUnknownGpuIsZeroForEver) {
  RunBuilder run = Healthy();
  ExpectQuiet(run.Key("perf/mfu/actor", 0), 30);
}

TEST(FailureTrapsTest, LongFirstStepHasNoSignature) {
  RunBuilder run;
  EXPECT_THAT(Active(run), IsEmpty());
}

TEST(FailureTrapsTest, ValidationBeforeTrainingMayBeZero) {
  RunBuilder run = Healthy();
  RunFacts facts;
  facts.test_freq = 20;
  run.Facts(facts);
  run.Line(0, {{"val-core/tasks/acc/mean@1", 0.0}});
  EXPECT_THAT(Active(run), IsEmpty());
  ExpectQuiet(run, 39);  // 40 would be the second that did not come
  run.Play(40, 40);
  EXPECT_EQ(run.level(kValidationMissingRule.name), Level::kWarning);
}

TEST(FailureTrapsTest, SlowStepWithValidationOrCheckpointIsNormal) {
  for (const bool counted : {true, false}) {
    RunBuilder run = Healthy();
    run.MaybeKey("timing_s/testing", [](int i) {
      return i % 3 == 0 ? std::optional(900.0) : std::nullopt;
    });
    run.MaybeKey("timing_s/save_checkpoint", [](int i) {
      return i % 3 == 1 ? std::optional(500.0) : std::nullopt;
    });
    run.Key("timing_s/step", [counted](int i) {
      if (!counted) return 300;
      return i % 3 == 0 ? 1200 : i % 3 == 1 ? 800 : 300;
    });
    ExpectQuiet(run, 60);
  }
}

TEST(FailureTrapsTest, StepThatIsPrintedTwiceIsOneStep) {
  RunBuilder run = Healthy();
  run.Key("critic/score/max", 0);
  for (int step = 1; step <= 4; ++step) run.Play(step, step).Play(step, step);
  EXPECT_THAT(Active(run), IsEmpty());
  run.Play(5, 5);
  EXPECT_THAT(Active(run), ::testing::ElementsAre("no_signal"));
}

TEST(FailureTrapsTest, ResumeThatReprintsHealthyStepsForgetsTheSickOnes) {
  RunBuilder run = Healthy();
  run.Play(1, 10).Key("actor/lr", 0).Play(11, 14);
  EXPECT_THAT(Active(run), ::testing::ElementsAre("frozen_model"));
  run.Key("actor/lr", 1e-6).Play(11, 11);
  EXPECT_THAT(Active(run), IsEmpty());
}

TEST(FailureTrapsTest, AnswersThatAreAllCutFromTheFirstStepOnAreFound) {
  RunBuilder run;
  run.Key("critic/score/mean", -1)
      .Key("critic/score/max", -1)
      .Key("critic/score/min", -1)
      .Key("actor/grad_norm", 0)
      .Key("actor/pg_loss", 0)
      .Key("response_length/mean", 4096)
      .Key("response_length/clip_ratio", 1);
  EXPECT_EQ(run.FirstRaw("no_signal", Level::kWarning, 1, 262), 5);
  EXPECT_EQ(run.FirstRaw("no_signal", Level::kCritical, 6, 262), 26);
  run.Play(27, 262);
  const auto finding = run.finding("no_signal");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->level, Level::kCritical);
  EXPECT_EQ(finding->activations, 1u);
  EXPECT_EQ(finding->since_step, 5);
  EXPECT_EQ(finding->detail, "answers are cut");
}

// Lines of a log as the caller of record_lines.h counts them.
RecentLines Count(std::initializer_list<std::string_view> payloads) {
  RecentLines lines;
  for (const std::string_view payload : payloads) {
    const ErrorLine line = ParseErrorLine(payload, true);
    if (line.role == ErrorLine::Role::kNone ||
        line.role == ErrorLine::Role::kHealthTimeout) {
      continue;
    }
    lines.auth += line.kind == LogErrorKind::kHttpAuth;
    lines.cuda_oom += line.kind == LogErrorKind::kCudaOom;
    lines.nccl += line.kind == LogErrorKind::kNccl;
    lines.retry += line.kind == LogErrorKind::kRetry;
  }
  return lines;
}

TEST(FailureTrapsTest, NoticesOfLibrariesAreNoFailures) {
  const RecentLines lines = Count(
      {"[rank0]:[W102 02:00:03.1 ProcessGroupNCCL.cpp:1250] Warning: WARNING: "
       "destroy_process_group() was not called before program exit",
       "TorchMemorySaver::malloc return OOM",
       "(raylet) file_system_monitor.cc:116: /tmp/ray is over 95% full, "
       "available space: 7 GB"});
  const FailureOptions options;
  EXPECT_EQ(AuthFailure(lines, options).level, Level::kNone);
  EXPECT_EQ(CudaOom(lines, options).level, Level::kNone);
  EXPECT_EQ(NcclFailure(lines, options).level, Level::kNone);
  EXPECT_EQ(RetryLoop(lines, options).level, Level::kNone);
}

TEST(FailureTrapsTest, RealFailuresAreCounted) {
  const RecentLines lines =
      Count({"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
             "2.00 GiB.",
             "[rank3]:[E716 10:00:00 ProcessGroupNCCL.cpp:629] [Rank 3] "
             "Watchdog caught collective operation timeout: WorkNCCL"});
  const FailureOptions options;
  EXPECT_EQ(CudaOom(lines, options).level, Level::kWarning);
  EXPECT_EQ(NcclFailure(lines, options).level, Level::kWarning);
}

}  // namespace
}  // namespace rlrun
