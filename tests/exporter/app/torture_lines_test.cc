// What log shippers were reported to get wrong about last lines, long lines and
// bad bytes, T27..T33, from the file to the exposition.
#include <random>

#include "tests/exporter/app/live_bytes.h"
#include "tests/exporter/app/torture_fixture.h"
#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using ::testing::IsEmpty;
using LineTorture = Torture;

TEST_P(LineTorture, T27_RunKilledInMidLineShowsNoPartOfTheStep) {
  world_->Append("exp.log", Steps(1) + "(TaskRunner pid=7) step:2 - a:2 - b:1");
  ReadThrough(0, 600);
  ExpectSteps(1, 1);
  EXPECT_EQ(Value("rlrun_step_b"), std::nullopt);
  world_->Append("exp.log", "5\n");  // it was only slow
  ReadThrough(610, 650);
  ExpectSteps(2, 2);
  EXPECT_EQ(Value("rlrun_step_b"), "15");
}

TEST_P(LineTorture, T28_HeldPartIsNotGluedToTheNextText) {
  const std::string half = "(TaskRunner pid=7) step:2 - a:2";
  world_->Append("exp.log", Steps(1) + half);
  ReadAt(0);
  world_->Write("exp.log", "");
  ReadAt(10);
  world_->Append("exp.log", "00\n" + Steps(3));
  ReadAt(20);
  ExpectSteps(3, 2);
  world_->Append("exp.log", half);
  ReadAt(30);
  world_->Rename("exp.log", "exp.log.1");
  world_->Append("exp.log", "99\n" + Steps(4));
  ReadThrough(40, 60);
  ExpectSteps(4, 3);
}

TEST_P(LineTorture, T29_LineOverAMebibyteThenANormalOne) {
  std::string line = "(TaskRunner pid=7) step:2 - a:2";
  for (int i = 0; line.size() <= (1u << 20); ++i) {
    line += " - val-aux/set_" + std::to_string(i) + "/acc/mean@8:0.5";
  }
  world_->Append("exp.log", Steps(1) + line);
  ReadAt(0);  // it is not even complete
  ExpectSteps(1, 1);
  world_->Append("exp.log", " - c:1\n" + Steps(3));
  ReadAt(10);
  ExpectSteps(3, 2);
  EXPECT_EQ(Lines("too_long"), "1");
  EXPECT_EQ(Value("rlrun_step_c"), std::nullopt);
}

TEST_P(LineTorture, T30_MegabytesOfRandomBytes) {
  std::mt19937 random(30);
  std::string chunk(1u << 20, '\0');
  world_->Append("exp.log", Steps(1));
  ReadAt(0);
  const std::int64_t before = LiveBytes();
  RestartPeak();
  for (int i = 1; i <= 8; ++i) {
    for (char& c : chunk) c = static_cast<char>(random());
    const std::string odd = "\nstep:" + std::to_string(i) +
                            " - k\xff\xc3(:1 - \xed\xa0\x80/\xf5:2 - a:1\n";
    world_->Append("exp.log", chunk + odd);
    ReadAt(10 * i);
  }
  world_->Append("exp.log", Steps(9));
  ReadAt(90);
  EXPECT_EQ(Value("rlrun_step_a"), "9");
  // The world in memory holds the file itself, and grows in powers of two.
  const std::int64_t file = GetParam() == Place::kMemory ? 32 << 20 : 0;
  EXPECT_LT(PeakBytes() - before, (24 << 20) + file);
  EXPECT_TRUE(checker::IsUtf8(Text()));
  EXPECT_THAT(CheckExposition(Text(), false).errors, IsEmpty());
}

TEST_P(LineTorture, T31_RecreatedFileIsReadFromItsBeginning) {
  world_->Append("exp.log", Steps(1, 50));
  ReadAt(0);
  world_->Remove("exp.log");
  ReadAt(10);
  world_->Append("exp.log", Steps(51, 2));
  ReadThrough(20, 30);
  ExpectSteps(52, 52);
}

TEST_P(LineTorture, T32_ColoursInThePrefixAndInsideNumbers) {
  world_->Append("exp.log",
                 "\x1b[36m(TaskRunner pid=7)\x1b[0m \x1b[1mstep:\x1b[32m12"
                 "\x1b[0m - a:\x1b[1;31m1\x1b[0m2\x1b[K - b:-1.\x1b[4m5"
                 "\x1b[0me-3\n");
  ReadAt(0);
  ExpectSteps(12, 1);
  EXPECT_EQ(Value("rlrun_step_b"), "-0.0015");
}

TEST_P(LineTorture, T33_StepLineBehindTenThousandCrUpdates) {
  std::string bar;
  for (int i = 0; i < 10000; ++i) {
    bar += "\rTraining Progress: " + std::to_string(i) + "/10000 [00:10<1:00]";
  }
  world_->Append("exp.log", Steps(1) + bar);
  ReadAt(0);
  ExpectSteps(1, 1);
  world_->Append("exp.log", "\r" + Steps(2) + bar);
  ReadAt(10);
  ExpectSteps(2, 2);
  EXPECT_EQ(Lines("too_long"), "0");
}

INSTANTIATE_TEST_SUITE_P(On, LineTorture, EveryPlace(), PlaceName);

}  // namespace
}  // namespace rlrun
