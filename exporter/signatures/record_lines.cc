#include "exporter/signatures/record_lines.h"

#include <string>
#include <string_view>

#include "exporter/signatures/failure_window.h"

namespace rlrun {
namespace {

RuleResult Count(const std::optional<RecentLines>& lines,
                 std::size_t RecentLines::*field, std::size_t least,
                 std::string_view name) {
  if (!lines) return RuleResult::NotApplicable();
  const std::size_t count = *lines.*field;
  if (count < least) return RuleResult::None();
  RuleResult result = Matched(Level::kWarning);
  result.evidence.push_back({std::string(name), lines->step,
                             static_cast<double>(count),
                             static_cast<double>(least)});
  return result;
}

}  // namespace

RuleResult AuthFailure(const std::optional<RecentLines>& lines,
                       const FailureOptions& o) {
  return Count(lines, &RecentLines::auth, o.record_lines, "http_auth_lines");
}

RuleResult CudaOom(const std::optional<RecentLines>& lines,
                   const FailureOptions& o) {
  return Count(lines, &RecentLines::cuda_oom, o.record_lines, "cuda_oom_lines");
}

RuleResult NcclFailure(const std::optional<RecentLines>& lines,
                       const FailureOptions& o) {
  return Count(lines, &RecentLines::nccl, o.record_lines, "nccl_lines");
}

RuleResult RetryLoop(const std::optional<RecentLines>& lines,
                     const FailureOptions& o) {
  return Count(lines, &RecentLines::retry, o.record_retries, "retry_lines");
}

}  // namespace rlrun
