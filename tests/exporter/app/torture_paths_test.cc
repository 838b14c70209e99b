// What log shippers were reported to get wrong about descriptors, paths, links
// and remembered positions: T42, T45, T49, T50, T61, from the file to the
// exposition.
#include "tests/exporter/app/torture_fixture.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using PathTorture = Torture;

TEST_P(PathTorture, T42_DeletedAndRotatedFilesAreLetGo) {
  world_->Append("exp.log", Steps(1));
  world_->Append("gone.log", Steps(1));
  ReadAt(0);
  EXPECT_EQ(world_->OpenFiles(), 2u);
  world_->Rename("exp.log", "exp.log.1");
  world_->Append("exp.log", Steps(2));
  world_->Append("gone.log", Steps(2));
  world_->Remove("gone.log");
  ReadThrough(1, 12, 1);  // rotate_wait is 5 s
  EXPECT_EQ(world_->OpenFiles(), 1u);
  ExpectSteps(2, 2);
  ExpectSteps(2, 2, "gone");  // read to its end before
}

TEST_P(PathTorture, T45_TwoRotationsBetweenTwoLooks) {
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  int step = 1;
  for (int round = 1; round <= 5; ++round) {
    world_->Append("exp.log", Steps(++step));
    for (int i = 0; i < 2; ++i) {
      if (step > 3) world_->Rename("exp.log.1", "exp.log.2");
      world_->Rename("exp.log", "exp.log.1");
      world_->Append("exp.log", Steps(++step));
    }
    ReadThrough(20 * round, 20 * round + 10);
    ExpectSteps(step, step);
  }
}

TEST_P(PathTorture, T49_SpecialCharactersInPaths) {
  const std::vector<std::string> names = {
      "a [1]",   "b=c,d",  "e*f?g",        "{h}",         "sp ace",
      "q\"uote", "t\ttab", "\u6a21\u578b", "back\\slash", "-dash"};
  for (const std::string& n : names) {
    world_->Append("d " + n + "/" + n + ".log", Steps(1));
  }
  ReadAt(0);
  for (const std::string& n : names) {
    world_->Append("d " + n + "/" + n + ".log", Steps(2));
  }
  world_->Append("new [z-a]/late, 1=1.log", Steps(2));  // found later
  ReadThrough(10, 20);
  EXPECT_EQ(Runs().size(), names.size() + 1);
  for (const char* n : {"a [1]", "b=c,d", "e*f?g", "late, 1=1", "-dash",
                        "q\\\"uote", "back\\\\slash"}) {
    EXPECT_EQ(Value("rlrun_step_a", n), "2") << n;
  }
}

TEST_P(PathTorture, T50_LatestIsPointedElsewhereAndLoopsEnd) {
  world_->Append("runs/run41/run41.log", Steps(1));
  world_->Append("runs/run42/run42.log", Steps(10));
  world_->Symlink("run41", "runs/latest");
  world_->Symlink("..", "runs/run41/up");
  world_->Symlink("self", "runs/self");
  ReadAt(0);
  EXPECT_THAT(Runs(), ElementsAre("run41", "run42"));
  world_->Remove("runs/latest");
  world_->Symlink("run42", "runs/latest");
  world_->Append("runs/run41/run41.log", Steps(2));
  world_->Append("runs/run42/run42.log", Steps(11));
  ReadThrough(10, 200);
  EXPECT_THAT(Runs(), ElementsAre("run41", "run42"));
  ExpectSteps(2, 2, "run41");
  ExpectSteps(11, 2, "run42");
}

// Nothing is remembered between two processes, so there is no such file that
// could be damaged; what others left there is not looked at.
TEST_P(PathTorture, T61_FilesThatLookLikePositionsChangeNothing) {
  world_->Append("exp.log", Steps(1, 5));
  ReadAt(0);
  const std::string alone = Text();
  app_.reset();
  const std::string half = "positions:\n  " + world_->root() + "/exp.log: \"";
  for (const char* name :
       {"positions.yaml", "positions.yml.tmp", "exp.log.pos", "exp.log.offset",
        ".exp.log.state", "checkpoint", "rlrun_exporter.db"}) {
    world_->Append(name, half);
    world_->Append(std::string("empty.") + name, "");
    world_->Append(std::string("binary.") + name,
                   std::string("\0\xff\xfe\0\x01", 5));
  }
  ReadAt(0);
  EXPECT_EQ(Text(), alone);
}

INSTANTIATE_TEST_SUITE_P(On, PathTorture, EveryPlace(), PlaceName);

}  // namespace
}  // namespace rlrun
