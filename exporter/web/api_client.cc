#include "exporter/web/api_client.h"

#include <httplib.h>
#include <netdb.h>

#include <algorithm>
#include <memory>

namespace rlrun {
namespace {

using Clock = std::chrono::steady_clock;

struct UrlParts {
  std::string origin;  // `https://host:10190`
  std::string host;    // without port and brackets
  std::string prefix;  // without its last slash
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
  if (address.find('@') != address.npos) return "holds a user";
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
                       const ApiLimits& limits, bool late, bool large) {
  if (large) return "the answer is too large";
  if (late) return "no answer within " + Seconds(limits.whole);
  switch (error) {
    case httplib::Error::Connection:
      return Resolves(parts.host)
                 ? "connection refused, or the host cannot be reached"
                 : "the name " + parts.host + " is not known";
    case httplib::Error::ConnectionTimeout:
      return "no connection within " + Seconds(limits.connect);
    case httplib::Error::SSLServerVerification:
      return "its certificate is not trusted, or is of another host; "
             "SSL_CERT_FILE names a file of authorities to trust";
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
      return "no TLS connection; does it speak plain http?";
    case httplib::Error::ExceedRedirectCount:
      return "it redirects in a circle";
    default:
      return "it has closed the connection without an HTTP answer";
  }
}

std::string WhatStatus(int status) {
  const std::string number = std::to_string(status);
  switch (status) {
    case 401:
    case 403:
      return number + ", it asks for credentials";
    case 404:
      return number +
             ", nothing there: is this an rlrun_exporter, and does the URL "
             "hold the path of its --web.external-url?";
    case 503:
      return number + ", no reports yet: its first pass is under way";
    default:
      return "status " + number;
  }
}

}  // namespace

std::string CheckApiUrl(const std::string& url) {
  UrlParts parts;
  const std::string wrong = Split(url, &parts);
  return wrong.empty() ? "" : "URL " + url + ": " + wrong;
}

std::string GetFromApi(const std::string& url, const std::string& path,
                       const ApiLimits& limits, std::string* body) {
  UrlParts parts;
  if (std::string wrong = CheckApiUrl(url); !wrong.empty()) return wrong;
  Split(url, &parts);
  httplib::Client client(parts.origin);
  if (!client.is_valid()) return url + ": not a URL that can be asked";
  client.set_connection_timeout(limits.connect);
  client.set_read_timeout(limits.whole);
  client.set_follow_location(true);
  const auto end = Clock::now() + limits.whole;
  bool large = false;
  body->clear();
  const httplib::Result result = client.Get(
      parts.prefix + path,
      {{"Accept", "application/json"}, {"User-Agent", "rlrun_exporter"}},
      [&](const char* bytes, std::size_t size) {
        large = body->size() + size > limits.bytes;
        if (!large) body->append(bytes, size);
        return !large && Clock::now() < end;
      });
  const bool late = Clock::now() >= end;
  if (!result) {
    return url + ": " + WhatFailed(result.error(), parts, limits, late, large);
  }
  if (result->status != 200) return url + ": " + WhatStatus(result->status);
  return "";
}

}  // namespace rlrun
