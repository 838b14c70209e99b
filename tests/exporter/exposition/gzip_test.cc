#include "exporter/exposition/gzip.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <string>

namespace rlrun {
namespace {

std::string Gunzip(const std::string& packed) {
  std::string out(1 << 20, '\0');
  std::size_t size = 0;
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  EXPECT_EQ(
      libdeflate_gzip_decompress(decompressor, packed.data(), packed.size(),
                                 out.data(), out.size(), &size),
      LIBDEFLATE_SUCCESS);
  libdeflate_free_decompressor(decompressor);
  out.resize(size);
  return out;
}

TEST(Gzip, ReadsBack) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "a{run=\"r\"} " + std::to_string(i) + "\n";
  }
  const std::string packed = Gzip(text);
  EXPECT_LT(packed.size(), text.size() / 2);
  EXPECT_EQ(Gunzip(packed), text);
}

TEST(Gzip, EmptyTextIsAValidFile) { EXPECT_EQ(Gunzip(Gzip("")), ""); }

}  // namespace
}  // namespace rlrun
