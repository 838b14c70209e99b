// Comparing the front of a text with a literal. Millions of lines are decided
// by their first bytes, and a comparison whose length the compiler knows costs
// a few instructions where std::string_view::starts_with calls memcmp.
// Pure; safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace rlrun {

// Whether `text` begins with the literal, its closing NUL left out.
template <std::size_t kSize>
inline bool HasFront(std::string_view text, const char (&front)[kSize]) {
  return text.size() >= kSize - 1 &&
         std::memcmp(text.data(), front, kSize - 1) == 0;
}

}  // namespace rlrun
