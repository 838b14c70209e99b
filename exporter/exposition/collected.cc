#include "exporter/exposition/collected.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

std::string_view TypeName(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Histogram:
      return "histogram";
    case MetricType::Untyped:
      return "untyped";
    case MetricType::Summary:
      break;
  }
  return {};
}

// prometheus-cpp knows no units: the two that we use, from the name.
std::string_view UnitOf(std::string_view name) {
  if (name.ends_with("_total")) name.remove_suffix(6);
  if (name.ends_with("_seconds")) return "seconds";
  if (name.ends_with("_bytes")) return "bytes";
  return {};
}

bool LabelsAreValid(const ClientMetric& metric, MetricType type) {
  for (auto label = metric.label.begin(); label != metric.label.end();
       ++label) {
    if (!IsValidLabelName(label->name)) return false;
    if (type == MetricType::Histogram && label->name == "le") return false;
    if (std::any_of(metric.label.begin(), label, [&](const auto& other) {
          return other.name == label->name;
        })) {
      return false;
    }
  }
  return true;
}

void AppendHistogram(std::string* out, const std::string& name,
                     std::string_view labels,
                     const ClientMetric::Histogram& histogram) {
  const std::string bucket_name = name + "_bucket";
  std::string bound;
  const auto bucket = [&](double upper_bound, std::uint64_t count) {
    bound.clear();
    AppendCanonicalDouble(&bound, upper_bound);
    const Label le{"le", bound};
    AppendSample(out, bucket_name, labels, {&le, 1},
                 static_cast<double>(count));
  };
  bool infinite = false;
  for (const ClientMetric::Bucket& b : histogram.bucket) {
    bucket(b.upper_bound, b.cumulative_count);
    infinite = infinite || (std::isinf(b.upper_bound) && b.upper_bound > 0);
  }
  const auto count = static_cast<double>(histogram.sample_count);
  if (!infinite) bucket(HUGE_VAL, histogram.sample_count);
  AppendSample(out, name + "_sum", labels, {}, histogram.sample_sum);
  AppendSample(out, name + "_count", labels, {}, count);
}

}  // namespace

std::size_t AppendFamily(std::string* out,
                         const prometheus::MetricFamily& family,
                         TextFormat format) {
  const std::string_view type = TypeName(family.type);
  if (type.empty() || !IsValidMetricName(family.name)) {
    return family.metric.size();
  }
  std::size_t left_out = 0;
  std::size_t written = 0;
  std::vector<Label> labels;
  std::string label_text;
  for (const ClientMetric& metric : family.metric) {
    if (!LabelsAreValid(metric, family.type)) {
      ++left_out;
      continue;
    }
    if (written++ == 0) {
      AppendHeader(out, family.name, type, family.help, UnitOf(family.name),
                   format);
    }
    labels.clear();
    for (const auto& label : metric.label) {
      labels.push_back({label.name, label.value});
    }
    label_text.clear();
    AppendLabels(&label_text, labels);
    if (family.type == MetricType::Histogram) {
      AppendHistogram(out, family.name, label_text, metric.histogram);
      continue;
    }
    const double value =
        family.type == MetricType::Counter ? metric.counter.value
        : family.type == MetricType::Gauge ? metric.gauge.value
                                           : metric.untyped.value;
    AppendSample(out, family.name, label_text, {}, value);
  }
  return left_out;
}

}  // namespace rlrun
