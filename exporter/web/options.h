// The HTTP side: WebOptions are filled from the command line, AccessOptions
// from `--web.config.file`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rlrun {

struct WebOptions {
  // `:10190`, `127.0.0.1:0`, `[::1]:10190`; one listener each.
  std::vector<std::string> listen_addresses = {":10190"};
  std::string telemetry_path = "/metrics";
  // URL under which a browser reaches the exporter; empty: relative links.
  std::string external_url;
  // Where links to runbooks lead, `NAME.md` behind it; empty: to the exporter's
  // own copies.
  std::string runbook_url;
  // Grafana with the dashboards; empty: no links to it.
  std::string grafana_url;
  // Lines of logs, and what findings quote of them, are on pages and in the
  // API.
  bool show_log_text = true;
  // Serves POST /-/reload.
  bool enable_lifecycle = false;
  // TLS and users; empty: plain HTTP for everybody.
  std::string config_file;
};

// By rising strictness.
enum class ClientAuth { kNone, kRequest, kVerifyIfGiven, kRequireAny, kVerify };

struct TlsOptions {
  // Texts in PEM, and how each is called in messages.
  std::string cert, key, client_ca;
  std::string cert_name, key_name, client_ca_name;
  ClientAuth client_auth = ClientAuth::kNone;
  // One of these must be a subject alternative name of the client's
  // certificate; empty: any will do.
  std::vector<std::string> allowed_sans;
  int min_minor = 2;  // TLS 1.x
  int max_minor = 3;
  std::vector<std::string> cipher_suites;      // IANA names; empty: OpenSSL's
  std::vector<std::string> curve_preferences;  // as Go names them; the same
  bool prefer_server_ciphers = true;

  bool operator==(const TlsOptions&) const = default;
};

struct AccessOptions {
  std::optional<TlsOptions> tls;             // absent: plain HTTP
  std::map<std::string, std::string> users;  // bcrypt; empty: for everybody
  // Added to every answer.
  std::vector<std::pair<std::string, std::string>> headers;
  // Seconds between two requests in the long run; 0: no limit.
  double rate_interval = 0;
  int rate_burst = 0;  // requests at once
  bool http2 = false;  // asked for; it is never served

  bool operator==(const AccessOptions&) const = default;
};

}  // namespace rlrun
