#include "exporter/tail/document.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/support/in_memory_file_source.h"

namespace rlrun {
namespace {

class DocumentTest : public testing::Test {
 protected:
  DocumentOutcome Poll() {
    text_.clear();
    return document_.Poll(files_, wall_, &text_);
  }

  InMemoryFileSource files_;
  Document document_{"/run/state.json", 100};
  std::string text_;
  double wall_ = 1750000100;  // long behind every write
};

TEST_F(DocumentTest, IsReadOnceUntilItChanges) {
  files_.Write("/run/state.json", "{\"step\": 1}");
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  EXPECT_EQ(text_, "{\"step\": 1}");
  files_.ResetCounts();
  EXPECT_EQ(Poll(), DocumentOutcome::kUnchanged);
  EXPECT_EQ(files_.counts().all(), 1U);
  files_.Replace("/run/state.json", "{\"step\": 2}");
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  EXPECT_EQ(text_, "{\"step\": 2}");
}

TEST_F(DocumentTest, AbsenceBetweenRemovalAndUploadIsNoChange) {
  EXPECT_EQ(Poll(), DocumentOutcome::kGone);
  EXPECT_FALSE(document_.known());
  files_.Write("/run/state.json", "{}");
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  files_.Remove("/run/state.json");
  EXPECT_EQ(Poll(), DocumentOutcome::kGone);
  EXPECT_TRUE(document_.known());
  files_.Write("/run/state.json", "{}");
  EXPECT_EQ(Poll(), DocumentOutcome::kUnchanged);  // the same text again
}

TEST_F(DocumentTest, VanishingBetweenStatAndOpenIsAbsence) {
  files_.Write("/run/state.json", "{}");
  files_.Before(InMemoryFileSource::Call::kOpen, "/run/state.json",
                [&] { files_.Remove("/run/state.json"); });
  EXPECT_EQ(Poll(), DocumentOutcome::kGone);
}

TEST_F(DocumentTest, HalfWrittenTextIsReadAgainThoughItsStatIsTheSame) {
  files_.Write("/run/state.json", "{\"a\"");
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  document_.Retry();
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  EXPECT_EQ(Poll(), DocumentOutcome::kUnchanged);
}

TEST_F(DocumentTest, SecondWriteWithinOneTickOfTheClockIsSeen) {
  files_.Write("/run/state.json", "{\"a\": 1}");
  const std::int64_t time = files_.StatOf("/run/state.json").mtime_ns;
  wall_ = static_cast<double>(time) * 1e-9 + 0.5;
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  files_.Write("/run/state.json", "{\"a\": 2}");
  files_.SetMtime("/run/state.json", time);
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  EXPECT_EQ(text_, "{\"a\": 2}");
  wall_ += 10;
  EXPECT_EQ(Poll(), DocumentOutcome::kUnchanged);
  files_.ResetCounts();
  EXPECT_EQ(Poll(), DocumentOutcome::kUnchanged);
  EXPECT_EQ(files_.counts().open, 0U);
}

TEST_F(DocumentTest, LargerThanItsLimitIsNotRead) {
  files_.Write("/run/state.json", std::string(101, ' '));
  files_.ResetCounts();
  EXPECT_EQ(Poll(), DocumentOutcome::kTooLarge);
  EXPECT_EQ(files_.counts().bytes_read, 0U);
  files_.Write("/run/state.json", std::string(100, ' '));
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
}

TEST_F(DocumentTest, ForbiddenIsNotAbsent) {
  files_.Write("/run/state.json", "{}");
  files_.Fail(InMemoryFileSource::Call::kOpen, "/run/state.json", EACCES, 1);
  EXPECT_EQ(Poll(), DocumentOutcome::kUnreadable);
  EXPECT_EQ(document_.status().code, IoCode::kDenied);
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
}

TEST_F(DocumentTest, ShrinkingBetweenStatAndReadGivesWhatIsThere) {
  files_.Write("/run/state.json", "{\"a\": 1234}");
  files_.Before(InMemoryFileSource::Call::kRead, "/run/state.json",
                [&] { files_.Write("/run/state.json", "{}"); });
  EXPECT_EQ(Poll(), DocumentOutcome::kText);
  EXPECT_EQ(text_, "{}");
}

}  // namespace
}  // namespace rlrun
