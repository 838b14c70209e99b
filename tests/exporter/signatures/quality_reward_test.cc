#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kScore = "critic/score/mean";
constexpr auto kReward = "critic/rewards/mean";
constexpr auto kLength = "response_length/mean";

// First M_10 is 0, best M_10 is 1.
QualityRun Climbed() {
  QualityRun run("reward_drop");
  run.Feed(1, 10, kScore, 0);
  run.Feed(11, 20, kScore, 1);
  return run;
}

TEST(RewardDrop, HalfOfTheGainLostOnFivePointsIsCritical) {
  QualityRun run = Climbed();
  // M_10 is 0.5 at 25, exactly the bound, and 0 from 26 on.
  run.Feed(21, 40, kScore, 0);
  EXPECT_EQ(run.first(Level::kCritical), 30);
  EXPECT_THAT(Texts(run.at(30)),
              ElementsAre("critic/score/mean@30=0 bound 0.5"));
  EXPECT_EQ(run.at(30).detail, "M_10=0, best M_10=1");
  EXPECT_EQ(run.level(40), Level::kCritical);
}

TEST(RewardDrop, AlmostHalfOfTheGainLostIsSilent) {
  QualityRun run = Climbed();
  run.Feed(21, 60, kScore, 0.5);
  EXPECT_TRUE(run.silent());
  EXPECT_EQ(run.at(60).kind, Kind::kEvaluated);
}

TEST(RewardDrop, FourPointsBelowAreNotFive) {
  QualityRun four = Climbed();
  four.Step(21, {{kScore, 0}});
  four.Step(22, {{kScore, 1}});
  four.Feed(23, 27, kScore, 0);  // M_10 is 0 on 27..30
  four.Feed(28, 45, kScore, 1);
  EXPECT_TRUE(four.silent());
  QualityRun five = Climbed();
  five.Feed(21, 26, kScore, 0);  // M_10 is 0 on 26..30
  five.Feed(27, 45, kScore, 1);
  EXPECT_EQ(five.first(Level::kCritical), 30);
  EXPECT_EQ(five.level(31), Level::kNone);
}

TEST(RewardDrop, IsJudgedFromThe24thPointOn) {
  QualityRun run("reward_drop");
  run.Feed(1, 10, kScore, 1);
  run.Feed(11, 40, kScore, 0.5);
  EXPECT_EQ(run.at(23).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.first(Level::kCritical), 24);
}

TEST(RewardDrop, WithoutGainTheNoiseIsTheBound) {
  // noise = 1.0483 x 0.2, four of them are 0.8386.
  for (const auto& [fall, fires] : {std::pair{0.83, false}, {0.85, true}}) {
    QualityRun run("reward_drop");
    run.Swing(1, 40, kScore, 0, 0.1);
    run.Swing(41, 80, kScore, -fall, 0.1);
    EXPECT_EQ(!run.silent(), fires) << fall;
  }
}

TEST(RewardDrop, BoundIsThatOfTheNewestPoint) {
  QualityRun run("reward_drop");
  run.Swing(1, 24, kScore, 0, 0.1);
  run.Feed(25, 50, kScore, -5);  // the median of all changes is 0 at 50
  EXPECT_THAT(Texts(run.at(46)),
              ElementsAre("critic/score/mean@46=-5 bound -0.83864"));
  EXPECT_THAT(Texts(run.at(50)),
              ElementsAre("critic/score/mean@50=-5 bound 0"));
}

TEST(RewardDrop, JumpyRewardsWithoutTrendAreSilent) {
  QualityRun run("reward_drop");
  for (int s = 1; s <= 200; ++s) {
    run.Step(s, {{kScore, 0.3 + 0.2 * ((s * 37) % 11 - 5) / 5.0}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(RewardDrop, FallingScoreIsSeenUnderARisingReward) {
  QualityRun run("reward_drop");
  for (int s = 1; s <= 40; ++s) {
    const double score = s > 10 && s <= 20 ? 1 : 0;
    run.Step(s, {{kScore, score}, {kReward, -14 + 0.3 * s}});
  }
  EXPECT_EQ(run.first(Level::kCritical), 30);
}

TEST(RewardDrop, RewardIsReadWhereNoScoreIsPrinted) {
  QualityRun run("reward_drop");
  run.Feed(1, 10, kReward, 0);
  run.Feed(11, 20, kReward, 1);
  run.Feed(21, 30, kReward, 0);
  EXPECT_THAT(Texts(run.at(30)),
              ElementsAre("critic/rewards/mean@30=0 bound 0.5"));
}

TEST(RewardDrop, NanIsNoPointAndCountsNeitherWay) {
  QualityRun run = Climbed();
  run.Feed(21, 27, kScore, 0);
  EXPECT_EQ(run.Step(28, {{kScore, kNan}}).kind, Kind::kNotEvaluated);
  run.Feed(29, 40, kScore, 0);
  EXPECT_EQ(run.first(Level::kCritical), 31);
}

TEST(RewardDrop, RewindBringsBestAndNoiseBack) {
  QualityRun run = Climbed();
  run.Feed(21, 25, kScore, 9);
  run.Feed(26, 33, kScore, 0);
  run.Feed(21, 29, kScore, 0);
  EXPECT_TRUE(run.silent());
  run.Step(30, {{kScore, 0}});
  EXPECT_THAT(Texts(run.at(30)),
              ElementsAre("critic/score/mean@30=0 bound 0.5"));
  EXPECT_EQ(run.history.rewinds(), 1u);
}

TEST(RewardDrop, BestOutlivesTheKeptPoints) {
  QualityRun run("reward_drop");
  run.Feed(1, 10, kScore, 0);
  run.Feed(11, 30, kScore, 1);
  run.Feed(31, 900, kScore, 0.6);
  EXPECT_TRUE(run.silent());
  run.Feed(901, 915, kScore, 0.4);
  EXPECT_EQ(run.first(Level::kCritical), 910);
}

TEST(RewardDrop, DoesNotApplyWithoutAReward) {
  QualityRun run("reward_drop");
  EXPECT_EQ(run.Feed(1, 30, "actor/pg_loss", 0).kind, Kind::kNotApplicable);
}

TEST(RewardDrop, StepWithoutTheKeyIsNotEvaluated) {
  QualityRun run = Climbed();
  run.Feed(21, 26, kScore, 1);
  EXPECT_EQ(run.Step(27, {{"actor/pg_loss", 0}}).kind, Kind::kNotEvaluated);
}

TEST(RewardStagnation, BestOlderThanAHundredPointsIsWhatCounts) {
  QualityRun run("reward_stagnation");
  for (int s = 1; s <= 300; ++s) run.Step(s, {{kScore, s < 100 ? s : 100.}});
  // M_50 is 98.5 at 123 and 99.5 at 124; 2 % of its range are 1.49.
  EXPECT_EQ(run.first(Level::kInfo), 225);
  EXPECT_THAT(Texts(run.at(225)),
              ElementsAre("critic/score/mean@225=100 bound 100.99"));
  EXPECT_EQ(run.at(225).detail, "M_50=100");
}

TEST(RewardStagnation, GainOfExactlyTheBoundIsSilent) {
  for (const auto& [late, fires] : {std::pair{50.0, false}, {49.9, true}}) {
    QualityRun run("reward_stagnation");
    run.Feed(1, 50, kScore, 0);
    run.Feed(51, 149, kScore, 49);
    run.Feed(150, 230, kScore, late);
    EXPECT_EQ(run.level(230) == Level::kInfo, fires) << late;
  }
}

TEST(RewardStagnation, IsJudgedFromThe151stPointOn) {
  QualityRun run("reward_stagnation");
  run.Feed(1, 100, kScore, 0);
  run.Feed(101, 151, kScore, 1);
  EXPECT_EQ(run.at(150).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.at(151).kind, Kind::kEvaluated);
}

TEST(RewardStagnation, RewardThatNeverMovedIsSilent) {
  QualityRun run("reward_stagnation");
  EXPECT_EQ(run.Feed(1, 400, kScore, 0).kind, Kind::kEvaluated);
  EXPECT_TRUE(run.silent());
}

TEST(RewardStagnation, SteadyClimbIsSilent) {
  QualityRun run("reward_stagnation");
  for (int s = 1; s <= 700; ++s) run.Step(s, {{kScore, 0.001 * s}});
  EXPECT_TRUE(run.silent());
}

TEST(RewardStagnation, RangeAndBestSurviveARewind) {
  QualityRun once("reward_stagnation"), twice("reward_stagnation");
  const auto value = [](int s) { return s < 100 ? s : 100.; };
  for (int s = 1; s <= 225; ++s) once.Step(s, {{kScore, value(s)}});
  for (int s = 1; s <= 180; ++s) twice.Step(s, {{kScore, value(s)}});
  for (int s = 181; s <= 260; ++s) twice.Step(s, {{kScore, 9000.}});
  for (int s = 181; s <= 225; ++s) twice.Step(s, {{kScore, value(s)}});
  EXPECT_EQ(Texts(once.at(225)), Texts(twice.at(225)));
  EXPECT_EQ(twice.first(Level::kInfo), 225);
}

TEST(RewardStagnation, DoesNotApplyWithoutAReward) {
  QualityRun run("reward_stagnation");
  EXPECT_EQ(run.Feed(1, 160, "train/loss", 1).kind, Kind::kNotApplicable);
}

// The reward rises from 0 to 1 behind the fifth step.
void Rise(QualityRun* run, int to, std::string_view key, double early,
          double late) {
  for (int s = 1; s <= to; ++s) {
    run->Step(s, {{kReward, s > 5 ? 1. : 0.}, {key, s > 5 ? late : early}});
  }
}

TEST(RewardHacking, ShortAnswersUnderARisingReward) {
  QualityRun run("reward_hacking_suspect");
  Rise(&run, 12, kLength, 1000, 249);
  EXPECT_EQ(run.at(9).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.first(Level::kWarning), 10);
  EXPECT_THAT(Texts(run.at(10)),
              ElementsAre("critic/rewards/mean@10=1 bound 0.5",
                          "response_length/mean@10=249 bound 250"));
}

TEST(RewardHacking, AQuarterOfTheLengthIsSilent) {
  QualityRun run("reward_hacking_suspect");
  Rise(&run, 20, kLength, 1000, 250);
  EXPECT_TRUE(run.silent());
}

TEST(RewardHacking, FallingScoreUnderARisingReward) {
  QualityRun run("reward_hacking_suspect");
  Rise(&run, 12, kScore, 0.5, 0.4);
  EXPECT_EQ(run.first(Level::kWarning), 10);
  EXPECT_THAT(Texts(run.at(10)),
              ElementsAre("critic/rewards/mean@10=1 bound 0.5",
                          "critic/score/mean@10=0.4 bound 0.5"));
}

TEST(RewardHacking, ScoreThatHoldsIsSilent) {
  QualityRun run("reward_hacking_suspect");
  Rise(&run, 20, kScore, 0.5, 0.5);
  EXPECT_TRUE(run.silent());
}

TEST(RewardHacking, ScoreMustFallByThreeTimesItsNoise) {
  // noise = 1.0483 x 0.2, three of them are 0.629; F is -0.1.
  for (const auto& [fall, fires] : {std::pair{0.62, false}, {0.64, true}}) {
    QualityRun run("reward_hacking_suspect");
    for (int s = 1; s <= 41; ++s) {
      const double swing = s % 2 == 0 ? 0.1 : -0.1;
      run.Step(s, {{kReward, s > 20 ? 1. : 0.},
                   {kScore, swing - (s > 20 ? fall : 0)}});
    }
    EXPECT_EQ(run.level(41) == Level::kWarning, fires) << fall;
  }
}

TEST(RewardHacking, RiseOfHalfTheRangeIsEnough) {
  for (const auto& [late, fires] : {std::pair{0.5, true}, {0.49, false}}) {
    QualityRun run("reward_hacking_suspect");
    for (int s = 1; s <= 12; ++s) {
      run.Step(s, {{kReward, s < 6    ? 0.
                             : s == 6 ? 1.
                                      : late},
                   {kLength, s < 6 ? 1000. : 10.}});
    }
    EXPECT_EQ(run.level(12) == Level::kWarning, fires) << late;
  }
}

TEST(RewardHacking, RewardThatStandsStillIsNotHacked) {
  QualityRun run("reward_hacking_suspect");
  for (int s = 1; s <= 12; ++s) {
    run.Step(s, {{kReward, 0}, {kLength, s < 6 ? 1000. : 1.}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(RewardHacking, KeysWithFewerThanTenPointsSayNothing) {
  QualityRun run("reward_hacking_suspect");
  for (int s = 1; s <= 12; ++s) {
    QualityRun::Values values = {{kReward, s > 7 ? 1. : 0.}};
    if (s > 3) values.push_back({kLength, s < 9 ? 1000. : 1.});
    if (s > 3) values.push_back({kScore, s < 9 ? 1. : 0.});
    run.Step(s, values);
  }
  EXPECT_TRUE(run.silent());
}

TEST(RewardHacking, DoesNotApplyWithoutLengthAndScore) {
  QualityRun run("reward_hacking_suspect");
  EXPECT_EQ(run.Feed(1, 12, kReward, 1).kind, Kind::kNotApplicable);
  QualityRun no_reward("reward_hacking_suspect");
  EXPECT_EQ(no_reward.Feed(1, 12, kLength, 1).kind, Kind::kNotApplicable);
}

TEST(RewardHacking, RangeForgetsWhatARewindDropped) {
  QualityRun run("reward_hacking_suspect");
  Rise(&run, 9, kLength, 1000, 100);
  for (int s = 10; s <= 14; ++s) {
    run.Step(s, {{kReward, 50.}, {kLength, 100.}});
  }
  run.Step(10, {{kReward, 1.}, {kLength, 100.}});
  EXPECT_EQ(run.level(10), Level::kWarning);
}

}  // namespace
}  // namespace rlrun
