#include "parsers/formats/wandb_line.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(WandbLineTest, DirectoryAndLinkTellTheRun) {
  for (const std::string_view line :
       {"wandb: Run data is saved locally in /w/run-20260301_050000-a1b2c3d4",
        "wandb: Find logs at: ./wandb/run-20260301_050000-a1b2c3d4/logs",
        "wandb: wandb sync /w/wandb/offline-run-20260301_050000-a1b2c3d4",
        "wandb: \xF0\x9F\x9A\x80 View run at "
        "https://w.example/e/p/runs/a1b2c3d4",
        "wandb: View run exp at: https://w.example/e/p/runs/a1b2c3d4?nw=me.",
        "wandb: Synced exp: https://w.example/e/runs/runs/a1b2c3d4."}) {
    EXPECT_EQ(ParseWandbLine(line).id, "a1b2c3d4") << line;
  }
  EXPECT_EQ(ParseWandbLine("wandb: Run data is saved locally in "
                           "/run-1/run-20260301_050000-my_run-2.x")
                .id,
            "my_run-2.x");
}

TEST(WandbLineTest, OtherLinesTellNone) {
  for (const std::string_view line :
       {"wandb: Tracking run with wandb version 0.21.0",
        "wandb: View sweep at https://w.example/e/p/sweeps/zz",
        "wandb: see /runs/a1b2c3d4", "wandb: run-20260301-050000-a1b2c3d4",
        "wandb: run-20260301_050000-", "wandb:", "",
        "saved in /w/run-20260301_050000-a1b2c3d4",
        "the answer is wandb: https://w.example/e/p/runs/a1b2c3d4"}) {
    EXPECT_EQ(ParseWandbLine(line).id, "") << line;
    EXPECT_FALSE(ParseWandbLine(line).of_agent) << line;
  }
}

TEST(WandbLineTest, AgentOfASweepStartsMoreThanOne) {
  const WandbLine line =
      ParseWandbLine("wandb: Agent Starting Run: a1b2 with config:");
  EXPECT_TRUE(line.of_agent);
  EXPECT_EQ(line.id, "");
}

}  // namespace
}  // namespace rlrun
