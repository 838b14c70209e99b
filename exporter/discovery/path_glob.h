// Shell patterns over paths: `*` and `?` inside one segment, `[a-z]`, `[!..]`,
// and `**` as a whole segment for any number of directories; and the parts of a
// path. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

// True if the text holds `*`, `?` or `[`.
bool HasGlob(std::string_view path);

// True if `name` (one segment) matches `pattern` (one segment, not `**`).
// Bytes are compared; a leading dot needs a dot in the pattern.
bool MatchSegment(std::string_view pattern, std::string_view name);

// `a//b/` -> {"a", "b"}; a leading slash is not kept.
std::vector<std::string> SplitPath(std::string_view path);

// The directory that holds `path`: `/a/b` -> `/a`, `/a` -> `/`, `a` -> `.`.
std::string ParentOf(std::string_view path);

}  // namespace rlrun
