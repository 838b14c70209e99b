// Whether a client takes gzip. Nothing but gzip is ever offered.
// Pure; safe to call from any thread.
//
// A header: `Accept-Encoding: br;q=1.0, gzip;q=0.8, *;q=0.1`
// Accepts:  `gzip`, `x-gzip` and `*`, in any case, with a q-value above 0. A
//           named coding wins over `*`.
// Ignores:  other codings and unknown parameters.
// Rejects:  a q-value that is no number from 0 to 1: as if it were 0.
#pragma once

#include <string_view>

namespace rlrun {

// `header` is the value of Accept-Encoding; empty: the client takes no coding.
bool AcceptsGzip(std::string_view header);

}  // namespace rlrun
