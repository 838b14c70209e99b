#include "exporter/discovery/identity.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

std::string Name(const std::string& path, RootOptions root = {}) {
  const PathIdentity id = PathNamer(root).Name(path);
  return id.project + "|" + id.run;
}

TEST(IdentityTest, TrialsRootGivesProjectAndExperiment) {
  EXPECT_EQ(Name("/data/trials/math/exp-7/logs/exp-7.log"), "math|exp-7");
  EXPECT_EQ(Name("/data/trials/math/exp-7/logs/other.log"), "|other");
}

TEST(IdentityTest, WandbOutputIsNamedAfterItsRunDirectory) {
  EXPECT_EQ(Name("/d/wandb/run-20260102_030405-abc123/files/output.log"),
            "|run-20260102_030405-abc123");
}

TEST(IdentityTest, StemIsTheName) {
  EXPECT_EQ(Name("/d/grpo-7b.log"), "|grpo-7b");
  EXPECT_EQ(Name("/d/grpo-7b.output.log"), "|grpo-7b.output");
  EXPECT_EQ(Name("/d/no ending"), "|no ending");
}

TEST(IdentityTest, GenericStemTakesNearestAncestorThatIsNot) {
  EXPECT_EQ(Name("/d/exp9/train.log"), "|exp9");
  EXPECT_EQ(Name("/d/exp9/logs/stdout.log"), "|exp9");
  EXPECT_EQ(Name("/d/exp9/logs/slurm-8812.out"), "|exp9");
  EXPECT_EQ(Name("/d/exp9/Output.LOG"), "|Output.LOG");
  EXPECT_EQ(Name("/d/exp9/TRAIN.log"), "|exp9");
  EXPECT_EQ(Name("/train.log"), "|train");
  EXPECT_EQ(Name("/d/train_20260102.log"), "|train_20260102");
}

TEST(IdentityTest, StampOfAWriterOfEventsIsNoName) {
  constexpr char kEvents[] = "/events.out.tfevents.1767323045.h.1.0";
  EXPECT_EQ(Name("/d/exp9/runs/Nov29_22-00-00_host-1" + std::string(kEvents)),
            "|exp9");
  EXPECT_EQ(Name("/d/exp9/runs/Nov29" + std::string(kEvents)), "|Nov29");
  EXPECT_EQ(Name("/d/exp9/Nov29_22-00-00_" + std::string(kEvents)),
            "|Nov29_22-00-00_");
}

TEST(IdentityTest, PatternOfTheRootComesFirst) {
  RootOptions root;
  root.path = "/d";
  root.run_name = "^(?P<project>[^/]+)/(?P<run>[^/]+)/";
  EXPECT_EQ(Name("/d/p1/r1/train.log", root), "p1|r1");
  EXPECT_EQ(Name("/d/x.log", root), "|x");
  root.run_name = "(?P<run>r[0-9]+)";
  EXPECT_EQ(Name("/d/p1/r12/train.log", root), "|r12");
}

TEST(IdentityTest, PatternIsOverThePathThatTheRootLists) {
  RootOptions root;
  root.run_name = "^(?P<project>[^/]+)/(?P<run>[^/]+)/";
  root.path = "/link";  // to /data/store
  EXPECT_EQ(
      PathNamer(root).Name("/data/store/p1/r1/x.log", "/link/p1/r1/x.log").run,
      "r1");
  root.path = "/d/team-*/**";
  EXPECT_EQ(Name("/d/team-a/r1/train.log", root), "team-a|r1");
}

TEST(IdentityTest, PathHashIsEightHexDigits) {
  EXPECT_EQ(PathHash(""), "811c9dc5");
  EXPECT_EQ(PathHash("a"), "e40c292c");
  EXPECT_NE(PathHash("/a/train.log"), PathHash("/b/train.log"));
}

}  // namespace
}  // namespace rlrun
