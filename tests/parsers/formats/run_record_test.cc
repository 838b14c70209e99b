#include "parsers/formats/run_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rlrun {
namespace {

RunRecord Parsed(const std::string& text) {
  RunRecord record;
  EXPECT_EQ(ParseRunRecord(text, &record), DocumentParse::kOk);
  return record;
}

TEST(RunRecordParser, FirstGeneration) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "tidal-crane-00ff11ee22dd", "modal_app_id": "ap-Q1", )"
      R"("modal_app_url": "https://example.org/ap-Q1", "framework": "slime", )"
      R"("config": {"model": {"model_name": "org/small"}, "wandb": {"project": )"
      R"("lab", "group": "g1"}, "lr": 1e-06, "global_batch_size": 64}, )"
      R"("status": "running", "created_at": 1779000000, "started_at": )"
      R"(1779000010, "ended_at": null, "completed_at": null, )"
      R"("duration_seconds": null, "metadata": null})");
  EXPECT_EQ(r.id, "tidal-crane-00ff11ee22dd");
  EXPECT_EQ(r.app_id, "ap-Q1");
  EXPECT_EQ(r.framework, "slime");
  EXPECT_EQ(r.model, "org/small");
  EXPECT_EQ(r.project, "lab");
  EXPECT_EQ(r.lr, 1e-06);
  EXPECT_EQ(r.created_at, 1779000000);
  EXPECT_FALSE(r.updated_at);
  EXPECT_FALSE(r.ended_at);
  EXPECT_TRUE(r.phase.empty());
}

TEST(RunRecordParser, LaterGenerationWithProgressAndAttempts) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "a", "framework": "miles", "status": "running", )"
      R"("framework_status": "weight_sync", "updated_at": 1779000600, )"
      R"("config": {"metrics": {"provider": "wandb", "project": "lab", )"
      R"("run_id": "a1b2c3d4"}}, "metadata": {"framework_progress": {"phase": )"
      R"("weight_sync", "updated_at": 1779000590, "is_active": true, )"
      R"("current": 13, "total": 100, "unit": "step", "rollout_id": 12}, )"
      R"("latest_rollout": {"rollout_id": 11, "mean": 0.53, "total": 256, )"
      R"("created_at": 1779000500}, "attempt_count": 2, "last_attempt_status": )"
      R"("running"}})");
  EXPECT_EQ(r.phase, "weight_sync");
  EXPECT_EQ(r.metric_run_id, "a1b2c3d4");
  EXPECT_EQ(r.progress.phase, "weight_sync");
  EXPECT_EQ(r.progress.current, 13);
  EXPECT_EQ(r.progress.total, 100);
  EXPECT_EQ(r.progress.rollout_id, 12);
  EXPECT_EQ(r.progress.is_active, true);
  ASSERT_TRUE(r.latest_rollout);
  EXPECT_EQ(r.latest_rollout->id, 11);
  EXPECT_EQ(r.latest_rollout->mean_reward, 0.53);
  EXPECT_EQ(r.latest_rollout->samples, 256);
  EXPECT_EQ(r.attempts, 2);
  EXPECT_EQ(r.attempt_status, "running");
}

TEST(RunRecordParser, WordsOfTheNextGenerationAreKept) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "a", "framework": "spindle", "status": "paused", )"
      R"("framework_status": "deploy_spindle", "later": {"field": [1]}})");
  EXPECT_EQ(r.framework, "spindle");
  EXPECT_EQ(r.status, "paused");
  EXPECT_EQ(r.phase, "deploy_spindle");
}

TEST(RunRecordParser, CompletedAtOfAFailureIsNoSuccess) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "a", "status": "failed", "completed_at": 1779000900})");
  EXPECT_EQ(r.status, "failed");
  EXPECT_EQ(r.ended_at, 1779000900);
}

TEST(RunRecordParser, UpdatedAtOfZeroIsNever) {
  EXPECT_FALSE(
      Parsed(R"({"training_run_id": "a", "updated_at": 0})").updated_at);
}

TEST(RunRecordParser, BareNanIsAccepted) {
  const RunRecord r =
      Parsed(R"({"training_run_id": "a", "config": {"lr": NaN}, "metadata": )"
             R"({"latest_rollout": {"rollout_id": 3, "mean": NaN}}})");
  EXPECT_FALSE(r.lr);
  ASSERT_TRUE(r.latest_rollout);
  EXPECT_TRUE(std::isnan(*r.latest_rollout->mean_reward));
}

TEST(RunRecordParser, FieldsOfOtherTypesAreNotStated) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "a", "status": 7, "created_at": "yesterday", )"
      R"("framework": null, "metadata": {"framework_progress": [1, 2], )"
      R"("attempt_count": 1.5, "latest_rollout": {"mean": 0.5}}})");
  EXPECT_TRUE(r.status.empty());
  EXPECT_FALSE(r.created_at);
  EXPECT_FALSE(r.attempts);
  EXPECT_FALSE(r.latest_rollout);
}

TEST(RunRecordParser, SecretsOfAnErrorMessageAreMasked) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "a", "error_message": "401 for token=abcdef0123456789"})");
  EXPECT_EQ(r.error.find("abcdef"), std::string::npos);
  EXPECT_NE(r.error.find("401"), std::string::npos);
}

TEST(RunRecordParser, TimesOfSubstepsAddUpByPhase) {
  const RunRecord r = Parsed(
      R"({"training_run_id": "a", "substep_times": {"1": {"weight_sync": )"
      R"({"start": 10.5, "finish": 12.5}}, "2": {"weight_sync": {"finish": 21, )"
      R"("start": 20}, "optimizer_step": {"start": 30, "finish": null}}}})");
  EXPECT_EQ(r.phase_seconds.size(), 1U);
  EXPECT_EQ(r.phase_seconds.at("weight_sync"), 3);
}

TEST(RunRecordParser, EmptyObjectIsNoRecordYet) {
  RunRecord record;
  EXPECT_EQ(ParseRunRecord("{}", &record), DocumentParse::kIncomplete);
  EXPECT_EQ(ParseRunRecord(R"({"unknown": 1})", &record),
            DocumentParse::kIncomplete);
}

TEST(RunRecordParser, CutRecordLeavesTheOldOneAlone) {
  RunRecord record;
  record.id = "before";
  const std::string whole = R"({"training_run_id": "a", "status": "failed"})";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_NE(ParseRunRecord(whole.substr(0, n), &record), DocumentParse::kOk);
    EXPECT_EQ(record.id, "before");
  }
}

TEST(RunUpdateParser, ProgressStandsAtTheTop) {
  RunRecord r;
  ASSERT_EQ(
      ParseRunUpdate(
          R"({"updated_at": 1779000700, "framework_status": "training", )"
          R"("framework_progress": {"phase": "training", "current": 14}})",
          &r),
      DocumentParse::kOk);
  EXPECT_EQ(r.updated_at, 1779000700);
  EXPECT_EQ(r.progress.current, 14);
  ASSERT_EQ(
      ParseRunUpdate(
          R"({"latest_rollout": {"rollout_id": 13}, "updated_at": 5})", &r),
      DocumentParse::kOk);
  EXPECT_EQ(r.latest_rollout->id, 13);
}

TEST(RolloutSummaryParser, ItemsAndOneItemAlone) {
  std::vector<NamedRollout> all;
  ASSERT_EQ(
      ParseRolloutSummary(
          R"({"items": [{"training_run_id": "a", "rollout_id": 0, "created_at": )"
          R"(1779000100, "total": 8, "mean": 0.25, "reward_stats": {"mean": 9, )"
          R"("count": 8}, "rollout_time": 62.4, "tag_stats": {"math": {"mean": )"
          R"(7}}}, {"mean": 1}, {"rollout_id": 1, "mean": NaN}]})",
          &all),
      DocumentParse::kOk);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].first, "a");
  EXPECT_EQ(all[0].second.mean_reward, 0.25);
  EXPECT_EQ(all[0].second.samples, 8);
  EXPECT_EQ(all[0].second.seconds, 62.4);
  EXPECT_TRUE(all[1].first.empty());
  EXPECT_EQ(all[1].second.id, 1);
  ASSERT_EQ(ParseRolloutSummary(R"({"rollout_id": 7, "mean": 0.5})", &all),
            DocumentParse::kOk);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].second.id, 7);
}

TEST(RecordedTimingParser, BothNamesOfADuration) {
  RecordedTiming t;
  ASSERT_EQ(
      ParseRecordedTiming(
          R"({"rollout_id": 3, "role": "actor", "final": true, "phases": )"
          R"({"optimizer_step": {"count": 2, "busy_duration_s": 4.5, )"
          R"("invocations": [[0, 2], [3, 5.5]]}, "weight_sync": )"
          R"({"total_duration_s": 1.5}, "odd": {"busy_duration_s": -1}}})",
          &t),
      DocumentParse::kOk);
  EXPECT_TRUE(t.final);
  EXPECT_EQ(t.phase_seconds,
            (std::map<std::string, double>{{"optimizer_step", 4.5},
                                           {"weight_sync", 1.5}}));
}

TEST(MetricChunkParser, ValuesWithTheirAxisAndTheTimeOfTheirWriting) {
  MetricChunk c;
  ASSERT_EQ(
      ParseMetricChunk(
          R"({"steps": {"12": {"train/loss": 0.012, "rollout/raw_reward": 0.5}, )"
          R"("x": {"a": 1}}, "written": {"12": {"train/loss": 1779000600.5, )"
          R"("gone": 3}}, "times": {"12": 1}, "metric_times": {}, "step_keys": )"
          R"({"12": {"train/loss": "train/step", "rollout/raw_reward": )"
          R"("rollout/step"}}})",
          &c),
      DocumentParse::kOk);
  ASSERT_EQ(c.steps.size(), 1U);
  const auto& values = c.steps.at(12);
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(values.at("train/loss").value, 0.012);
  EXPECT_EQ(values.at("train/loss").written, 1779000600.5);
  EXPECT_EQ(values.at("train/loss").axis, "train/step");
  EXPECT_EQ(values.at("rollout/raw_reward").axis, "rollout/step");
}

TEST(RecordedStepsParser, StepsOfSupervisedTraining) {
  MetricChunk c;
  ASSERT_EQ(
      ParseRecordedSteps(
          R"({"items": [{"training_run_id": "a", "step": 3, "loss": 0.5, )"
          R"("grad_norm": NaN, "created_at": 1779000600.25}, {"loss": 1}]})",
          &c),
      DocumentParse::kOk);
  ASSERT_EQ(c.steps.size(), 1U);
  EXPECT_EQ(c.steps.at(3).at("loss").value, 0.5);
  EXPECT_EQ(c.steps.at(3).at("loss").written, 1779000600.25);
  EXPECT_TRUE(std::isnan(c.steps.at(3).at("grad_norm").value));
}

}  // namespace
}  // namespace rlrun
