#include "parsers/lines/front.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(FrontTest, TextThatIsShorterEqualOrLonger) {
  EXPECT_FALSE(HasFront("", "ab"));
  EXPECT_FALSE(HasFront("a", "ab"));
  EXPECT_TRUE(HasFront("ab", "ab"));
  EXPECT_TRUE(HasFront("abc", "ab"));
  EXPECT_FALSE(HasFront("ac", "ab"));
  EXPECT_TRUE(HasFront("", ""));
  EXPECT_FALSE(HasFront({}, "a"));
}

}  // namespace
}  // namespace rlrun
