// Asks a running exporter over HTTP or HTTPS.
// Stateless; safe from any thread.
#pragma once

#include <chrono>
#include <string>

namespace rlrun {

struct ApiLimits {
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds whole{30000};  // from the request to the last byte
  std::size_t bytes = 256u << 20;          // of the answer
};

// `http://host:10190/prefix`, https, or `host:10190`. Empty, or one line that
// says what is wrong with it. Opens nothing.
std::string CheckApiUrl(const std::string& url);

// The body of GET `url` + `path` in *body. Empty, or one line that names the
// URL and says what is wrong: refused, no answer in time, a certificate that is
// not trusted, a status other than 200. Follows redirects.
std::string GetFromApi(const std::string& url, const std::string& path,
                       const ApiLimits& limits, std::string* body);

}  // namespace rlrun
