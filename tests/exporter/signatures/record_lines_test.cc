#include "exporter/signatures/record_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsers/formats/error_line.h"
#include "tests/exporter/signatures/failure_run.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;

const FailureOptions kOptions;

TEST(RecordLinesTest, OneLineOfAClassIsAWarning) {
  RecentLines lines;
  lines.step = 7;
  lines.auth = 1;
  EXPECT_THAT(AuthFailure(lines, kOptions).evidence,
              ElementsAre(Evidence{"http_auth_lines", 7, 1, 1.0}));
  EXPECT_EQ(AuthFailure(lines, kOptions).level, Level::kWarning);
  EXPECT_TRUE(IsSilent(CudaOom(lines, kOptions)));
  EXPECT_TRUE(IsSilent(NcclFailure(lines, kOptions)));
  lines.cuda_oom = 2;
  EXPECT_THAT(CudaOom(lines, kOptions).evidence,
              ElementsAre(Evidence{"cuda_oom_lines", 7, 2, 1.0}));
  lines.nccl = 3;
  EXPECT_THAT(NcclFailure(lines, kOptions).evidence,
              ElementsAre(Evidence{"nccl_lines", 7, 3, 1.0}));
}

TEST(RecordLinesTest, FiveRetriesAreALoop) {
  RecentLines lines;
  lines.retry = 4;
  EXPECT_TRUE(IsSilent(RetryLoop(lines, kOptions)));
  lines.retry = 5;
  EXPECT_EQ(RetryLoop(lines, kOptions).level, Level::kWarning);
  EXPECT_THAT(RetryLoop(lines, kOptions).evidence,
              ElementsAre(Evidence{"retry_lines", 0, 5, 5.0}));
}

TEST(RecordLinesTest, QuietTailIsSilent) {
  const RecentLines lines;
  EXPECT_TRUE(IsSilent(AuthFailure(lines, kOptions)));
  EXPECT_TRUE(IsSilent(CudaOom(lines, kOptions)));
  EXPECT_TRUE(IsSilent(NcclFailure(lines, kOptions)));
  EXPECT_TRUE(IsSilent(RetryLoop(lines, kOptions)));
}

TEST(RecordLinesTest, WithoutALogThereIsNoSeries) {
  EXPECT_TRUE(IsAbsent(AuthFailure({}, kOptions)));
  EXPECT_TRUE(IsAbsent(CudaOom({}, kOptions)));
  EXPECT_TRUE(IsAbsent(NcclFailure({}, kOptions)));
  EXPECT_TRUE(IsAbsent(RetryLoop({}, kOptions)));
}

}  // namespace
}  // namespace rlrun
