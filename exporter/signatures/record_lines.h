// Classes of log lines that tell of trouble while a run goes on.
//
// auth_failure, cuda_oom, nccl_failure: at least 1 line of the class;
// retry_loop: at least 5 lines.
//   Why: one refusal or one OOM costs at least a step; retries are common, and
//   many of them with no step in between are a loop.
//   Known false positive: an OOM that an engine catches and survives.
//
// What the caller has to give: how many lines of each class stand among the
// last 200 lines of the log *and* behind the newest step line, so that a step
// line clears all four. One line counts once per class. What is no failure must
// not be counted: `TorchMemorySaver::malloc return OOM`, which slime prints
// whenever it wakes up, and the `destroy_process_group` warning of NCCL at
// exit. Absent (no log, or one of which the tail was not read): not applicable.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exporter/signatures/failure_options.h"
#include "exporter/signatures/rule.h"

namespace rlrun {

struct RecentLines {
  std::size_t auth = 0;
  std::size_t cuda_oom = 0;
  std::size_t nccl = 0;
  std::size_t retry = 0;
  std::int64_t step = 0;  // newest one, for the evidence
};

RuleResult AuthFailure(const std::optional<RecentLines>& lines,
                       const FailureOptions& o);
RuleResult CudaOom(const std::optional<RecentLines>& lines,
                   const FailureOptions& o);
RuleResult NcclFailure(const std::optional<RecentLines>& lines,
                       const FailureOptions& o);
RuleResult RetryLoop(const std::optional<RecentLines>& lines,
                     const FailureOptions& o);

}  // namespace rlrun
