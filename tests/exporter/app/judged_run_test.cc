#include "exporter/app/judged_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace rlrun {
namespace {

using testing::HasSubstr;
constexpr double kStart = 1764400000;

class JudgedRunTest : public testing::Test {
 protected:
  JudgedRunTest() {
    run_.identity.run = "exp";
    run_.progress.up = true;
    run_.progress.modified_time = kStart;
    run_.last_step_time = kStart;
  }
  // One training line that comes live.
  void Step(std::int64_t step, double time) {
    LogFacts facts;
    StepRecord& record = facts.steps.emplace_back();
    record.step = step;
    record.Add("critic/score/mean", 0.5);
    record.begin_offset = offset_;
    record.end_offset = offset_ += 100;
    run_.steps.Apply(record);
    run_.last_step_time = time;
    Take(facts, time);
  }
  void Take(const LogFacts& facts, double time) {
    run_.progress.modified_time = time;
    run_.events.Apply(facts, true, time);
    judged_.Apply(run_, facts, false, time);
  }
  void Train(int steps) {
    for (int i = 1; i <= steps; ++i) Step(i, kStart);
  }
  std::shared_ptr<const Judgement> At(double seconds) {
    return judged_.JudgeAt(run_, kStart + seconds, true);
  }

  rlrun::Run run_{2000, nullptr};
  JudgedRun judged_;
  std::uint64_t offset_ = 0;
};

TEST_F(JudgedRunTest, RunFromItsFirstLineToItsStall) {
  EXPECT_EQ(At(0)->state, RunState::kStarting);
  Train(12);
  EXPECT_EQ(At(1)->state, RunState::kRunning);
  EXPECT_EQ(At(1)->training_steps, 12u);
  EXPECT_EQ(At(1799)->state, RunState::kRunning);
  EXPECT_EQ(At(1800)->state, RunState::kStalled);
  EXPECT_TRUE(At(1800)->active("stall"));
  Step(13, kStart + 1900);
  EXPECT_EQ(At(1901)->state, RunState::kRunning);
  EXPECT_EQ(At(1901 + 21600)->state, RunState::kLost);
}

// The last steps of a schedule may have no learning rate left.
TEST_F(JudgedRunTest, TotalThatOnlyALineStatesIsAFact) {
  const auto train = [this] {
    for (int step = 90; step <= 100; ++step) {
      LogFacts facts;
      StepRecord& record = facts.steps.emplace_back();
      record.step = step;
      record.Add("actor/lr", step < 99 ? 1.25e-06 : 0);
      run_.steps.Apply(record);
      Take(facts, kStart);
    }
  };
  run_.total_steps = 100;
  train();
  EXPECT_FALSE(At(1)->active("frozen_model"));
  run_.total_steps = 1000;
  train();
  EXPECT_TRUE(At(2)->active("frozen_model"));
  run_.total_steps.reset();
  train();
  EXPECT_TRUE(At(3)->active("frozen_model"));
}

TEST_F(JudgedRunTest, NothingIsJudgedAnewAtRest) {
  Train(12);
  const auto first = At(1);
  const std::uint64_t judged = judged_.judged();
  for (int i = 2; i < 300; ++i) EXPECT_EQ(At(i), first);
  EXPECT_EQ(judged_.judged(), judged);
  At(300);
  EXPECT_EQ(judged_.judged(), judged + 1) << "a deadline";
  for (int i = 301; i < 1800; ++i) At(i);
  EXPECT_EQ(judged_.judged(), judged + 1);
  for (int i = 1800; i < 1860; ++i) At(i);
  EXPECT_EQ(judged_.judged(), judged + 2);
  for (int i = 0; i < 100; ++i) At(100000 + i);
  EXPECT_EQ(judged_.judged(), judged + 3) << "a lost run has no deadline";
}

TEST_F(JudgedRunTest, SameMomentIsJudgedOnce) {
  Train(12);
  At(1);
  const std::uint64_t judged = judged_.judged();
  At(1);
  EXPECT_EQ(judged_.judged(), judged);
}

TEST_F(JudgedRunTest, WhatTheRunWasToldReachesItsRules) {
  Train(12);
  EXPECT_EQ(At(1)->find("validation_missing"), nullptr);
  RunFacts facts;
  facts.test_freq = 5;
  run_.facts = std::make_shared<const RunFacts>(facts);
  Step(13, kStart + 2);
  EXPECT_NE(At(2)->find("validation_missing"), nullptr);
}

TEST_F(JudgedRunTest, EarlierTimeIsJudgedAnew) {
  Train(12);
  EXPECT_EQ(At(1800)->state, RunState::kStalled);
  EXPECT_EQ(At(21600)->state, RunState::kLost);
  EXPECT_EQ(At(10)->state, RunState::kRunning);
}

TEST_F(JudgedRunTest, BlockIsMadeAnewOnlyWhereSomethingIsDifferent) {
  RunSeries series(std::make_shared<FamilyTable>());
  EXPECT_EQ(judged_.Block(run_, &series), nullptr);
  Train(12);
  At(1);
  const auto block = judged_.Block(run_, &series);
  EXPECT_THAT(block->text,
              HasSubstr("rlrun_state{run=\"exp\",state=\"running\"} 1\n"));
  At(300);
  Take({}, kStart + 301);
  At(301);
  EXPECT_EQ(judged_.Block(run_, &series), block) << "judged, and the same";
  run_.identity.run = "exp@1";
  judged_.DropBlock();
  EXPECT_THAT(judged_.Block(run_, &series)->text, HasSubstr("exp@1"));
  At(5000);
  EXPECT_THAT(judged_.Block(run_, &series)->text,
              HasSubstr("state=\"stalled\"} 1\n"));
}

TEST_F(JudgedRunTest, BacklogIsNotJudgedByTheClock) {
  Train(12);
  EXPECT_EQ(judged_.JudgeAt(run_, kStart + 90000, false)->state,
            RunState::kRunning);
  EXPECT_EQ(judged_.JudgeAt(run_, kStart + 90000, false)->decision,
            Decision::kWait);
  EXPECT_EQ(At(90000)->state, RunState::kLost);
}

TEST_F(JudgedRunTest, ProcessesAreSeenWithoutAnUpdate) {
  Train(12);
  run_.processes.emplace();
  run_.processes->trainer.presence = ProcessPresence::kAlive;
  EXPECT_EQ(At(30000)->state, RunState::kStalled) << "it lives here";
  const std::uint64_t judged = judged_.judged();
  run_.processes->trainer.last_seen = kStart + 30010;
  At(30010);
  EXPECT_EQ(judged_.judged(), judged) << "seen again";
  run_.processes->trainer.presence = ProcessPresence::kGone;
  run_.processes->trainer.gone_since = kStart + 30020;
  At(30020);
  EXPECT_EQ(At(30080)->state, RunState::kFailed);
  EXPECT_TRUE(At(30080)->active("died_silently"));
}

TEST_F(JudgedRunTest, UnreadableSourceWaitsAndKeepsWhatWas) {
  Train(12);
  At(1);
  run_.progress.up = false;
  EXPECT_EQ(At(2)->decision, Decision::kWait);
  EXPECT_EQ(At(90000)->state, RunState::kRunning);
  run_.progress.up = true;
  Step(13, kStart + 90000);
  EXPECT_EQ(At(90001)->decision, Decision::kContinue);
  EXPECT_EQ(At(90001 + 1800)->state, RunState::kStalled)
      << "what could not be read is no silence of a step";
}

TEST_F(JudgedRunTest, CrashInTheEventsOfTheRun) {
  Train(12);
  LogFacts facts;
  ErrorBurst burst;
  burst.first = {LogErrorKind::kTrainerCrash, {offset_ + 10, {}}, "boom"};
  burst.newest = burst.first.at;
  burst.kinds = 1u << static_cast<unsigned>(LogErrorKind::kTrainerCrash);
  burst.severe = true;
  burst.errors = 1;
  facts.events.newest_burst = facts.events.severe_burst = burst;
  Take(facts, kStart + 5);
  EXPECT_EQ(At(6)->state, RunState::kFailed);
  EXPECT_EQ(At(6)->decision, std::nullopt);
  EXPECT_EQ(At(6)->find("trainer_crash")->detail, "boom");
}

TEST_F(JudgedRunTest, TrialsRecordsAndRules) {
  Train(12);
  judged_.NoteTrial(kStart + 1500);
  EXPECT_EQ(At(3299)->state, RunState::kRunning);
  EXPECT_EQ(At(3300)->state, RunState::kStalled);
  judged_.NoteRecord(RecordedEnd::kCompleted);
  EXPECT_EQ(At(3301)->state, RunState::kFinished);
  judged_.NoteRecord(RecordedEnd::kNone);
  auto rules = std::make_shared<RunRules>();
  rules->options.times.stall_silence = 7200;
  Step(13, kStart + 3400);
  judged_.SetRules(rules);
  EXPECT_EQ(At(3400 + 7199)->state, RunState::kRunning);
  EXPECT_EQ(At(3400 + 7200)->state, RunState::kStalled);
}

TEST_F(JudgedRunTest, SilentStepsOfTheTextSetTheLimit) {
  Step(1, kStart - 8000);
  Step(2, kStart - 4000);
  Step(3, kStart);
  EXPECT_EQ(At(5999)->state, RunState::kRunning);
  EXPECT_EQ(At(6000)->state, RunState::kStalled);
}

TEST_F(JudgedRunTest, AnotherTextBeginsAnew) {
  Train(12);
  EXPECT_EQ(At(1800)->state, RunState::kStalled);
  run_.events.StartNewText();
  judged_.Apply(run_, {}, true, kStart + 1801);
  run_.progress.modified_time = kStart + 1801;
  EXPECT_EQ(At(1802)->state, RunState::kStarting);
}

TEST_F(JudgedRunTest, RecordsAloneTellOfNoCrash) {
  run_.source = "jsonl";
  Train(12);
  EXPECT_EQ(At(1)->find("trainer_crash"), nullptr);
  EXPECT_NE(At(1)->find("stall"), nullptr);
}

}  // namespace
}  // namespace rlrun
