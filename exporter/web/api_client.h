// Asks a running exporter over HTTP or HTTPS, as whoever the caller says.
// Stateless; safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace rlrun {

struct ApiLimits {
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds whole{30000};  // from the request to the last byte
  std::size_t bytes = 256u << 20;          // of the answer
};

// Who asks, and whom to believe. Empty texts: nothing of the kind.
struct ApiAccess {
  std::string authorization;  // value of that header
  std::string ca_file;        // of authorities; empty: the system's
  // The client's certificate and key, texts in PEM, and how each is called in
  // messages.
  std::string cert, key;
  std::string cert_name, key_name;
  bool skip_verify = false;  // believes every certificate
};

// Empty, or what is wrong with certificate and key.
std::string CheckApiAccess(const ApiAccess& access);

// `http://host:10190/prefix`, https, or `host:10190`. Empty, or one line that
// says what is wrong with it. Opens nothing.
std::string CheckApiUrl(const std::string& url);

// The body of GET `url` + `path` in *body. Empty, or one line that names the
// URL and says what is wrong: refused, no answer in time, a certificate that is
// not trusted, a status other than 200. Follows redirects, unless it sends an
// authorization, which is for nobody else.
std::string GetFromApi(const std::string& url, const std::string& path,
                       const ApiAccess& access, const ApiLimits& limits,
                       std::string* body);

}  // namespace rlrun
