#include "exporter/signatures/state_findings.h"

#include "tests/exporter/signatures/state_fixture.h"

namespace rlrun {
namespace {

class StateFindingsTest : public StateFixture {
 protected:
  const Finding* Find(std::string_view name) {
    findings_.Judge(options_, Inputs());
    for (const Finding& finding : findings_.findings()) {
      if (finding.name == name) return &finding;
    }
    return nullptr;
  }
  Level At(double seconds, std::string_view name) {
    Wait(seconds);
    const Finding* finding = Find(name);
    return finding == nullptr ? Level::kInfo : finding->level;
  }
  void Grow() { times_.mtime = times_.now; }

  StateFindings findings_;
};

TEST_F(StateFindingsTest, AppliesWhereItsInputsAre) {
  EXPECT_NE(Find("stall"), nullptr);
  EXPECT_NE(Find("no_progress"), nullptr);
  EXPECT_NE(Find("trainer_crash"), nullptr);
  EXPECT_NE(Find("ended_early"), nullptr);
  EXPECT_EQ(Find("died_silently"), nullptr) << "no process was ever seen";
  EXPECT_EQ(Find("stall")->severities, LevelBit(Level::kWarning));
  EXPECT_EQ(Find("trainer_crash")->severities, LevelBit(Level::kCritical));
  EXPECT_FALSE(Find("stall")->means.empty());
  EXPECT_FALSE(Find("stall")->next.empty());
}

TEST_F(StateFindingsTest, StallHoldsUntilTheNextTrainingLine) {
  EXPECT_EQ(At(1799, "stall"), Level::kNone);
  EXPECT_EQ(At(1800, "stall"), Level::kWarning);
  EXPECT_EQ(Find("stall")->since_step, 40);
  Grow();
  EXPECT_EQ(At(1900, "stall"), Level::kWarning) << "a line is no progress";
  EXPECT_EQ(Find("stall")->evidence.size(), 1u);
  Train(41);
  EXPECT_EQ(At(1901, "stall"), Level::kNone);
  EXPECT_EQ(Find("stall")->activations, 1u);
  EXPECT_FALSE(Find("stall")->since_step);
  ASSERT_EQ(findings_.recovered().size(), 1u);
  EXPECT_EQ(findings_.recovered()[0].name, "stall");
  EXPECT_EQ(findings_.recovered()[0].step, 41);
  Train(41);
  At(1902, "stall");
  EXPECT_EQ(findings_.recovered().size(), 1u) << "another line of the step";
}

TEST_F(StateFindingsTest, RecoveredIsListedForTenSteps) {
  At(1800, "stall");
  Train(41);
  Grow();
  At(1801, "stall");
  Train(51);
  At(1802, "stall");
  EXPECT_EQ(findings_.recovered().size(), 1u);
  Train(52);
  At(1803, "stall");
  EXPECT_TRUE(findings_.recovered().empty());
}

TEST_F(StateFindingsTest, RewindTakesItBackWithoutRecovery) {
  At(1800, "stall");
  Grow();
  Train(39);
  EXPECT_EQ(At(1801, "stall"), Level::kNone);
  EXPECT_TRUE(findings_.recovered().empty());
}

TEST_F(StateFindingsTest, RewindBelowARecoveryTakesThatBackToo) {
  At(1800, "stall");
  Grow();
  Train(40);
  At(1801, "stall");
  ASSERT_EQ(findings_.recovered().size(), 1u);
  Train(39);
  At(1802, "stall");
  EXPECT_TRUE(findings_.recovered().empty());
}

TEST_F(StateFindingsTest, EachActivationCountsOnceAndIsListedOnce) {
  for (int i = 1; i <= 3; ++i) {
    times_.mtime = kStart + i * 10000;
    Train(40 + i);
    At(i * 10000, "stall");
    EXPECT_EQ(At(i * 10000 + 1800, "stall"), Level::kWarning);
    EXPECT_EQ(Find("stall")->activations, static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(findings_.recovered().size(), 1u);
}

TEST_F(StateFindingsTest, ValueIsKeptWhileTheSourceCannotBeRead) {
  At(1800, "stall");
  times_.readable = false;
  times_.mtime = times_.now;
  EXPECT_EQ(At(2000, "stall"), Level::kWarning);
  EXPECT_EQ(At(90000, "stall"), Level::kWarning) << "nor does it get lost";
}

TEST_F(StateFindingsTest, UnreadableSourceStartsNothing) {
  times_.readable = false;
  EXPECT_EQ(At(90000, "stall"), Level::kNone);
  EXPECT_FALSE(findings_.lost());
}

TEST_F(StateFindingsTest, LostClearsTheStallAndIsKept) {
  EXPECT_EQ(At(21599, "stall"), Level::kWarning);
  EXPECT_EQ(At(21600, "stall"), Level::kNone);
  EXPECT_TRUE(findings_.lost());
  times_.readable = false;
  At(21601, "stall");
  EXPECT_TRUE(findings_.lost());
  times_.readable = true;
  Wait(30000);
  Grow();
  EXPECT_EQ(Find("stall")->level, Level::kNone) << "it writes again";
  EXPECT_FALSE(findings_.lost());
  EXPECT_TRUE(findings_.recovered().empty());
}

TEST_F(StateFindingsTest, HigherFindingKeepsTheLowerOneQuiet) {
  At(1800, "stall");
  Burst(LogErrorKind::kTrainerCrash);
  EXPECT_EQ(At(1801, "trainer_crash"), Level::kCritical);
  EXPECT_EQ(Find("stall")->level, Level::kNone);
  EXPECT_EQ(Find("trainer_crash")->since_step, 40);
}

TEST_F(StateFindingsTest, CrashHoldsThoughEchoesComeAndClearsWithAStep) {
  Burst(LogErrorKind::kTraceback);
  EXPECT_EQ(At(299, "trainer_crash"), Level::kNone);
  EXPECT_EQ(At(300, "trainer_crash"), Level::kCritical);
  Grow();
  EXPECT_EQ(At(301, "trainer_crash"), Level::kCritical);
  Train(41);
  EXPECT_EQ(At(302, "trainer_crash"), Level::kNone);
  EXPECT_EQ(findings_.recovered().at(0).name, "trainer_crash");
}

TEST_F(StateFindingsTest, LateEndMarkTakesASilentDeathBack) {
  Train(94);
  Begin(RunPhase::kEvaluateRollouts);
  Gone();
  EXPECT_EQ(At(60, "died_silently"), Level::kWarning);
  End(EndKind::kTrainer);
  EXPECT_EQ(At(61, "died_silently"), Level::kNone);
  EXPECT_TRUE(findings_.recovered().empty());
}

TEST_F(StateFindingsTest, ProcessThatIsThereAfterAllTakesItsDeathBack) {
  Gone();
  EXPECT_EQ(At(60, "died_silently"), Level::kWarning);
  processes_.trainer.incomplete = true;
  EXPECT_EQ(At(61, "died_silently"), Level::kWarning) << "nothing new is known";
  Alive();
  EXPECT_EQ(At(62, "died_silently"), Level::kNone);
}

TEST_F(StateFindingsTest, AnotherTextTakesEverythingBack) {
  At(1800, "stall");
  ++times_.texts;
  Grow();
  EXPECT_EQ(At(1801, "stall"), Level::kNone);
}

TEST_F(StateFindingsTest, InterruptClearsWhatWaits) {
  At(1800, "stall");
  Interrupt();
  EXPECT_EQ(At(1801, "stall"), Level::kNone);
  Train(41);
  Grow();
  EXPECT_EQ(At(1802, "stall"), Level::kNone);
  EXPECT_EQ(Find("stall")->activations, 1u);
}

}  // namespace
}  // namespace rlrun
