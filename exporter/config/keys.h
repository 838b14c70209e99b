// Which keys a configuration file may hold.
// Safe to call from any thread.
#pragma once

#include <string>
#include <vector>

namespace rlrun {

// Dotted, lists left out: `roots.path`, `keys.templates.pattern`. What stands
// under a `labels` is the user's and not listed.
std::vector<std::string> KnownConfigKeys();

}  // namespace rlrun
