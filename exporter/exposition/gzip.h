// Compression of a whole answer. Pure; safe to call from any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlrun {

// gzip of `text`; empty on failure (send the text as it is then).
std::string Gzip(std::string_view text);

}  // namespace rlrun
