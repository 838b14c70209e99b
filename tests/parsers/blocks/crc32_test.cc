#include "parsers/blocks/crc32.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/metric_files.h"

namespace rlrun {
namespace {

TEST(Crc32Test, KnownAnswers) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32cByTable("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32(""), 0u);
  EXPECT_EQ(Crc32c(""), 0u);
  // RFC 3720, B.4: 32 bytes of zeros, of ones.
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Crc32Test, EveryLengthAndAddressIsAsBitByBit) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(i * 37 + 11);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; begin + size <= text.size(); ++size) {
      const std::string_view bytes = std::string_view(text).substr(begin, size);
      const std::uint32_t castagnoli = SlowCrc(0x82F63B78u, bytes);
      ASSERT_EQ(Crc32(bytes), SlowCrc(0xEDB88320u, bytes)) << size;
      ASSERT_EQ(Crc32c(bytes), castagnoli) << size;
      ASSERT_EQ(Crc32cByTable(bytes), castagnoli) << size;
    }
  }
}

}  // namespace
}  // namespace rlrun
