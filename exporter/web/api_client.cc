#include "exporter/web/api_client.h"

#include <httplib.h>
#include <netdb.h>

#include <algorithm>
#include <memory>

#include "exporter/web/tls.h"

namespace rlrun {
namespace {

using Clock = std::chrono::steady_clock;

struct UrlParts {
  std::string origin;  // `https://host:10190`
  std::string host;    // without port and brackets
  std::string prefix;  // without its last slash
  bool is_tls() const { return origin.starts_with("https:"); }
};

// Empty: `url` is one.
std::string Split(const std::string& url, UrlParts* parts) {
  std::string rest = url;
  std::string scheme = "http";
  if (const std::size_t at = rest.find("://"); at != rest.npos) {
    scheme = rest.substr(0, at);
    rest.erase(0, at + 3);
  }
  const auto odd = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  if (scheme != "http" && scheme != "https") return "neither http nor https";
  if (std::any_of(rest.begin(), rest.end(), odd)) return "has a blank in it";
  if (rest.find_first_of("?#") != rest.npos) return "has a query";
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string address = rest.substr(0, slash);
  if (address.find('@') != address.npos) {
    return "holds a user; credentials belong into the file of "
           "--http.config.file";
  }
  parts->prefix = rest.substr(slash);
  while (parts->prefix.ends_with('/')) parts->prefix.pop_back();
  const std::size_t colon = address.rfind(':');
  const bool has_port =
      colon != address.npos && address.find(']', colon) == address.npos;
  parts->host = address.substr(0, has_port ? colon : address.npos);
  if (has_port) {
    const std::string port = address.substr(colon + 1);
    if (port.empty() || port.size() > 5 ||
        port.find_first_not_of("0123456789") != port.npos ||
        std::stoi(port) > 65535) {
      return "has no port number behind its colon";
    }
  }
  if (parts->host.starts_with('[') && parts->host.ends_with(']')) {
    parts->host = parts->host.substr(1, parts->host.size() - 2);
  }
  if (parts->host.empty()) return "names no host";
  parts->origin = scheme + "://" + address;
  return "";
}

bool Resolves(const std::string& host) {
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  ::freeaddrinfo(found);
  return true;
}

std::string Seconds(std::chrono::milliseconds time) {
  const auto seconds = (time.count() + 999) / 1000;
  return std::to_string(seconds) + " s";
}

std::string WhatFailed(httplib::Error error, const UrlParts& parts,
                       const ApiAccess& access, const ApiLimits& limits) {
  switch (error) {
    case httplib::Error::Connection:
      return Resolves(parts.host)
                 ? "connection refused, or the host cannot be reached"
                 : "the name " + parts.host + " is not known";
    case httplib::Error::ConnectionTimeout:
      return "no connection within " + Seconds(limits.connect);
    case httplib::Error::SSLServerVerification:
      return access.ca_file.empty()
                 ? "its certificate is not trusted, is of another host, or has "
                   "expired; --http.config.file (tls_config: ca_file) or "
                   "SSL_CERT_FILE name a file of authorities to trust"
                 : "its certificate is not of an authority in " +
                       access.ca_file + ", is of another host, or has expired";
    case httplib::Error::SSLConnection:
      return "no TLS connection; does it speak plain http?";
    case httplib::Error::SSLLoadingCerts:
      return access.ca_file + ": no certificate in PEM";
    case httplib::Error::ExceedRedirectCount:
      return "it redirects in a circle";
    default:
      return std::string(
                 "it has closed the connection without an HTTP answer") +
             (!parts.is_tls() ? "; does it speak https?"
              : access.cert.empty()
                  ? "; does it ask for a client certificate? "
                    "--http.config.file (tls_config: cert_file, key_file) "
                    "names one"
                  : "; it may not take the client's certificate");
  }
}

std::string WhatStatus(const httplib::Response& response,
                       const ApiAccess& access) {
  const int status = response.status;
  const std::string number = std::to_string(status);
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return number + ", it sends on to " +
             response.get_header_value("Location") +
             "; credentials are for the URL that is given alone: give that one";
    case 401:
    case 403:
      return number + (access.authorization.empty()
                           ? ", it asks for credentials; --http.config.file "
                             "names a file with them (basic_auth)"
                           : ", it does not take these credentials");
    case 404:
      return number +
             ", nothing there: is this an rlrun_exporter, and does the URL "
             "hold the path of its --web.external-url?";
    case 429:
      return number + ", it is asked too often (its rate_limit)";
    case 503:
      return number + ", no reports yet: its first pass is under way";
    default:
      return "status " + number;
  }
}

TlsOptions PairOf(const ApiAccess& access) {
  TlsOptions pair;
  pair.cert = access.cert;
  pair.key = access.key;
  pair.cert_name = access.cert_name;
  pair.key_name = access.key_name;
  return pair;
}

// Empty, or what is wrong.
std::string Prepare(const ApiAccess& access, httplib::Client* client) {
  SSL_CTX* const context = client->ssl_context();
  if (context == nullptr) return "";  // plain
  ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  client->enable_server_certificate_verification(!access.skip_verify);
  if (!access.ca_file.empty()) {
    client->set_ca_cert_path(access.ca_file);
  }
  return access.cert.empty() ? "" : UsePair(context, PairOf(access));
}

}  // namespace

std::string CheckApiUrl(const std::string& url) {
  UrlParts parts;
  const std::string wrong = Split(url, &parts);
  if (wrong.empty()) return "";
  // Without what may be a password.
  const std::size_t at = url.rfind('@');
  return "URL " + (at == url.npos ? url : "..." + url.substr(at)) + ": " +
         wrong;
}

std::string CheckApiAccess(const ApiAccess& access) {
  if (access.cert.empty() && access.key.empty()) return "";
  const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context(
      ::SSL_CTX_new(::TLS_client_method()), &::SSL_CTX_free);
  return context == nullptr ? "no TLS" : UsePair(context.get(), PairOf(access));
}

std::string GetFromApi(const std::string& url, const std::string& path,
                       const ApiAccess& access, const ApiLimits& limits,
                       std::string* body) {
  UrlParts parts;
  if (std::string wrong = CheckApiUrl(url); !wrong.empty()) return wrong;
  Split(url, &parts);
  httplib::Client client(parts.origin);
  if (!client.is_valid()) return url + ": not a URL that can be asked";
  if (std::string wrong = Prepare(access, &client); !wrong.empty()) {
    return wrong;
  }
  client.set_connection_timeout(limits.connect);
  client.set_read_timeout(limits.whole);
  client.set_follow_location(access.authorization.empty());
  httplib::Headers headers = {{"Accept", "application/json"},
                              {"User-Agent", "rlrun_exporter"}};
  if (!access.authorization.empty()) {
    headers.emplace("Authorization", access.authorization);
  }
  const auto end = Clock::now() + limits.whole;
  bool large = false;
  body->clear();
  const httplib::Result result = client.Get(
      parts.prefix + path, headers, [&](const char* bytes, std::size_t size) {
        large = body->size() + size > limits.bytes;
        if (!large) body->append(bytes, size);
        return !large && Clock::now() < end;
      });
  if (!result) {
    if (large) return url + ": the answer is too large";
    if (Clock::now() >= end) {
      return url + ": no answer within " + Seconds(limits.whole);
    }
    return url + ": " + WhatFailed(result.error(), parts, access, limits);
  }
  if (result->status == 200) return "";
  return url + ": " + WhatStatus(result.value(), access);
}

}  // namespace rlrun
