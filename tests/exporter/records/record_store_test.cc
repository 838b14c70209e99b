#include "exporter/records/record_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>

#include "tests/exporter/records/store_fixture.h"

namespace rlrun {
namespace {

using RecordStoreTest = StoreFixture;

TEST_F(RecordStoreTest, RecordIsARunAndItsChangeIsSeen) {
  WriteRecord("a",
              R"("status": "running", "framework_status": "download_model")");
  Look();
  ASSERT_TRUE(runs_.contains("a"));
  EXPECT_EQ(runs_["a"]->phase, "download_model");
  EXPECT_FALSE(runs_["a"]->past_startup);
  WriteRecord("a", R"("status": "running", "framework_status": "weight_sync")");
  Look();
  EXPECT_EQ(runs_["a"]->phase, "weight_sync");
  EXPECT_TRUE(runs_["a"]->past_startup);
}

TEST_F(RecordStoreTest, TokensAreNeitherOpenedNorListed) {
  WriteRecord("a", R"("status": "running")");
  files_.Write("/vol/framework-status-tokens/a.json", R"({"token": "secret"})");
  files_.Write("/vol/training-rollouts/a__00000000.json", "{}");
  files_.Write("/vol/training-runs-summary/summary.json", R"({"items": []})");
  for (int i = 0; i < 20; ++i) Look(60);
  ASSERT_TRUE(runs_.contains("a"));
  for (const std::string& path : traced_.paths) {
    EXPECT_EQ(path.find("token"), std::string::npos) << path;
    EXPECT_EQ(path.find("/training-rollouts/"), std::string::npos) << path;
  }
}

TEST_F(RecordStoreTest, RemovalThenUploadIsNoEnd) {
  WriteRecord("a", R"("status": "running", "framework_status": "training")");
  Look();
  files_.Remove("/vol/training-runs/a.json");
  Look(5);
  WriteRecord("b", R"("status": "running")");
  Look(5);
  EXPECT_TRUE(removed_.empty());
  EXPECT_TRUE(up_["a"]);
  WriteRecord("a", R"("status": "completed", "framework_status": "training")");
  Look();
  Look();
  EXPECT_EQ(runs_["a"]->status, "completed");
  EXPECT_TRUE(removed_.empty());
}

TEST_F(RecordStoreTest, GoneForAMinuteIsGone) {
  WriteRecord("a", R"("status": "running")");
  WriteRecord("b", R"("status": "running")");
  Look();
  files_.Remove("/vol/training-runs/a.json");
  for (int i = 0; i < 8; ++i) Look();
  EXPECT_EQ(removed_, std::vector<std::string>{"a"});
  EXPECT_TRUE(runs_.contains("b"));
}

TEST_F(RecordStoreTest, HalfWrittenRecordIsTriedAgain) {
  const std::string whole = Record("a", R"("status": "running")");
  files_.Write("/vol/training-runs/a.json", whole.substr(0, 30));
  Look();
  EXPECT_FALSE(runs_.contains("a"));
  EXPECT_EQ(store_.unreadable(), 1U);
  files_.Write("/vol/training-runs/a.json", whole);
  Look();
  ASSERT_TRUE(runs_.contains("a"));
  files_.Write("/vol/training-runs/a.json", whole.substr(0, 30));
  Look();
  EXPECT_TRUE(up_["a"]);  // for a moment that is no failure
  EXPECT_EQ(runs_["a"]->status, "running");
  for (int i = 0; i < 8; ++i) Look();
  EXPECT_FALSE(up_["a"]);
  files_.Write("/vol/training-runs/a.json", whole);
  Look();
  EXPECT_TRUE(up_["a"]);
  EXPECT_EQ(runs_["a"]->bad_documents, 0U);
}

TEST_F(RecordStoreTest, ForbiddenRecordIsDownAndKept) {
  WriteRecord("a", R"("status": "running")");
  Look();
  files_.Fail(InMemoryFileSource::Call::kStat, "/vol/training-runs/a.json",
              EACCES);
  Look();
  EXPECT_FALSE(up_["a"]);
  EXPECT_TRUE(removed_.empty());
}

TEST_F(RecordStoreTest, StoreThatTurnsEmptyKeepsItsRunsForAWhile) {
  WriteRecord("a", R"("status": "running")");
  Look();
  files_.Remove("/vol/training-runs/a.json");
  Look();
  EXPECT_TRUE(up_["a"]);  // it may be on its way
  for (int i = 0; i < 7; ++i) Look();
  EXPECT_FALSE(store_.up());
  EXPECT_FALSE(up_["a"]);
  Look(600);
  EXPECT_TRUE(removed_.empty());
  Look(600);
  Look();
  EXPECT_EQ(removed_, std::vector<std::string>{"a"});
}

TEST_F(RecordStoreTest, UnknownWordsAreKept) {
  WriteRecord("a",
              R"("status": "paused", "framework_status": "deploy_spindle")");
  Look();
  EXPECT_EQ(runs_["a"]->status, "paused");
  EXPECT_EQ(runs_["a"]->phase, "deploy_spindle");
}

TEST_F(RecordStoreTest, NameOfTheFileIsTheIdWhereNoneIsStated) {
  files_.Write("/vol/training-runs/odd name.json", R"({"status": "running"})");
  Look();
  ASSERT_TRUE(runs_.contains("odd name"));
  EXPECT_EQ(runs_["odd name"]->record.id, "odd name");
}

TEST_F(RecordStoreTest, ResultBesideARunningRecordIsSuccess) {
  WriteRecord("a", R"("status": "running")");
  files_.Write("/vol/train-results/a.json", "{}");
  Look();
  EXPECT_EQ(runs_["a"]->status, "completed");
}

TEST_F(RecordStoreTest, OlderCopyDoesNotTakeAnEndBack) {
  WriteRecord("a", R"("status": "running", "updated_at": 100)");
  Look();
  WriteRecord("a", R"("status": "failed", "updated_at": 200, "ended_at": 200)");
  Look();
  // Another writer saves what it loaded before, with a later time.
  WriteRecord("a", R"("status": "running", "updated_at": 201, "metadata": )"
                   R"({"framework_progress": {"updated_at": 150}})");
  for (int i = 0; i < 8; ++i) Look();
  EXPECT_EQ(runs_["a"]->status, "failed");
  WriteRecord("a", R"("status": "running", "updated_at": 300, "metadata": )"
                   R"({"attempt_count": 2})");
  for (int i = 0; i < 8; ++i) Look();
  EXPECT_EQ(runs_["a"]->status, "running");  // tried again
}

TEST_F(RecordStoreTest, ProgressDoesNotGoBackButWithANewAttempt) {
  const auto progress = [](int at, int current, int attempts) {
    return R"("status": "running", "updated_at": )" + std::to_string(at) +
           R"(, "metadata": {"attempt_count": )" + std::to_string(attempts) +
           R"(, "framework_progress": {"phase": "generate_rollouts", )"
           R"("updated_at": )" +
           std::to_string(at) + R"(, "current": )" + std::to_string(current) +
           R"(, "total": 50, "rollout_id": )" + std::to_string(current - 1) +
           "}}";
  };
  WriteRecord("a", progress(100, 13, 1));
  Look();
  EXPECT_EQ(runs_["a"]->progress.current, 13);
  WriteRecord("a", progress(90, 12, 1));
  Look();
  EXPECT_EQ(runs_["a"]->progress.current, 13);
  WriteRecord("a", progress(110, 12, 1));
  Look();
  EXPECT_EQ(runs_["a"]->progress.current, 13);
  WriteRecord("a", progress(120, 2, 2));
  Look();
  EXPECT_EQ(runs_["a"]->progress.current, 2);
}

TEST_F(RecordStoreTest, NewerProgressStandsBesideTheRecord) {
  WriteRecord("a", R"("status": "running", "updated_at": 100)");
  files_.Write("/vol/training-run-updates/a__1__framework_progress-x.json",
               R"({"updated_at": 150, "framework_progress": {"phase": )"
               R"("optimizer_step", "updated_at": 150, "current": 4}})");
  files_.Write("/vol/training-run-updates/a__1__framework_progress-y.json",
               R"({"updated_at": 140, "framework_progress": {"phase": )"
               R"("weight_sync", "updated_at": 140, "current": 3}})");
  files_.Write("/vol/training-run-updates/a__1__latest_rollout.json",
               R"({"updated_at": 145, "latest_rollout": {"rollout_id": 2, )"
               R"("mean": 0.5, "total": 8, "created_at": 145}})");
  files_.Write("/vol/training-run-updates/ab__1__framework_progress.json",
               R"({"updated_at": 900})");
  Look();
  EXPECT_EQ(runs_["a"]->phase, "optimizer_step");
  EXPECT_EQ(runs_["a"]->progress.current, 4);
  EXPECT_EQ(runs_["a"]->updated_at, 150);
  EXPECT_EQ(runs_["a"]->rollouts, 1U);
}

TEST_F(RecordStoreTest, RolloutsOfEveryLayoutOfTheirSummary) {
  WriteRecord("shared", R"("status": "running")");
  WriteRecord("each", R"("status": "running")");
  WriteRecord("own", R"("status": "running")");
  const std::string summary = "/vol/training-rollouts-summary/";
  files_.Write(
      summary + "summary.json",
      R"({"items": [{"training_run_id": "shared", "rollout_id": 0, )"
      R"("mean": 0.1}, {"training_run_id": "shared", "rollout_id": 1, )"
      R"("mean": 0.2}]})");
  files_.Write(summary + "each/each__00000000.json",
               R"({"training_run_id": "each", "rollout_id": 0, "mean": 0.3})");
  files_.Write(summary + "each/each__00000001.json",
               R"({"training_run_id": "each", "rollout_id": 1, "mean": 0.4})");
  files_.Write(summary + "own/summary.json",
               R"({"items": [{"rollout_id": 0, "mean": NaN, "total": 8, )"
               R"("rollout_time": 9.5, "created_at": 1750000500}]})");
  Look();
  EXPECT_EQ(runs_["shared"]->rollouts, 2U);
  EXPECT_EQ(runs_["shared"]->newest.back().mean_reward, 0.2);
  EXPECT_EQ(runs_["each"]->rollouts, 2U);
  EXPECT_EQ(runs_["each"]->newest.back().mean_reward, 0.4);
  ASSERT_EQ(runs_["own"]->rollouts, 1U);
  EXPECT_TRUE(std::isnan(*runs_["own"]->newest.back().mean_reward));
  EXPECT_EQ(runs_["own"]->newest.back().samples, 8);
  EXPECT_EQ(runs_["own"]->newest.back().seconds, 9.5);
}

TEST_F(RecordStoreTest, ClobberedSummaryLosesNoRollout) {
  WriteRecord("a", R"("status": "running")");
  const std::string path = "/vol/training-rollouts-summary/a/summary.json";
  files_.Write(path, R"({"items": [{"rollout_id": 0}, {"rollout_id": 1}]})");
  Look();
  files_.Write(path, R"({"items": [{"rollout_id": 0}, {"rollout_id": 2}]})");
  Look();
  EXPECT_EQ(runs_["a"]->rollouts, 3U);
  files_.Write(path, R"({"items": []})");
  Look();
  files_.Remove(path);
  Look();
  EXPECT_EQ(runs_["a"]->rollouts, 3U);
  EXPECT_EQ(runs_["a"]->newest.back().id, 2);
}

TEST_F(RecordStoreTest, OlderPostOfARolloutDoesNotReplaceANewerOne) {
  WriteRecord("a", R"("status": "running")");
  const std::string path = "/vol/training-rollouts-summary/a/summary.json";
  files_.Write(
      path, R"({"items": [{"rollout_id": 0, "mean": 0.7, "created_at": 20}]})");
  Look();
  files_.Write(
      path, R"({"items": [{"rollout_id": 0, "mean": 0.1, "created_at": 10}]})");
  Look();
  EXPECT_EQ(runs_["a"]->newest.back().mean_reward, 0.7);
}

TEST_F(RecordStoreTest, TimesOfPhasesAddUpOverRolloutsAndRoles) {
  WriteRecord("a", R"("status": "running")");
  const std::string timing = "/vol/substep-timing/a/";
  files_.Write(timing + "00000000__actor.json",
               R"({"final": true, "phases": {"optimizer_step": )"
               R"({"busy_duration_s": 2}}})");
  files_.Write(
      timing + "1__actor.json",
      R"({"final": false, "phases": {"optimizer_step": )"
      R"({"busy_duration_s": 3}, "new_phase": {"total_duration_s": 1}}})");
  Look();
  EXPECT_EQ(runs_["a"]->phase_seconds.at("optimizer_step"), 5);
  EXPECT_EQ(runs_["a"]->phase_seconds.at("new_phase"), 1);
  files_.Write(timing + "1__actor.json",
               R"({"final": true, "phases": {"optimizer_step": )"
               R"({"busy_duration_s": 4}}})");
  Look();
  EXPECT_EQ(runs_["a"]->phase_seconds.at("optimizer_step"), 6);
  files_.ResetCounts();
  Look();
  EXPECT_EQ(files_.counts().open, 0U);  // what is final is never read again
}

TEST_F(RecordStoreTest, NewestSignOfLifeOfAllDocuments) {
  WriteRecord("a", R"("status": "running", "updated_at": 1750000100)");
  Look();
  EXPECT_TRUE(runs_["a"]->has_updates);
  EXPECT_EQ(runs_["a"]->updated_at, 1750000100);
  files_.Write("/vol/metric-series/a/chunk-000000-0a.json",
               R"({"steps": {"1": {"train/loss": 1}}, "written": {"1": )"
               R"({"train/loss": 1750000300.5}}})");
  Look();
  EXPECT_EQ(runs_["a"]->updated_at, 1750000300.5);
  WriteRecord("b", R"("status": "running", "created_at": 1750000000)");
  Look();
  EXPECT_FALSE(runs_["b"]->has_updates);  // the first generation has none
}

TEST_F(RecordStoreTest, ChangeThatIsSeenIsLifeWhateverTheClocksSay) {
  const auto write = [this](double at) {
    WriteRecord("a-1", "\"status\": \"running\", \"updated_at\": " +
                           std::to_string(at));
  };
  write(wall_ - 1250);
  Look();
  ASSERT_TRUE(runs_["a-1"]);
  EXPECT_FALSE(runs_["a-1"]->changed_at) << "it may lie there for long";
  const double before = wall_;
  write(wall_ - 1240);
  Look();
  EXPECT_EQ(runs_["a-1"]->changed_at, before);
  Look();
  EXPECT_EQ(runs_["a-1"]->changed_at, before);
  const double timed = wall_;
  files_.Write("/vol/substep-timing/a-1/00000001__driver.json",
               "{\"lane_start_unix_s\": " + std::to_string(wall_ - 500) +
                   ", \"phases\": {\"generate_rollouts\": "
                   "{\"busy_duration_s\": 400, \"last_end_s\": 480}}}");
  Look();
  Look();
  EXPECT_GE(runs_["a-1"]->changed_at.value_or(0), timed);
  EXPECT_EQ(runs_["a-1"]->updated_at, timed - 20);
}

TEST_F(RecordStoreTest, ClockThatIsAheadTellsNoTime) {
  files_.SetClock(1750000000LL * 1000000000);
  WriteRecord("a-1", "\"status\": \"running\", \"updated_at\": " +
                         std::to_string(wall_ + 3600));
  Look();
  EXPECT_NEAR(runs_["a-1"]->updated_at.value_or(0), 1750000000, 1);
  EXPECT_TRUE(runs_["a-1"]->has_updates);
  // A little ahead is as good as now.
  WriteRecord("b-1", "\"status\": \"running\", \"updated_at\": " +
                         std::to_string(wall_ + 30));
  const double ahead = wall_ + 30;
  Look();
  EXPECT_EQ(runs_["b-1"]->updated_at, ahead);
}

TEST_F(RecordStoreTest, OldRunsAreLeftAlone) {
  RecordOptions options;
  options.max_age = 7 * 86400;
  options.max_ended_age = 86400;
  store_.SetOptions(options);
  const auto at = [this](double age) {
    return std::to_string(static_cast<long long>(wall_ - age));
  };
  WriteRecord("done",
              R"("status": "completed", "updated_at": )" + at(2 * 86400));
  WriteRecord("going",
              R"("status": "running", "updated_at": )" + at(2 * 86400));
  WriteRecord("left", R"("status": "running", "updated_at": )" + at(8 * 86400));
  files_.Write("/vol/training-rollouts-summary/done/summary.json", "{}");
  Look();
  EXPECT_EQ(runs_.size(), 1U);
  EXPECT_TRUE(runs_.contains("going"));
  EXPECT_EQ(store_.too_old(), 2U);
}

TEST_F(RecordStoreTest, SliceEndsWhenItIsTold) {
  for (int i = 0; i < 50; ++i) {
    WriteRecord("r" + std::to_string(i), R"("status": "running")");
  }
  int rounds = 0;
  double wait = 0;
  while (wait == 0) {
    int left = 3;
    files_.ResetCounts();
    wait = store_.Pass(steady_, wall_, [&left] { return left-- > 0; });
    EXPECT_LE(files_.counts().all(), 3U * 5U + 4U);
    ASSERT_LT(++rounds, 100);
  }
  EXPECT_GT(rounds, 15);
  EXPECT_EQ(store_.Take().size(), 50U);
}

TEST_F(RecordStoreTest, MoreRunsThanItsLimitAreCounted) {
  RecordOptions options;
  options.max_runs = 2;
  store_.SetOptions(options);
  for (const char* name : {"a", "b", "c"}) {
    WriteRecord(name, R"("status": "running")");
  }
  Look();
  EXPECT_EQ(store_.runs(), 2U);
  EXPECT_EQ(store_.capped(), 1U);
}

// 1,000 runs, ten of which go on, with 300 rollouts and as many timings each.
TEST_F(RecordStoreTest, LargeStoreIsAskedOnlyForWhatMayHaveChanged) {
  constexpr int kRuns = 1000, kLive = 10, kRollouts = 300;
  const std::string stated = std::to_string(static_cast<long long>(wall_));
  for (int i = 0; i < kRuns; ++i) {
    const std::string name = "run-" + std::to_string(i);
    WriteRecord(name, std::string(R"("status": ")") +
                          (i < kLive ? "running" : "completed") +
                          R"(", "updated_at": )" + stated);
    std::string items;
    for (int r = 0; r < kRollouts; ++r) {
      items += (r == 0 ? "" : ", ") + std::string(R"({"rollout_id": )") +
               std::to_string(r) + R"(, "mean": 0.5, "total": 8})";
    }
    files_.Write("/vol/training-rollouts-summary/" + name + "/summary.json",
                 "{\"items\": [" + items + "]}");
    if (i >= kLive) continue;
    for (int r = 0; r < kRollouts; ++r) {
      files_.Write("/vol/substep-timing/" + name + "/" + std::to_string(r) +
                       "__actor.json",
                   R"({"final": true, "phases": {"training": )"
                   R"({"busy_duration_s": 1}}})");
    }
  }
  Look();
  ASSERT_EQ(runs_.size(), static_cast<std::size_t>(kRuns));
  EXPECT_EQ(runs_["run-3"]->rollouts, static_cast<std::uint64_t>(kRollouts));
  EXPECT_EQ(runs_["run-3"]->phase_seconds.at("training"), kRollouts);
  Look(60);
  // A minute: six looks at those that go on, one at those that have ended.
  files_.ResetCounts();
  for (int i = 0; i < 6; ++i) Look();
  const auto counts = files_.counts();
  EXPECT_EQ(counts.open, 0U);
  EXPECT_EQ(counts.bytes_read, 0U);
  // Lists: two of the store per look, then those of each run; stats: its record
  // and its summary.
  EXPECT_LE(counts.all(), 6U * (2 + kLive * 4) + kRuns * 4U);
  // One change costs what is read of it, and nothing more.
  files_.Write("/vol/training-rollouts-summary/run-3/summary.json",
               R"({"items": [{"rollout_id": 300}]})");
  files_.ResetCounts();
  Look();
  EXPECT_EQ(runs_["run-3"]->rollouts, 301U);
  EXPECT_EQ(files_.counts().open, 1U);
}

}  // namespace
}  // namespace rlrun
