#include "exporter/exposition/collected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "tests/exporter/exposition/exposition_checker.h"

namespace rlrun {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TextFormat kText = TextFormat::kText004;
constexpr TextFormat kOpen = TextFormat::kOpenMetrics100;

ClientMetric Metric(std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = metric.gauge.value = metric.untyped.value = value;
  return metric;
}

std::string Text(const MetricFamily& family, TextFormat format,
                 std::size_t left_out = 0) {
  std::string out;
  EXPECT_EQ(AppendFamily(&out, family, format), left_out);
  return out;
}

TEST(AppendFamily, CounterInBothFormats) {
  const MetricFamily family{
      "a_total", "Help.", MetricType::Counter, {Metric({{"l", "v"}}, 3)}};
  EXPECT_EQ(Text(family, kText),
            "# HELP a_total Help.\n# TYPE a_total counter\n"
            "a_total{l=\"v\"} 3\n");
  EXPECT_EQ(Text(family, kOpen),
            "# HELP a Help.\n# TYPE a counter\na_total{l=\"v\"} 3\n");
}

TEST(AppendFamily, UntypedIsUnknownInOpenMetrics) {
  const MetricFamily family{"a", "H", MetricType::Untyped, {Metric({}, 1)}};
  EXPECT_THAT(Text(family, kText), HasSubstr("# TYPE a untyped\n"));
  EXPECT_THAT(Text(family, kOpen), HasSubstr("# TYPE a unknown\n"));
}

TEST(AppendFamily, TimestampIsNeverWritten) {
  MetricFamily family{"a", "H", MetricType::Gauge, {Metric({}, 1)}};
  family.metric[0].timestamp_ms = 1234;
  EXPECT_THAT(Text(family, kText), HasSubstr("\na 1\n"));
}

TEST(AppendFamily, UnitComesFromTheName) {
  const MetricFamily family{
      "a_seconds", "H", MetricType::Gauge, {Metric({}, 1)}};
  EXPECT_THAT(Text(family, kOpen), HasSubstr("# UNIT a_seconds seconds\n"));
}

MetricFamily Histogram(bool with_infinity) {
  MetricFamily family{
      "h", "H", MetricType::Histogram, {Metric({{"l", "v"}}, 0)}};
  ClientMetric::Histogram& h = family.metric[0].histogram;
  h.sample_count = 4;
  h.sample_sum = 2.5;
  h.bucket = {{1, 0.05}, {3, 1}};
  if (with_infinity) h.bucket.push_back({4, HUGE_VAL});
  return family;
}

TEST(AppendFamily, HistogramBoundsAreCanonicalAndInfinityIsThereOnce) {
  for (const bool with_infinity : {false, true}) {
    for (const TextFormat format : {kText, kOpen}) {
      EXPECT_EQ(Text(Histogram(with_infinity), format),
                "# HELP h H\n# TYPE h histogram\n"
                "h_bucket{l=\"v\",le=\"0.05\"} 1\n"
                "h_bucket{l=\"v\",le=\"1.0\"} 3\n"
                "h_bucket{l=\"v\",le=\"+Inf\"} 4\n"
                "h_sum{l=\"v\"} 2.5\nh_count{l=\"v\"} 4\n");
    }
  }
}

TEST(AppendFamily, EmptyFamilyWritesNothing) {
  EXPECT_THAT(Text({"a", "H", MetricType::Gauge, {}}, kText), IsEmpty());
}

TEST(AppendFamily, BadFamilyNameIsLeftOutAndCounted) {
  const MetricFamily family{
      "a b\n", "H", MetricType::Gauge, {Metric({}, 1), Metric({}, 2)}};
  EXPECT_THAT(Text(family, kText, 2), IsEmpty());
}

TEST(AppendFamily, SummaryIsLeftOutAndCounted) {
  EXPECT_THAT(Text({"a", "H", MetricType::Summary, {Metric({}, 1)}}, kText, 1),
              IsEmpty());
}

TEST(AppendFamily, BadLabelsLeaveOutTheirMetricOnly) {
  const MetricFamily family{
      "a",
      "H",
      MetricType::Gauge,
      {Metric({{"bad-name", "v"}}, 1), Metric({{"x", "1"}, {"x", "2"}}, 2),
       Metric({{"__name__", "z"}}, 3), Metric({{"ok", "v\xFF\n"}}, 4)}};
  const std::string text = Text(family, kText, 3);
  EXPECT_THAT(CheckExposition(text, false).errors, IsEmpty());
  EXPECT_THAT(text, HasSubstr("a{ok=\"v\xEF\xBF\xBD\\n\"} 4\n"));
}

TEST(AppendFamily, HistogramWithALabelLeIsLeftOut) {
  MetricFamily family = Histogram(true);
  family.metric[0].label = {{"le", "1"}};
  EXPECT_THAT(Text(family, kText, 1), IsEmpty());
}

}  // namespace
}  // namespace rlrun
