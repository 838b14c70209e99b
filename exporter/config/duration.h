// Durations as the configuration writes them.
// Pure; safe to call from any thread.
//
// A value:  `1h30m`
// Accepts:  whole or decimal numbers with the units ms, s, m, h, d, w, larger
//           units first, each at most once; a number alone is seconds.
// Ignores:  nothing.
// Rejects:  signs, blanks, exponents, unknown units, an empty text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlrun {

// Seconds, not negative and finite.
std::optional<double> ParseDuration(std::string_view text);

// In the largest unit that gives a whole number: 86400 -> `1d`, 0.05 -> `50ms`.
std::string DurationText(double seconds);

}  // namespace rlrun
