// The file of `--web.config.file`, in the format of Prometheus'
// exporter-toolkit: TLS, users, headers, a rate limit. Keys of that format that
// cannot be honoured are errors, as unknown ones are.
// Safe to call from any thread.
#pragma once

#include <string>
#include <vector>

#include "exporter/web/options.h"

namespace rlrun {

// Reads the file and the certificates and keys that it names, relative to its
// own directory. Returns every error at once, each as `file:line: text`; empty:
// *options is filled. On errors *options is left as it was.
std::vector<std::string> LoadWebConfig(const std::string& path,
                                       AccessOptions* options);

// The same for text; `name` stands for the file in messages and says which
// directory is meant.
std::vector<std::string> ParseWebConfig(const std::string& text,
                                        const std::string& name,
                                        AccessOptions* options);

}  // namespace rlrun
