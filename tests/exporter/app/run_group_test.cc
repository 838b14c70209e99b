#include "exporter/app/run_group.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {
namespace {

// Runs of files that are told what was read of them.
class RunGroupTest : public ::testing::Test {
 protected:
  TrackedFile File(const std::string& path) {
    return {path, path, {"", "exp"}, root_, 0, &options_, nullptr, &rules_};
  }
  static void Step(TrackedFile* file, std::int64_t step) {
    FileUpdate update;
    StepRecord record;
    record.step = step;
    record.Add("actor/entropy", 0.5);
    update.facts.steps.push_back(std::move(record));
    update.progress.modified_time = 1000;
    update.progress.caught_up = update.progress.readable = true;
    file->Apply(update);
  }
  void Start(std::vector<TrackedFile*> sources) {
    group_.SetSources(std::move(sources));
    group_.SetRules(std::make_shared<const RunRules>());
    group_.Publish({"", "exp"}, std::make_shared<FamilyTable>());
  }

  StoreOptions options_;
  RulesForRun rules_ = [](const RunIdentity&) {
    return std::make_shared<const RunRules>();
  };
  RootOptions root_;
  TrackedFile log_ = File("/r/exp.log");
  RunGroup group_{1, &options_};
};

TEST_F(RunGroupTest, WhatIsPreparedIsNotMadeAgain) {
  Step(&log_, 1);
  Start({&log_});
  group_.Prepare(1000);
  const auto judgement = group_.judgement();
  ASSERT_NE(judgement, nullptr);
  EXPECT_EQ(log_.judged().judged(), 1u);
  EXPECT_EQ(group_.JudgeAt(1000), judgement);
  EXPECT_EQ(log_.judged().judged(), 1u);
  EXPECT_EQ(group_.JudgementBlock(), group_.JudgementBlock());
}

TEST_F(RunGroupTest, WhatChangesAfterwardsIsShown) {
  Step(&log_, 1);
  Start({&log_});
  group_.Prepare(1000);
  Step(&log_, 2);
  group_.NoteChange();
  EXPECT_EQ(*group_.Summary().last_step, 2);
  EXPECT_NE(group_.JudgeAt(1001), nullptr);
  EXPECT_EQ(log_.judged().judged(), 2u);
}

TEST_F(RunGroupTest, AllSourcesAreHeardBeforeARunIsJudged) {
  TrackedFile other = File("/r/0.jsonl");
  Step(&log_, 1);
  Step(&other, 1);
  Start({&log_, &other});
  group_.Prepare(1000);
  EXPECT_EQ(group_.judgement(), nullptr);
}

TEST_F(RunGroupTest, TrialsAreHeardBeforeARunIsJudged) {
  Step(&log_, 1);
  Start({&log_});
  group_.SetTrials(std::make_shared<const TrialTotals>());
  group_.Prepare(1000);
  EXPECT_EQ(group_.judgement(), nullptr);
  group_.SetTrials(nullptr);
  group_.Prepare(1000);
  EXPECT_NE(group_.judgement(), nullptr);
}

}  // namespace
}  // namespace rlrun
