// Which of the two formats a client gets, and how the answer names it.
// All functions are pure; safe to call from any thread.
#pragma once

#include <string_view>

#include "exporter/exposition/family.h"

namespace rlrun {

// Value of Content-Type, with version and charset.
std::string_view ContentType(TextFormat format);

// The best of the two formats for an Accept header: q-values respected, the
// most specific range that fits a format speaks for it. Equal: OpenMetrics
// only where it is asked for by name. An empty or unintelligible header, or one
// that wants neither, means text 0.0.4.
TextFormat NegotiateFormat(std::string_view accept);

}  // namespace rlrun
