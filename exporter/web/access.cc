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

std::string CheckAccessChange(const AccessOptions& now,
                              const AccessOptions& next) {
  if (now.tls.has_value() != next.tls.has_value()) {
    return std::string("TLS is ") + (now.tls ? "on" : "off") +
           ", the file would turn it " + (now.tls ? "off" : "on") +
           "; that takes a restart";
  }
  if (now.tls && next.tls->client_auth < now.tls->client_auth) {
    return "the file would ask less of client certificates; that takes a "
           "restart";
  }
  if (now.tls && !now.tls->allowed_sans.empty() &&
      next.tls->allowed_sans.empty()) {
    return "the file would take client_allowed_sans away; that takes a restart";
  }
  if (!now.users.empty() && next.users.empty()) {
    return "the file would ask for no password any more; that takes a restart";
  }
  return "";
}

}  // namespace rlrun
