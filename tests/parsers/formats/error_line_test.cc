#include "parsers/formats/error_line.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

using Kind = LogErrorKind;
using Role = ErrorLine::Role;

TEST(ErrorLineTest, EachKindByItsLines) {
  const struct {
    const char* payload;
    Kind kind;
  } kCases[] = {
      {"Traceback (most recent call last):", Kind::kTraceback},
      {"[rank3]: Traceback (most recent call last):", Kind::kTraceback},
      {"Error executing job with overrides: ['a=1']", Kind::kTrainerCrash},
      {"Epoch 1/2:  20%|##  | 2/10 [00:20<01:18, 9.84s/it]Error executing job "
       "with overrides: []",
       Kind::kTrainerCrash},
      {"[ASYNC MAIN] Training failed: boom", Kind::kTrainerCrash},
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
       Kind::kCudaOom},
      {"RuntimeError: CUDA out of memory.", Kind::kCudaOom},
      {"ERROR 07-16 18:49:02 [core.py:1] worker: CUDA out of memory",
       Kind::kCudaOom},
      {"ray.exceptions.OutOfMemoryError: Task was killed", Kind::kHostOom},
      {"(raylet) [2025-12-14 21:55:46,394 E 54 54] (raylet) "
       "node_manager.cc:3277: 3 Workers (tasks / actors) killed due to memory "
       "pressure (OOM), 0 Workers crashed",
       Kind::kHostOom},
      {"[rank1]:[E207 01:52:41.323 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog "
       "caught collective operation timeout: WorkNCCL(NumelIn=131072)",
       Kind::kNccl},
      {"torch.distributed.DistBackendError: x", Kind::kNccl},
      {"ray.exceptions.ActorDiedError: The actor died", Kind::kActorDied},
      {"\x28raylet, ip=10.0.0.2) \x1b[0m A worker died or was killed while "
       "executing a task by an unexpected system error.",
       Kind::kActorDied},
      {"vllm.v1.engine.exceptions.EngineDeadError: EngineCore", Kind::kEngine},
      {"openai.AuthenticationError: Error code: 401", Kind::kHttpAuth},
      {"requests.exceptions.HTTPError: 403 Client Error: Forbidden",
       Kind::kHttpAuth},
      {"openai.RateLimitError: Error code: 429 - {}", Kind::kHttpRate},
      {"No usable scores. Retrying...", Kind::kRetry},
      {"request failed, retrying (attempt 3)", Kind::kRetry},
      {"request failed, retrying (attempt 3/60)", Kind::kRetry},
      {"WARNING:2026-07-16 18:48:04,595:judge: retrying in 4 s", Kind::kRetry},
      {"OSError: [Errno 28] No space left on device", Kind::kDiskFull},
      {"RuntimeError: [enforce fail at inline_container.cc:672] . unexpected "
       "pos 79 vs 78",
       Kind::kDiskFull},
      {"ERROR:2026-07-16 18:48:04,595:Pod not ready after 1200 s",
       Kind::kSandbox},
      {"ERROR:2026-07-16 18:48:04,595:Failed to decode tool call: 'x'",
       Kind::kToolParser},
      {"WARN: rank 0 grad_norm is not finite: nan", Kind::kNonfiniteUpdate},
  };
  for (const auto& c : kCases) {
    const ErrorLine line = ParseErrorLine(c.payload, true);
    EXPECT_EQ(line.role, Role::kError) << c.payload;
    EXPECT_EQ(line.kind, c.kind) << c.payload;
  }
}

TEST(ErrorLineTest, LookAlikesAreNone) {
  for (const std::string payload :
       {"", "the answer is Traceback (most recent call last):",
        "[task=a] attempt 1/2 timeout (no retry). results=[TrialResult("
        "exception='Traceback (most recent call last):\\n CUDA out of "
        "memory')]",
        "WARNING:2026-07-16 18:48:04,595:[task=a] attempt 1/2 exception: "
        "TrialResult(x='No space left on device')",
        "ERROR:2026-07-16 18:48:04,595:trial ended, results=[TrialResult("
        "x='CUDA out of memory')]",
        "[rank0]:[W207 01:52:41.1 ProcessGroupNCCL.cpp:1250] Warning: "
        "destroy_process_group() was not called before program exit",
        "(raylet) [2026-07-06 21:49:05,197 E 59 59] (raylet) "
        "file_system_monitor.cc:116: /tmp/ray is over 95% full, available "
        "space: 3 GB; capacity: 100 GB.",
        "ERROR 07-16 18:49:02 [a.py:1] TorchMemorySaver::malloc return OOM "
        "CUDA out of memory",
        "INFO:2026-07-16 18:48:04,595:CUDA out of memory is unlikely",
        "CUDA is out of memory sometimes", "FutureWarning: old",
        "I am retrying.", "retrying (attempt )",
        "he wrote: retrying (attempt 3) and left (later)"}) {
    EXPECT_EQ(ParseErrorLine(payload, true).role, Role::kNone) << payload;
  }
}

TEST(ErrorLineTest, ExceptionsOfNoKind) {
  EXPECT_EQ(ParseErrorLine("ValueError: 131072 is too long", false).role,
            Role::kException);
  EXPECT_EQ(
      ParseErrorLine("ray.exceptions.RayTaskError(ValueError): x", false).role,
      Role::kWrapped);
}

TEST(ErrorLineTest, InterruptsOfTheLauncherOnly) {
  EXPECT_EQ(ParseErrorLine("KeyboardInterrupt", false).role, Role::kInterrupt);
  EXPECT_EQ(ParseErrorLine("[rank0]: KeyboardInterrupt", false).role,
            Role::kInterrupt);
  const std::string term = "*** SIGTERM received at time=1 on cpu 2 ***";
  EXPECT_EQ(ParseErrorLine(term, false).role, Role::kInterrupt);
  EXPECT_EQ(ParseErrorLine(term, true).role, Role::kNone);
  EXPECT_EQ(ParseErrorLine("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT "
                           "2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
                           false)
                .role,
            Role::kInterrupt);
}

TEST(ErrorLineTest, WhatProcessesSayWhenTheyAreStopped) {
  const ErrorLine line = ParseErrorLine(
      "(raylet) A worker died or was killed while executing a task", false);
  EXPECT_TRUE(line.is_normal_at_end);
  EXPECT_FALSE(ParseErrorLine("ActorDiedError: x", false).is_normal_at_end);
}

}  // namespace
}  // namespace rlrun
