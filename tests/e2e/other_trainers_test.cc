// What is told of runs of slime and TRL: under their own keys, and, where a run
// has a record, from log and record together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/e2e/story.h"

namespace rlrun::e2e {
namespace {

using ::testing::HasSubstr;

class OtherTrainers : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(story_.error(), ""); }

  const Story& story_ = Story::Get();
};

// A run of slime with log and record: which step, which phase, alive or stuck,
// on what.
TEST_F(OtherTrainers, ARunThatGetsStuckIsToldByStatusMetricsAndAlert) {
  const auto value = [&](const char* family, const std::string& label) {
    return daemon::SampleValue(story_.metrics, family,
                               "run=\"gets_stuck\",project=\"lab\"" + label);
  };
  EXPECT_EQ(value("rlrun_last_step", ",line=\"train\""), 40);
  EXPECT_EQ(value("rlrun_total_steps", ""), 100);
  EXPECT_EQ(value("rlrun_phase", ",phase=\"generate_rollouts\""), 1);
  EXPECT_EQ(value("rlrun_phase", ",phase=\"optimizer_step\""), 0);
  EXPECT_EQ(value("rlrun_state", ",state=\"running\""), 1);
  EXPECT_EQ(value("rlrun_source_up", ",source=\"record\""), 1);
  EXPECT_EQ(value("rlrun_source_up", ",source=\"log\""), 1);
  EXPECT_EQ(value("rlrun_signature_active", ",signature=\"possibly_stuck\""),
            1);
  EXPECT_EQ(
      value("rlrun_signature_since_step", ",signature=\"possibly_stuck\""), 40);
  EXPECT_GT(value("rlrun_signature_evidence",
                  ",signature=\"possibly_stuck\",key=\"log_silence_seconds\""),
            15);

  EXPECT_EQ(story_.stuck.status, 1) << story_.stuck.err;
  const std::string& text = story_.stuck.out;
  SCOPED_TRACE(text);
  EXPECT_THAT(text, HasSubstr("step 40/100 · phase generate_rollouts for "));
  EXPECT_THAT(text, HasSubstr("· record updated "));
  EXPECT_THAT(text, HasSubstr("\n- possibly_stuck (warning"));
  EXPECT_THAT(text, HasSubstr("phase generate_rollouts"));
  EXPECT_THAT(text, HasSubstr("Decision: WAIT"));

  const Told* told =
      story_.Find("gets_stuck", {"RLRunPossiblyStuck", "warning"}, true);
  ASSERT_NE(told, nullptr);
  const std::string& description = told->alert.annotation("description");
  EXPECT_THAT(description, HasSubstr("log_silence_seconds = "));
  EXPECT_THAT(description, HasSubstr("record_silence_seconds = "));
}

TEST_F(OtherTrainers, ACheckNamesTheKeyThatItsTrainerPrints) {
  const std::pair<const char*, const char*> runs[] = {
      {"check-response_clip_ratio", "\nresponse_length/clip_ratio: 0."},
      {"slime-check-response_clip_ratio", "\nrollout/truncated_ratio: 0."},
      {"trl-check-response_clip_ratio", "\ncompletions/clipped_ratio: 0."}};
  for (const auto& [run, line] : runs) {
    const Told* told =
        story_.Find(run, {"RLRunCheckResponseClipRatio", "info"}, true);
    ASSERT_NE(told, nullptr) << run;
    EXPECT_THAT(told->alert.annotation("description"), HasSubstr(line));
  }
}

}  // namespace
}  // namespace rlrun::e2e
