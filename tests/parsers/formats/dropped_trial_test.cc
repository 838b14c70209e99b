#include "parsers/formats/dropped_trial.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(DroppedTrial, FieldsInAnyOrder) {
  DroppedTrial d;
  ASSERT_TRUE(ParseDroppedTrial(
      R"({"validate": true, "ts": 1.5, "reason": "empty", "x": {"reason": "y"}})",
      &d));
  EXPECT_EQ(d.reason, "empty");
  EXPECT_TRUE(d.validate);
  ASSERT_TRUE(ParseDroppedTrial(R"({"reason": "no_task_path"})", &d));
  EXPECT_FALSE(d.validate);
}

TEST(DroppedTrial, OtherLinesAreRefused) {
  DroppedTrial d;
  for (const char* line : {"", "{}", "[]", "{\"reason\": 3}", "{\"reason\": \"",
                           "{\"reason\": \"a\"} {", "reason"}) {
    EXPECT_FALSE(ParseDroppedTrial(line, &d)) << line;
  }
}

TEST(DroppedTrial, LongReasonIsCut) {
  DroppedTrial d;
  ASSERT_TRUE(
      ParseDroppedTrial("{\"reason\": \"" + std::string(500, 'r') + "\"}", &d));
  EXPECT_EQ(d.reason.size(), 60u);
}

}  // namespace
}  // namespace rlrun
