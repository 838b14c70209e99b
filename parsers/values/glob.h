// Globs over text that is no path: step keys, names of runs, tasks.
// Pure; safe to call from any thread.
#pragma once

#include <string_view>

namespace rlrun {

// Whether the whole text matches. `*`: any bytes, slashes included; `?`: one
// byte; `[a-z]`, `[!a-z]`: one byte of, or not of, a set; `\c`: c itself. A `[`
// that is never closed stands for itself. Takes at most
// size(pattern) * size(text) steps.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace rlrun
