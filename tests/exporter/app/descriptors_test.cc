#include "exporter/app/descriptors.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(DescriptorsTest, PlentyGivesWhatIsWanted) {
  EXPECT_EQ(FilesPerRoot(1 << 20, 3, 256), 256u);
}

TEST(DescriptorsTest, FewAreSharedOut) {
  EXPECT_EQ(FilesPerRoot(64, 1, 256), 4u);
  EXPECT_EQ(FilesPerRoot(1024, 16, 256), 26u);
}

TEST(DescriptorsTest, MoreRootsThanDescriptorsHoldNone) {
  EXPECT_EQ(FilesPerRoot(64, 100, 256), 0u);
  EXPECT_EQ(FilesPerRoot(16, 4, 256), 0u);
}

TEST(DescriptorsTest, LimitIsRaisedToTheHardOne) {
  EXPECT_GT(RaiseDescriptorLimit(), 16u);
}

}  // namespace
}  // namespace rlrun
