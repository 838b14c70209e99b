// The HTTP side. Filled from the command line.
#pragma once

#include <string>
#include <vector>

namespace rlrun {

struct WebOptions {
  // `:10190`, `127.0.0.1:0`, `[::1]:10190`; one listener each.
  std::vector<std::string> listen_addresses = {":10190"};
  std::string telemetry_path = "/metrics";
  // URL under which a browser reaches the exporter; empty: relative links.
  std::string external_url;
  // Serves POST /-/reload.
  bool enable_lifecycle = false;
};

}  // namespace rlrun
