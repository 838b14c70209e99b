#include "exporter/web/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rlrun {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&::X509_free)>;
using Bio = std::unique_ptr<BIO, decltype(&::BIO_free)>;

struct Curve {
  std::string_view go;
  const char* openssl;
};
constexpr Curve kCurves[] = {{"CurveP256", "P-256"},
                             {"CurveP384", "P-384"},
                             {"CurveP521", "P-521"},
                             {"X25519", "X25519"}};

// What OpenSSL last complained about, in its words.
std::string OpenSslText() {
  const unsigned long code = ::ERR_peek_last_error();
  ::ERR_clear_error();
  const char* text = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return text == nullptr ? "unknown error" : text;
}

Bio Memory(const std::string& text) {
  return {::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
          &::BIO_free};
}

// A key that needs a passphrase is refused instead of asking a terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

std::vector<Certificate> ReadCertificates(const std::string& pem) {
  std::vector<Certificate> out;
  const Bio bio = Memory(pem);
  while (X509* one =
             ::PEM_read_bio_X509(bio.get(), nullptr, &NoPassphrase, nullptr)) {
    out.emplace_back(one, &::X509_free);
  }
  ::ERR_clear_error();  // the end of the text is one
  return out;
}

// Called for each certificate of a client's chain; 0: the handshake fails.
int Verify(int ok, X509_STORE_CTX* store) {
  const auto* ssl = static_cast<SSL*>(::X509_STORE_CTX_get_ex_data(
      store, ::SSL_get_ex_data_X509_STORE_CTX_idx()));
  const auto* tls = static_cast<const TlsContext*>(
      SSL_CTX_get_app_data(::SSL_get_SSL_CTX(ssl)));
  if (::X509_STORE_CTX_get_error_depth(store) == 0 &&
      !tls->Allows(::X509_STORE_CTX_get_current_cert(store))) {
    ::X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }
  return tls->any_certificate ? 1 : ok;
}

std::string UseClientAuth(SSL_CTX* context, const TlsOptions& o) {
  const bool verify = o.client_auth == ClientAuth::kVerify ||
                      o.client_auth == ClientAuth::kVerifyIfGiven;
  const bool require = o.client_auth == ClientAuth::kVerify ||
                       o.client_auth == ClientAuth::kRequireAny;
  if (o.client_auth == ClientAuth::kNone) return "";
  ::SSL_CTX_set_verify(
      context,
      SSL_VERIFY_PEER | (require ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
      &Verify);
  const std::vector<Certificate> authorities = ReadCertificates(o.client_ca);
  if (authorities.empty() && (verify || !o.client_ca.empty())) {
    return o.client_ca_name + ": no certificate in PEM";
  }
  for (const Certificate& one : authorities) {
    if (::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context), one.get()) !=
            1 ||
        ::SSL_CTX_add_client_CA(context, one.get()) != 1) {
      return o.client_ca_name + ": " + OpenSslText();
    }
  }
  return "";
}

// OpenSSL's name of a suite, and whether it is of TLS 1.3; empty: unknown.
std::pair<std::string, bool> SuiteOf(std::string name) {
  // Go's older names of two suites.
  if (name.ends_with("_CHACHA20_POLY1305")) name += "_SHA256";
  const std::string_view openssl = ::OPENSSL_cipher_name(name.c_str());
  if (openssl == "(NONE)") return {};
  return {std::string(openssl), openssl.starts_with("TLS_")};
}

std::string UseSuites(SSL_CTX* context, const TlsOptions& o) {
  std::string old, current;  // up to TLS 1.2, and of 1.3
  for (const std::string& name : o.cipher_suites) {
    const auto [suite, is_current] = SuiteOf(name);
    std::string& list = is_current ? current : old;
    list += (list.empty() ? "" : ":") + suite;
  }
  // `@SECLEVEL` stays OpenSSL's own: weak ones are refused at the handshake.
  if ((!old.empty() && ::SSL_CTX_set_cipher_list(context, old.c_str()) != 1) ||
      (!current.empty() &&
       ::SSL_CTX_set_ciphersuites(context, current.c_str()) != 1)) {
    return "cipher_suites: " + OpenSslText();
  }
  if (!o.cipher_suites.empty() && old.empty()) {
    if (o.max_minor < 3) return "cipher_suites: none of them is of TLS 1.2";
    ::SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  }
  std::string groups;
  for (const std::string& name : o.curve_preferences) {
    for (const Curve& curve : kCurves) {
      if (curve.go == name) {
        groups.append(groups.empty() ? "" : ":").append(curve.openssl);
      }
    }
  }
  if (!groups.empty() &&
      ::SSL_CTX_set1_groups_list(context, groups.c_str()) != 1) {
    return "curve_preferences: " + OpenSslText();
  }
  return "";
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* in, unsigned in_size, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  const int found =
      ::SSL_select_next_proto(const_cast<unsigned char**>(out), out_size,
                              kHttp11, sizeof kHttp11 - 1, in, in_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK
                                         : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::string SanText(const GENERAL_NAME& name) {
  const auto text = [](const ASN1_STRING* s) {
    return std::string(
        reinterpret_cast<const char*>(::ASN1_STRING_get0_data(s)),
        static_cast<std::size_t>(::ASN1_STRING_length(s)));
  };
  if (name.type == GEN_DNS) return text(name.d.dNSName);
  if (name.type == GEN_EMAIL) return text(name.d.rfc822Name);
  if (name.type == GEN_URI) return text(name.d.uniformResourceIdentifier);
  if (name.type != GEN_IPADD) return "";
  const std::string bytes = text(name.d.iPAddress);
  std::array<char, INET6_ADDRSTRLEN> out{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  if (bytes.size() != 4 && bytes.size() != 16) return "";
  return ::inet_ntop(family, bytes.data(), out.data(), out.size()) == nullptr
             ? ""
             : out.data();
}

}  // namespace

std::string UsePair(SSL_CTX* context, const TlsOptions& o) {
  const std::vector<Certificate> chain = ReadCertificates(o.cert);
  if (chain.empty()) return o.cert_name + ": no certificate in PEM";
  if (::SSL_CTX_use_certificate(context, chain[0].get()) != 1) {
    return o.cert_name + ": " + OpenSslText();
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (::SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) {
      return o.cert_name + ": " + OpenSslText();
    }
  }
  const Bio bio = Memory(o.key);
  const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key(
      ::PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassphrase, nullptr),
      &::EVP_PKEY_free);
  if (key == nullptr) {
    ::ERR_clear_error();
    return o.key_name + ": no private key in PEM without a passphrase";
  }
  if (::SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
      ::SSL_CTX_check_private_key(context) != 1) {
    ::ERR_clear_error();
    return o.key_name + ": not the key of the certificate in " + o.cert_name;
  }
  return "";
}

std::string CheckCipherSuite(const std::string& name) {
  return SuiteOf(name).first.empty()
             ? "no cipher suite that OpenSSL knows; names are IANA's, such as "
               "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
             : "";
}

std::string CheckCurve(const std::string& name) {
  std::string known;
  for (const Curve& curve : kCurves) {
    if (curve.go == name) return "";
    known.append(known.empty() ? "" : ", ").append(curve.go);
  }
  return "no curve that this OpenSSL has; it has " + known;
}

bool HasSan(X509* certificate, const std::vector<std::string>& names) {
  const auto free_names = [](GENERAL_NAMES* all) { ::GENERAL_NAMES_free(all); };
  const std::unique_ptr<GENERAL_NAMES, decltype(free_names)> sans(
      static_cast<GENERAL_NAMES*>(::X509_get_ext_d2i(
          certificate, NID_subject_alt_name, nullptr, nullptr)),
      free_names);
  if (sans == nullptr) return false;
  for (int i = 0; i < sk_GENERAL_NAME_num(sans.get()); ++i) {
    const std::string san = SanText(*sk_GENERAL_NAME_value(sans.get(), i));
    if (!san.empty() &&
        std::find(names.begin(), names.end(), san) != names.end()) {
      return true;
    }
  }
  return false;
}

bool TlsContext::Allows(X509* certificate) const {
  return allowed_sans.empty() ||
         (certificate != nullptr && HasSan(certificate, allowed_sans));
}

std::string MakeTlsContext(const TlsOptions& options,
                           std::shared_ptr<TlsContext>* tls) {
  ::ERR_clear_error();
  const auto made =
      std::make_shared<TlsContext>(::SSL_CTX_new(::TLS_server_method()));
  SSL_CTX* const context = made->get();
  if (context == nullptr) return "TLS: " + OpenSslText();
  ::SSL_CTX_set_min_proto_version(
      context, options.min_minor >= 3 ? TLS1_3_VERSION : TLS1_2_VERSION);
  ::SSL_CTX_set_max_proto_version(
      context, options.max_minor >= 3 ? TLS1_3_VERSION : TLS1_2_VERSION);
  // No session is resumed: whoever comes is looked at.
  ::SSL_CTX_set_options(
      context,
      SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
          (options.prefer_server_ciphers ? SSL_OP_CIPHER_SERVER_PREFERENCE
                                         : 0));
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_num_tickets(context, 0);
  ::SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_alpn_select_cb(context, &ChooseProtocol, nullptr);
  std::string wrong = UsePair(context, options);
  if (wrong.empty()) wrong = UseClientAuth(context, options);
  if (wrong.empty()) wrong = UseSuites(context, options);
  if (!wrong.empty()) return wrong;
  made->allowed_sans = options.allowed_sans;
  made->any_certificate = options.client_auth == ClientAuth::kRequest ||
                          options.client_auth == ClientAuth::kRequireAny;
  SSL_CTX_set_app_data(context, made.get());
  *tls = made;
  return "";
}

}  // namespace rlrun
