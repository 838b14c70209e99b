// What the judge of one run holds stays bounded and small, however long the run
// and however many of the watched keys it prints.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <string>

#include "exporter/signatures/judge.h"
#include "tests/exporter/signatures/run_builder.h"

namespace rlrun {
namespace {

std::size_t HeapInUse() { return mallinfo2().uordblks; }

TEST(JudgeMemory, RunWithEveryRoleStaysUnderTwoHundredKilobytes) {
  RunBuilder values;
  for (const RoleRow& row : RoleTable()) {
    for (const std::string_view key : row.keys) {
      if (!key.empty()) {
        values.Key(std::string(key),
                   [](int i) { return 1 + 0.001 * (i % 50); });
      }
    }
  }
  for (const char* reason : {"agent_completed", "overlong", "timeout",
                             "max_turns_reached", "env_setup_failed"}) {
    values.Key(std::string("trajectory_filter/reason/") + reason, 9);
  }
  const std::size_t before = HeapInUse();
  auto judge = std::make_unique<Judge>(std::make_shared<RunRules>());
  for (int i = 1; i <= 3000; ++i) {
    RunBuilder::Pairs pairs = values.Values(i);
    if (i % 10 == 0) {
      pairs.emplace_back("val-core/swe/acc/mean@8", 0.1);
      pairs.emplace_back("val-core/math/acc/mean@8", 0.1);
    }
    judge->Apply(values.Record(i, pairs));
  }
  const std::size_t after = HeapInUse();
  if (after <= before) GTEST_SKIP() << "this allocator does not count";
  EXPECT_LT(after - before, 200'000u);
  judge.reset();
}

}  // namespace
}  // namespace rlrun
