// Where the exporter may keep what it remembers of finished trials: never
// inside of what it reads.
// Pure but for CheckCacheDir, which follows symbolic links.
#pragma once

#include <string>

#include "exporter/config/config.h"

namespace rlrun {

// Empty: there is no cache, or it lies outside of every root. Else one line
// that says what is wrong.
std::string CheckCacheDir(const Config& config);

// `path` without `.`, `..`, doubled slashes and, as far as it is there,
// symbolic links; absolute.
std::string ResolvedPath(const std::string& path);

}  // namespace rlrun
