// The least HTTP client that a test needs: one GET to a loopback address, no
// redirects, no chunks. Safe to call from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlrun::daemon {

struct HttpAnswer {
  int status = 0;  // 0: no connection, or no HTTP answer within 20 s
  std::string body;
};

// `url` is `http://127.0.0.1:PORT/path`.
HttpAnswer HttpGet(const std::string& url);

std::string PercentEncode(std::string_view text);

// The value of the first sample of `family` in a text exposition whose line
// holds `part` (a label pair, say); empty: there is none.
std::optional<double> SampleValue(std::string_view exposition,
                                  std::string_view family,
                                  std::string_view part = "");

}  // namespace rlrun::daemon
