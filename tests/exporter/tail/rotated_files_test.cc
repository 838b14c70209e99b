#include "exporter/tail/rotated_files.h"

#include <gtest/gtest.h>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

TEST(RotatedNameTest, WhatRotationMakesOfAName) {
  for (const char* name :
       {"train.log.1", "train.log.12", "train.log.old", "train.log.bak",
        "train.log~", "train.log-20261129", "train.log.2026-11-29_14-00-00",
        "train.log-20261129T140000Z", "train.1.log", "train-20261129.log"}) {
    EXPECT_TRUE(IsRotatedName("train.log", name)) << name;
  }
}

TEST(RotatedNameTest, OtherFilesThatBeginAlike) {
  for (const char* name :
       {"train.log", "train.log.", "train.log.gz", "train.log.1.gz",
        "train.log.err", "train.log1", "train.logs.1", "train_b.log",
        "train.x.log", "train..log", "other.log.1", "train.log.old.1x"}) {
    EXPECT_FALSE(IsRotatedName("train.log", name)) << name;
  }
}

TEST(RotatedNameTest, NameWithoutExtensionOrWithALeadingDot) {
  EXPECT_TRUE(IsRotatedName("output", "output.1"));
  EXPECT_FALSE(IsRotatedName("output", "output1"));
  EXPECT_FALSE(IsRotatedName(".log", ".1.log"));
}

TEST(FindRotatedTest, OrderedByTimeAndBoundedInStats) {
  InMemoryFileSource fs;
  for (int i = 300; i >= 1; --i) {
    fs.Write("/run/train.log." + std::to_string(i), "x");
  }
  fs.Write("/run/train.log", "x");
  fs.Mkdir("/run/train.log.0");
  std::vector<RotatedFile> files;
  ASSERT_TRUE(FindRotated(fs, "/run/train.log", &files).ok());
  ASSERT_EQ(files.size(), 63u);  // and the directory
  EXPECT_EQ(files.back().path, "/run/train.log.1");
  EXPECT_EQ(fs.counts().stat, 64u);
}

}  // namespace
}  // namespace rlrun
