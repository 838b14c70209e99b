// The file of `--http.config.file`, in the format of Prometheus'
// http_config, as promtool and amtool take it: who a command says it is when it
// asks an exporter, and whom it trusts. Keys of that format that cannot be
// honoured are errors, as unknown ones are.
//
//   basic_auth: {username: alice, password_file: password}
//   tls_config: {ca_file: ca.crt}
//
// Safe to call from any thread.
#pragma once

#include <string>
#include <vector>

#include "exporter/web/api_client.h"

namespace rlrun {

// Reads the file and those that it names, relative to its own directory.
// Returns every error at once, each as `file:line: text`; empty: *access is
// filled. On errors *access is left as it was.
std::vector<std::string> LoadClientConfig(const std::string& path,
                                          ApiAccess* access);

// The same for text; `name` stands for the file in messages and says which
// directory is meant.
std::vector<std::string> ParseClientConfig(const std::string& text,
                                           const std::string& name,
                                           ApiAccess* access);

}  // namespace rlrun
