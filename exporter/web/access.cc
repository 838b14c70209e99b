#include "exporter/web/access.h"

#include <algorithm>

namespace rlrun {

Access::Access(const AccessOptions& options, std::shared_ptr<TlsContext> tls)
    : tls_(std::move(tls)),
      headers_(options.headers),
      interval_(options.rate_interval),
      burst_(options.rate_burst),
      passwords_(options.users),
      tokens_(options.rate_burst) {}

bool Access::Admit(double now) {
  if (interval_ <= 0) return true;
  const std::scoped_lock lock(mutex_);
  tokens_ = std::min(burst_, tokens_ + (now - since_) / interval_);
  since_ = now;
  if (tokens_ < 1) return false;
  --tokens_;
  return true;
}

std::string MakeAccess(const AccessOptions& options,
                       std::shared_ptr<Access>* access) {
  std::shared_ptr<TlsContext> tls;
  if (options.tls) {
    std::string wrong = MakeTlsContext(*options.tls, &tls);
    if (!wrong.empty()) return wrong;
  }
  *access = std::make_shared<Access>(options, std::move(tls));
  return "";
}

namespace {

// Of the part of TLS, what would be less than now.
std::string_view LessOfTls(const TlsOptions& now, const TlsOptions& next) {
  if (next.client_auth < now.client_auth) return "less of client certificates";
  if (!now.allowed_sans.empty() && next.allowed_sans.empty()) {
    return "no client_allowed_sans any more";
  }
  if (next.min_minor < now.min_minor) return "a lower min_version of TLS";
  if (!now.cipher_suites.empty() && next.cipher_suites.empty()) {
    return "no cipher_suites any more";
  }
  if (!now.curve_preferences.empty() && next.curve_preferences.empty()) {
    return "no curve_preferences any more";
  }
  return "";
}

}  // namespace

std::string CheckAccessChange(const AccessOptions& now,
                              const AccessOptions& next) {
  if (now.tls.has_value() != next.tls.has_value()) {
    return std::string("TLS is ") + (now.tls ? "on" : "off") +
           ", the file would turn it " + (now.tls ? "off" : "on") +
           "; that takes a restart";
  }
  std::string_view less;
  if (now.tls) less = LessOfTls(*now.tls, *next.tls);
  if (!now.users.empty() && next.users.empty()) less = "no password any more";
  if (now.rate_interval > 0 && next.rate_interval <= 0) {
    less = "no rate_limit any more";
  }
  if (less.empty()) return "";
  return "the file would ask for " + std::string(less) +
         "; that takes a restart";
}

}  // namespace rlrun
