// The server side of TLS: OpenSSL's context made of certificates, keys and the
// settings that exporter-toolkit names as Go does.
// A context is immutable once made; safe to use from any thread.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/web/options.h"

namespace rlrun {

class TlsContext {
 public:
  explicit TlsContext(SSL_CTX* context) : context_(context, &::SSL_CTX_free) {}
  SSL_CTX* get() const { return context_.get(); }
  // Whether the certificate of a client, null if it gave none, has a name that
  // is asked for.
  bool Allows(X509* certificate) const;

  // Names of which a client's certificate must have one; empty: none is asked.
  std::vector<std::string> allowed_sans;
  bool any_certificate = false;  // nobody need have signed it

 private:
  std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context_;
};

// Empty and *tls is made, or one line that says what is wrong, with the name of
// the key or of the file.
std::string MakeTlsContext(const TlsOptions& options,
                           std::shared_ptr<TlsContext>* tls);

// Certificate and key of `options` into `context`, of either side. Empty, or
// what is wrong with them.
std::string UsePair(SSL_CTX* context, const TlsOptions& options);

// Each returns an empty string or what is wrong with a name.
std::string CheckCipherSuite(const std::string& name);
std::string CheckCurve(const std::string& name);

// Whether a certificate has one of `names` as DNS name, e-mail address, IP
// address or URI, exactly.
bool HasSan(X509* certificate, const std::vector<std::string>& names);

}  // namespace rlrun
