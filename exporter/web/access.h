// Who may ask what is served, and how they must come: what a file of
// `--web.config.file` says, ready for use. One object per content of the file;
// a change makes another one.
// Safe to call from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exporter/web/options.h"
#include "exporter/web/passwords.h"
#include "exporter/web/tls.h"

namespace rlrun {

class Access {
 public:
  // For everybody, plain HTTP.
  Access() : Access({}, nullptr) {}
  Access(const AccessOptions& options, std::shared_ptr<TlsContext> tls);

  // Null: plain HTTP.
  TlsContext* tls() const { return tls_.get(); }
  const std::vector<std::pair<std::string, std::string>>& headers() const {
    return headers_;
  }
  // Takes one request of those that may come; `now` in steady seconds. False:
  // too many came.
  bool Admit(double now);
  bool for_everybody() const { return passwords_.empty(); }
  Passwords& passwords() { return passwords_; }

 private:
  const std::shared_ptr<TlsContext> tls_;
  const std::vector<std::pair<std::string, std::string>> headers_;
  const double interval_;
  const double burst_;
  Passwords passwords_;
  std::mutex mutex_;
  double tokens_;     // guarded by mutex_
  double since_ = 0;  // steady seconds of tokens_; guarded by mutex_
};

// Empty and *access is made, or what is wrong with certificates, keys or what
// this OpenSSL can do.
std::string MakeAccess(const AccessOptions& options,
                       std::shared_ptr<Access>* access);

// Empty, or what `next` would no longer ask of clients that `now` does, or what
// takes a restart: such a change of a running server is refused, since a file
// that is half written must not open it.
std::string CheckAccessChange(const AccessOptions& now,
                              const AccessOptions& next);

}  // namespace rlrun
