// What a value must be beyond its type: names, patterns, label names, and the
// nearest known name for a misspelled one.
// Pure; safe to call from any thread. Each check returns an empty string or
// what is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rlrun {

// A label that a root adds to its runs' series.
std::string CheckRootLabel(std::string_view name, std::string_view value);

// RE2 with the group `run` and, if wanted, `project`.
std::string CheckRunName(const std::string& pattern);

std::string CheckRootPath(std::string_view path);

// The one of `known` that `name` most likely meant; empty: none is near.
std::string_view NearestName(std::string_view name,
                             const std::vector<std::string_view>& known);

}  // namespace rlrun
