#include "exporter/web/accept_encoding.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

TEST(AcceptEncoding, NoHeaderMeansNoCoding) {
  EXPECT_FALSE(AcceptsGzip(""));
  EXPECT_FALSE(AcceptsGzip(" , ;"));
}

TEST(AcceptEncoding, GzipInAnyCaseAndPlace) {
  EXPECT_TRUE(AcceptsGzip("gzip"));
  EXPECT_TRUE(AcceptsGzip("br, GZip"));
  EXPECT_TRUE(AcceptsGzip("x-gzip;foo=1"));
  EXPECT_FALSE(AcceptsGzip("br, deflate"));
  EXPECT_FALSE(AcceptsGzip("gzipped"));
}

TEST(AcceptEncoding, ZeroQualityRefuses) {
  EXPECT_FALSE(AcceptsGzip("gzip;q=0"));
  EXPECT_FALSE(AcceptsGzip("gzip ; Q=0.000"));
  EXPECT_TRUE(AcceptsGzip("gzip;q=0.001"));
}

TEST(AcceptEncoding, NamedCodingWinsOverStar) {
  EXPECT_TRUE(AcceptsGzip("*"));
  EXPECT_TRUE(AcceptsGzip("*;q=0, gzip"));
  EXPECT_FALSE(AcceptsGzip("gzip;q=0, *"));
}

TEST(AcceptEncoding, UnreadableQualityRefuses) {
  EXPECT_FALSE(AcceptsGzip("gzip;q="));
  EXPECT_FALSE(AcceptsGzip("gzip;q=high"));
  EXPECT_FALSE(AcceptsGzip("gzip;q=-1"));
  EXPECT_FALSE(AcceptsGzip("gzip;q=nan"));
  EXPECT_FALSE(AcceptsGzip("gzip;q=2"));
}

}  // namespace
}  // namespace rlrun
