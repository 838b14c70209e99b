// The Prometheus text exposition, versions 0.0.4 and OpenMetrics 1.0: escaping,
// UTF-8 repair, numbers, family headers, and the assembly of samples that were
// rendered once and are sent many times. Knows nothing of runs.
// All functions are pure; safe to call from any thread.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

enum class TextFormat { kText004, kOpenMetrics100 };

// Value of Content-Type, with version and charset.
std::string_view ContentType(TextFormat format);

// The best of the two formats for an Accept header (q-values respected; an
// empty or unintelligible header means text 0.0.4).
TextFormat NegotiateFormat(std::string_view accept);

enum class FamilyType { kGauge, kCounter, kHistogram };

struct FamilyHeader {
  std::string name;  // with `_total` for counters
  FamilyType type = FamilyType::kGauge;
  std::string help;
  std::string unit;  // `seconds`, `bytes`; empty: none. Suffix of the name
};

struct Label {
  std::string_view name;
  std::string_view value;
};

// Shortest text that reads back as the same double; `NaN`, `+Inf`, `-Inf`.
void AppendDouble(std::string* out, double value);

// Invalid UTF-8 (and surrogates, overlong forms) becomes U+FFFD, one per
// maximal invalid part. Valid text is returned unchanged.
std::string RepairUtf8(std::string_view text);

// `name{a="b",...} value\n`. Values are repaired and escaped; a label with an
// empty value is not written.
void AppendSample(std::string* out, std::string_view name,
                  std::span<const Label> labels, double value);

// HELP, TYPE and (OpenMetrics) UNIT lines.
void AppendHeader(std::string* out, const FamilyHeader& family,
                  TextFormat format);

// A family as prometheus-cpp collects it (self-metrics), header and samples.
void AppendFamily(std::string* out, const prometheus::MetricFamily& family,
                  TextFormat format);

// Samples of many families, rendered once. Sample lines are the same in both
// formats, so a block serves both.
struct SampleBlock {
  struct Slice {
    std::shared_ptr<const FamilyHeader> family;
    std::uint32_t begin = 0;  // in text, bytes
    std::uint32_t size = 0;
  };
  std::string text;
  std::vector<Slice> slices;  // sorted by family name; one slice per family
  std::size_t samples = 0;
};

// Samples in any order of families in, a SampleBlock out.
class BlockBuilder {
 public:
  void Add(const std::shared_ptr<const FamilyHeader>& family,
           std::span<const Label> labels, double value);
  SampleBlock Build();  // leaves the builder empty

 private:
  struct Entry {
    std::shared_ptr<const FamilyHeader> family;
    std::uint32_t begin;
    std::uint32_t size;
  };
  std::string text_;
  std::vector<Entry> entries_;
};

// All blocks as one text: each family once, its header before the samples of
// all blocks in the order of `blocks`. Without `# EOF`.
void AppendBlocks(std::string* out,
                  std::span<const std::shared_ptr<const SampleBlock>> blocks,
                  TextFormat format);

// gzip of `text`; empty on failure (send the text as it is then).
std::string Gzip(std::string_view text);

}  // namespace rlrun
