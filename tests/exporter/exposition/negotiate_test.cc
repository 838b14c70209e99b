#include "exporter/exposition/negotiate.h"

#include <gtest/gtest.h>

namespace rlrun {
namespace {

constexpr TextFormat kText = TextFormat::kText004;
constexpr TextFormat kOpen = TextFormat::kOpenMetrics100;

TEST(NegotiateFormat, Prometheus2) {
  EXPECT_EQ(NegotiateFormat("application/openmetrics-text;version=1.0.0,"
                            "application/openmetrics-text;version=0.0.1;q=0.75,"
                            "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            kOpen);
}

TEST(NegotiateFormat, OldPrometheusThatKnowsAnotherOpenMetrics) {
  EXPECT_EQ(NegotiateFormat("application/openmetrics-text; version=0.0.1,"
                            "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            kText);
}

TEST(NegotiateFormat, Prometheus3) {
  EXPECT_EQ(NegotiateFormat(
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-"
                "8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
                "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
                "text/plain;version=0.0.4;q=0.2,*/*;q=0.1"),
            kOpen);
}

TEST(NegotiateFormat, Prometheus3SetToText) {
  EXPECT_EQ(NegotiateFormat("text/plain;version=0.0.4;q=0.5,"
                            "application/openmetrics-text;version=1.0.0;q=0.4,"
                            "*/*;q=0.1"),
            kText);
}

TEST(NegotiateFormat, ProtobufFirst) {
  EXPECT_EQ(NegotiateFormat(
                "application/vnd.google.protobuf;proto=io.prometheus.client."
                "MetricFamily;encoding=delimited,application/openmetrics-text;"
                "version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            kOpen);
}

TEST(NegotiateFormat, BrowsersAndCurlGetText) {
  EXPECT_EQ(NegotiateFormat("text/html,application/xhtml+xml,application/xml;"
                            "q=0.9,image/avif,image/webp,*/*;q=0.8"),
            kText);
  EXPECT_EQ(NegotiateFormat("*/*"), kText);
  EXPECT_EQ(NegotiateFormat(""), kText);
}

TEST(NegotiateFormat, NamedAloneIsEnough) {
  EXPECT_EQ(NegotiateFormat("application/openmetrics-text"), kOpen);
  EXPECT_EQ(NegotiateFormat("application/openmetrics-text, */*"), kOpen);
  EXPECT_EQ(NegotiateFormat("APPLICATION/OpenMetrics-Text; Version=\"1.0.0\" ;"
                            " Q=1.0"),
            kOpen);
}

TEST(NegotiateFormat, QualityDecides) {
  EXPECT_EQ(NegotiateFormat("application/openmetrics-text;q=0.3,text/plain"),
            kText);
  EXPECT_EQ(NegotiateFormat("application/openmetrics-text;q=0,*/*"), kText);
  EXPECT_EQ(NegotiateFormat("text/plain;q=0.2,application/*;q=0.3"), kOpen);
  EXPECT_EQ(NegotiateFormat("text/*,application/openmetrics-text;q=0.9"),
            kText);
  EXPECT_EQ(NegotiateFormat("text/plain;q=0,*/*;q=0.1"), kOpen)
      << "the more specific range speaks for text";
}

TEST(NegotiateFormat, NonsenseIsText) {
  for (const std::string_view accept :
       {"nonsense", ";;;,,,", "application/openmetrics-text;q=high",
        "application/openmetrics-text;q=2", "application/openmetrics-text;q=-1",
        "application/openmetrics-text;version=9", "q=1", "\"", "a\"b,c\\",
        "application/openmetrics-text;q=nan", "/*", "image/png"}) {
    EXPECT_EQ(NegotiateFormat(accept), kText) << accept;
  }
}

TEST(NegotiateFormat, CommaInsideQuotesDoesNotSplit) {
  EXPECT_EQ(
      NegotiateFormat("text/html;note=\",application/openmetrics-text,\""),
      kText);
}

TEST(ContentType, NamesVersionAndCharset) {
  EXPECT_EQ(ContentType(kText), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ContentType(kOpen),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

}  // namespace
}  // namespace rlrun
