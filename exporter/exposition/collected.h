// Families as prometheus-cpp collects them (the exporter's own metrics),
// written by our rules instead of that library's serializer.
// Pure; safe to call from any thread.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <string>

#include "exporter/exposition/family.h"

namespace rlrun {

// Header and samples of one family; nothing for a family without a sample.
// Returns how many of its metrics were left out, because they could not be
// written validly: a bad family name or a type other than counter, gauge,
// histogram and untyped (all of them), bad, repeated or reserved label names.
// Timestamps are never written.
std::size_t AppendFamily(std::string* out,
                         const prometheus::MetricFamily& family,
                         TextFormat format);

}  // namespace rlrun
