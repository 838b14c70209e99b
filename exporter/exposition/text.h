// The pieces of an exposition: numbers, names, label values, sample lines and
// family headers. Writes into a string that the caller owns; sends nothing.
// All functions are pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "exporter/exposition/family.h"

namespace rlrun {

// A text that reads back as the same double, as short as there is one; `NaN`,
// `+Inf`, `-Inf`. Whole numbers below 1e15 are written without an exponent.
void AppendDouble(std::string* out, double value);

// The canonical form of OpenMetrics for the label `le`: `1.0`, `0.005`,
// `1e+06`, `+Inf`. Used in both formats, so that a bucket is the same series
// whatever was negotiated.
void AppendCanonicalDouble(std::string* out, double value);

// Invalid UTF-8 (and surrogates, overlong forms) becomes U+FFFD, one per
// maximal invalid part, and so does NUL, where many a reader of the text would
// end. Other valid text is returned unchanged.
std::string RepairUtf8(std::string_view text);

// Bytes of the UTF-8 sequence that `text` begins with, 1..4. 0: it begins with
// none, or with NUL; *invalid is then the length of the maximal invalid part,
// 1..3.
// `text` is not empty.
std::size_t Utf8SequenceLength(std::string_view text, std::size_t* invalid);

// [a-zA-Z_:][a-zA-Z0-9_:]*
bool IsValidMetricName(std::string_view name);
// [a-zA-Z_][a-zA-Z0-9_]*, and not of Prometheus' own `__` names.
bool IsValidLabelName(std::string_view name);

// `a="b",c="d"`: values repaired and escaped, labels with an empty value left
// out. Names are taken as they are.
void AppendLabels(std::string* out, std::span<const Label> labels);

// `name{a="b",...} value\n`. `common` is text of AppendLabels (possibly empty)
// that comes before `labels`. No braces where there is no label.
void AppendSample(std::string* out, std::string_view name,
                  std::string_view common, std::span<const Label> labels,
                  double value);
inline void AppendSample(std::string* out, std::string_view name,
                         std::span<const Label> labels, double value) {
  AppendSample(out, name, {}, labels, value);
}

// The same for labels that are all text of AppendLabels already: the fast way.
void AppendRenderedSample(std::string* out, std::string_view name,
                          std::string_view common, std::string_view labels,
                          double value);

// TYPE, UNIT (OpenMetrics, where the name ends in the unit) and HELP lines.
// OpenMetrics names a counter without its `_total`; a counter that has none is
// of type `unknown` there, since its samples keep their name.
void AppendHeader(std::string* out, const FamilyHeader& family,
                  TextFormat format);

// The same for a type that FamilyType does not know: `untyped` is written as
// `unknown` in OpenMetrics. `type`: `gauge`, `counter`, `histogram`, `untyped`.
void AppendHeader(std::string* out, std::string_view name,
                  std::string_view type, std::string_view help,
                  std::string_view unit, TextFormat format);

}  // namespace rlrun
