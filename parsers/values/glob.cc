#include "parsers/values/glob.h"

#include <cstddef>

namespace rlrun {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// The set at pattern[i] == '[': whether `c` is in it, and *end behind its `]`.
// *end is kNone where there is no `]`.
bool SetMatches(std::string_view pattern, std::size_t i, char c,
                std::size_t* end) {
  ++i;
  const bool negated = i < pattern.size() && pattern[i] == '!';
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) {
      *end = i + 1;
      return found != negated;
    }
    const auto low = static_cast<unsigned char>(pattern[i]);
    auto high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' &&
        pattern[i + 2] != ']') {
      high = static_cast<unsigned char>(pattern[i + 2]);
      i += 2;
    }
    const auto byte = static_cast<unsigned char>(c);
    found = found || (low <= byte && byte <= high);
    ++i;
  }
  *end = kNone;
  return false;
}

// Whether the element at pattern[i], which is no `*`, matches `c`; *end is
// where the next one begins.
bool OneMatches(std::string_view pattern, std::size_t i, char c,
                std::size_t* end) {
  *end = i + 1;
  if (pattern[i] == '?') return true;
  if (pattern[i] == '[') {
    std::size_t behind = kNone;
    const bool matches = SetMatches(pattern, i, c, &behind);
    if (behind != kNone) {
      *end = behind;
      return matches;
    }
  }
  if (pattern[i] == '\\' && i + 1 < pattern.size()) *end = ++i + 1;
  return pattern[i] == c;
}

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = kNone;  // behind the last `*`
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    std::size_t end = 0;
    if (p < pattern.size() && OneMatches(pattern, p, text[t], &end)) {
      p = end;
      ++t;
      continue;
    }
    if (star == kNone) return false;
    // The last `*` takes one byte more.
    p = star;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace rlrun
