// Globs over step keys.
// Pure; safe to call from any thread.
#pragma once

#include <string_view>

namespace rlrun {

// Whether the whole text matches. `*`: any bytes, slashes included; `?`: one
// byte; `[a-z]`, `[!a-z]`: one byte of, or not of, a set; `\c`: c itself. A `[`
// that is never closed stands for itself. Takes at most
// size(pattern) * size(text) steps.
bool KeyGlobMatches(std::string_view pattern, std::string_view text);

}  // namespace rlrun
