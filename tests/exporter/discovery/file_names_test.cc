#include "exporter/discovery/file_names.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(FileNamesTest, LogsAreTakenByEnding) {
  EXPECT_EQ(ClassifyFileName("exp.log"), NameKind::kLog);
  EXPECT_EQ(ClassifyFileName("slurm-12.out"), NameKind::kLog);
  EXPECT_EQ(ClassifyFileName("exp.jsonl"), NameKind::kLog);
  EXPECT_EQ(ClassifyFileName("README.md"), NameKind::kOther);
  EXPECT_EQ(ClassifyFileName(".hidden.log"), NameKind::kOther);
}

TEST(FileNamesTest, SideFilesNeverBecomeRuns) {
  for (const char* name :
       {"exp_vllm.log", "exp_train_gpu_wandb.log", "web_server.out",
        "exp.log.1.gz", "exp.log.gz", "exp.out.zst"}) {
    EXPECT_EQ(ClassifyFileName(name), NameKind::kSideFile) << name;
  }
}

TEST(FileNamesTest, WhatALauncherPrintedIsReadForItsBanner) {
  EXPECT_EQ(ClassifyFileName("launch_20260102-030405.log"), NameKind::kLaunch);
  EXPECT_EQ(ClassifyFileName("launch_20260102-030405_n1.out"),
            NameKind::kLaunch);
  EXPECT_EQ(ClassifyFileName("launch_20260102-030405_server.out"),
            NameKind::kSideFile);
  EXPECT_EQ(ClassifyFileName("launcher.log"), NameKind::kLog);
}

TEST(FileNamesTest, TrialAndCheckpointDirectoriesAreNotEntered) {
  EXPECT_TRUE(IsPrunedDirectory("step_0001"));
  EXPECT_TRUE(IsPrunedDirectory("global_step_10"));
  EXPECT_TRUE(IsPrunedDirectory(".git"));
  EXPECT_FALSE(IsPrunedDirectory("step_by_step"));
  EXPECT_FALSE(IsPrunedDirectory("logs"));
}

}  // namespace
}  // namespace rlrun
