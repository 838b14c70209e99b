#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/signatures/quality_run.h"

namespace rlrun {
namespace {

using testing::ElementsAre;
using Kind = RuleResult::Kind;
constexpr auto kLength = "response_length/mean";
constexpr auto kClip = "response_length/clip_ratio";
constexpr auto kScore = "critic/score/mean";

QualityRun Length(std::string_view rule, int early_steps, double early,
                  double late) {
  QualityRun run(rule);
  run.Feed(1, early_steps, kLength, early);
  run.Feed(early_steps + 1, early_steps + 10, kLength, late);
  return run;
}

TEST(LengthCollapse, HalfOfTheTrailingLengthWarns) {
  QualityRun run = Length("length_collapse", 60, 1000, 499);
  EXPECT_EQ(run.first(Level::kWarning), 63);
  EXPECT_FALSE(run.first(Level::kCritical));
  EXPECT_THAT(Texts(run.at(63)),
              ElementsAre("response_length/mean@63=499 bound 500"));
  EXPECT_EQ(run.at(63).detail, "M_5=499");
  EXPECT_TRUE(Length("length_collapse", 60, 1000, 500).silent());
}

TEST(LengthCollapse, AQuarterIsCritical) {
  QualityRun run = Length("length_collapse", 60, 1000, 249);
  EXPECT_EQ(run.first(Level::kCritical), 63);
  EXPECT_THAT(Texts(run.at(63)),
              ElementsAre("response_length/mean@63=249 bound 250"));
  EXPECT_FALSE(
      Length("length_collapse", 60, 1000, 250).first(Level::kCritical));
}

TEST(LengthCollapse, ExactlyAQuarterIsMeasuredAgainstTheHalf) {
  QualityRun run("length_collapse");
  for (int s = 1; s <= 70; ++s) {
    run.Step(s, {{kLength, s > 60 ? 250 : 1000}, {kScore, 0.5}});
  }
  EXPECT_THAT(Texts(run.at(63)),
              ElementsAre("response_length/mean@63=250 bound 500"));
}

TEST(LengthCollapse, BeforeThereIsATTheFirstPointsAreTheMeasure) {
  EXPECT_TRUE(Length("length_collapse", 8, 1000, 250).silent());
  EXPECT_EQ(Length("length_collapse", 8, 1000, 249).first(Level::kCritical),
            11);
}

TEST(LengthCollapse, IsJudgedFromTheTenthPointOn) {
  QualityRun run = Length("length_collapse", 5, 1000, 10);
  EXPECT_EQ(run.at(9).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.first(Level::kCritical), 10);
}

// Length falls from 1000 to `late` behind step 10 while R goes from 0 to
// `reward`, without noise.
QualityRun Brief(double late, double reward) {
  QualityRun run("length_collapse");
  for (int s = 1; s <= 20; ++s) {
    run.Step(s,
             {{kLength, s > 10 ? late : 1000}, {kScore, s > 10 ? reward : 0}});
  }
  return run;
}

TEST(LengthCollapse, BrieferAndBetterOnlyWarns) {
  QualityRun better = Brief(200, 0.5);
  EXPECT_EQ(better.first(Level::kWarning), 13);
  EXPECT_FALSE(better.first(Level::kCritical));
  EXPECT_THAT(Texts(better.at(13)),
              ElementsAre("response_length/mean@13=200 bound 250",
                          "critic/score/mean@13=0.5"));
  QualityRun equal = Brief(200, 0);
  EXPECT_EQ(equal.first(Level::kCritical), 13);
}

TEST(LengthCollapse, BetterMeansTwiceTheNoise) {
  // noise = 1.0483 x 0.2, two of them are 0.4193; F is -0.1.
  for (const auto& [rise, level] :
       {std::pair{0.41, Level::kCritical}, {0.43, Level::kWarning}}) {
    QualityRun run("length_collapse");
    for (int s = 1; s <= 41; ++s) {
      const double swing = s % 2 == 0 ? 0.1 : -0.1;
      run.Step(s, {{kLength, s > 20 ? 200 : 1000},
                   {kScore, swing + (s > 20 ? rise : 0)}});
    }
    EXPECT_EQ(run.level(41), level) << rise;
  }
}

TEST(LengthCollapse, OneToFiveInAHundredIsCriticalWhateverTheReward) {
  EXPECT_EQ(Brief(49, 0.5).first(Level::kCritical), 13);
  EXPECT_FALSE(Brief(50, 0.5).first(Level::kCritical));
  EXPECT_THAT(Texts(Brief(50, 0.5).at(13)),
              ElementsAre("response_length/mean@13=50 bound 250",
                          "critic/score/mean@13=0.5"));
  EXPECT_THAT(Texts(Brief(49, 0.5).at(13)),
              ElementsAre("response_length/mean@13=49 bound 50",
                          "critic/score/mean@13=0.5"));
}

TEST(LengthCollapse, WarningTurnsCriticalWhileTheRewardDrops) {
  QualityRun run("length_collapse");
  run.Feed(1, 60, kLength, 1000);
  run.published["reward_drop"] = Level::kCritical;
  run.Feed(61, 62, kLength, 400);
  EXPECT_EQ(run.level(62), Level::kNone);
  EXPECT_EQ(run.Feed(63, 63, kLength, 400).level, Level::kCritical);
  run.published["reward_drop"] = Level::kNone;
  EXPECT_EQ(run.Feed(64, 64, kLength, 400).level, Level::kWarning);
}

TEST(LengthCollapse, RewardOfFewerThanTenPointsIsNotBetter) {
  QualityRun run("length_collapse");
  for (int s = 1; s <= 15; ++s) {
    QualityRun::Values values = {{kLength, s > 10 ? 200 : 1000}};
    if (s > 5) values.push_back({kScore, s > 11 ? 1 : 0});
    run.Step(s, values);
  }
  EXPECT_EQ(run.level(14), Level::kCritical);
  EXPECT_EQ(run.level(15), Level::kWarning);  // the tenth point of R
}

TEST(LengthCollapse, SlowTrimIsSilent) {
  QualityRun run("length_collapse");
  for (int s = 1; s <= 300; ++s) run.Step(s, {{kLength, 1000 - 2 * s}});
  EXPECT_TRUE(run.silent());
}

TEST(LengthCollapse, NanIsNoPointAndARewindTakesBack) {
  QualityRun run("length_collapse");
  run.Feed(1, 20, kLength, 1000);
  run.Feed(21, 22, kLength, 1);
  EXPECT_EQ(run.Step(23, {{kLength, kNan}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(24, {{kLength, 1}}).level, Level::kCritical);
  run.Feed(22, 30, kLength, 900);
  EXPECT_TRUE(run.silent());
}

TEST(LengthExplosion, TwiceTheTrailingLengthWarns) {
  QualityRun run = Length("length_explosion", 60, 1000, 2001);
  EXPECT_EQ(run.first(Level::kWarning), 63);
  EXPECT_THAT(Texts(run.at(63)),
              ElementsAre("response_length/mean@63=2001 bound 2000"));
  EXPECT_TRUE(Length("length_explosion", 60, 1000, 2000).silent());
  EXPECT_TRUE(Length("length_explosion", 12, 1000, 5000).silent());  // no T
}

QualityRun Clipped(double length, double clip) {
  QualityRun run("length_explosion");
  for (int s = 1; s <= 20; ++s) {
    run.Step(s, {{kLength, s > 5 ? length : 1000}, {kClip, clip}});
  }
  return run;
}

TEST(LengthExplosion, HalfOfTheAnswersCutWarns) {
  EXPECT_TRUE(Clipped(1000, 0.5).silent());
  QualityRun run = Clipped(1000, 0.51);
  EXPECT_EQ(run.at(9).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.first(Level::kWarning), 10);
  EXPECT_THAT(Texts(run.at(10)),
              ElementsAre("response_length/clip_ratio@10=0.51 bound 0.5"));
}

TEST(LengthExplosion, NineOfTenAnswersCutIsCritical) {
  EXPECT_FALSE(Clipped(1000, 0.9).first(Level::kCritical));
  QualityRun run = Clipped(1000, 0.91);
  EXPECT_EQ(run.first(Level::kCritical), 10);
  EXPECT_THAT(Texts(run.at(10)),
              ElementsAre("response_length/clip_ratio@10=0.91 bound 0.9"));
  EXPECT_EQ(run.at(10).detail, "M_10(clip_ratio)=0.91");
}

TEST(LengthExplosion, CreepNeedsBothLengthAndCutAnswers) {
  EXPECT_TRUE(Clipped(2999, 0.16).silent());
  EXPECT_TRUE(Clipped(3000, 0.15).silent());
  QualityRun run = Clipped(3000, 0.16);
  EXPECT_EQ(run.first(Level::kWarning), 10);
  EXPECT_THAT(Texts(run.at(10)),
              ElementsAre("response_length/mean@10=3000 bound 3000",
                          "response_length/clip_ratio@10=0.16 bound 0.15"));
}

TEST(LengthExplosion, EachReasonIsNamedOnce) {
  EXPECT_THAT(Texts(Clipped(3000, 0.5).at(10)),
              ElementsAre("response_length/mean@10=3000 bound 3000",
                          "response_length/clip_ratio@10=0.5 bound 0.15"));
  EXPECT_THAT(Texts(Clipped(3000, 0.6).at(10)),
              ElementsAre("response_length/mean@10=3000 bound 3000",
                          "response_length/clip_ratio@10=0.6 bound 0.5"));
}

TEST(LengthExplosion, MedianOfCutAnswersRidesOverOneBadStep) {
  QualityRun run("length_explosion");
  for (int s = 1; s <= 60; ++s) {
    run.Step(s,
             {{kLength, 1000 + 10 * (s % 7)}, {kClip, s % 9 == 0 ? 1 : 0.05}});
  }
  EXPECT_TRUE(run.silent());
}

TEST(LengthExplosion, NanIsNoPointAndARewindTakesBack) {
  QualityRun run = Length("length_explosion", 60, 1000, 1000);
  run.Feed(71, 72, kLength, 9000);
  EXPECT_EQ(run.Step(73, {{kLength, kNan}}).kind, Kind::kNotEvaluated);
  EXPECT_EQ(run.Step(74, {{kLength, 9000}}).level, Level::kWarning);
  run.Feed(72, 90, kLength, 1000);
  EXPECT_TRUE(run.silent());
}

TEST(Length, DoesNotApplyWithoutLengths) {
  for (const auto rule : {"length_collapse", "length_explosion"}) {
    QualityRun run(rule);
    EXPECT_EQ(run.Feed(1, 20, "actor/pg_loss", 0).kind, Kind::kNotApplicable);
    run.Feed(21, 40, kLength, 100);
    EXPECT_EQ(run.Feed(41, 41, "actor/pg_loss", 0).kind, Kind::kNotEvaluated);
  }
}

}  // namespace
}  // namespace rlrun
