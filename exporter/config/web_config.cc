#include "exporter/config/web_config.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "exporter/config/key_spec.h"
#include "exporter/config/yaml_file.h"
#include "exporter/web/passwords.h"
#include "exporter/web/tls.h"

namespace rlrun {
namespace {

constexpr double kMostInterval = 86400;  // seconds

// A text in PEM: in the file itself, or the name of a file of its own.
struct Pem {
  std::optional<YamlValue> text, file;
};

struct TlsLoading {
  TlsOptions tls;
  Pem cert, key, client_ca;
  std::optional<YamlValue> sans;
};

struct WebLoading {
  AccessOptions access;
  std::optional<YamlValue> tls_value;
  TlsLoading tls;
};

// A name of `choices` into *out, or reports.
template <typename T, std::size_t N>
void ReadChoice(const YamlValue& value,
                const std::pair<const char*, T> (&choices)[N], T* out) {
  std::string name;
  if (!value.Read(&name)) return;
  std::string known;
  for (const auto& [choice, meaning] : choices) {
    if (name == choice) {
      *out = meaning;
      return;
    }
    if (*choice != '\0')
      known += (known.empty() ? "" : ", ") + std::string(choice);
  }
  value.Fail("must be one of " + known);
}

void ReadClientAuth(const YamlValue& value, TlsLoading* l) {
  static constexpr std::pair<const char*, ClientAuth> kChoices[] = {
      {"", ClientAuth::kNone},
      {"NoClientCert", ClientAuth::kNone},
      {"RequestClientCert", ClientAuth::kRequest},
      {"RequireAnyClientCert", ClientAuth::kRequireAny},
      {"RequireClientCert", ClientAuth::kRequireAny},  // an older name
      {"VerifyClientCertIfGiven", ClientAuth::kVerifyIfGiven},
      {"RequireAndVerifyClientCert", ClientAuth::kVerify}};
  ReadChoice(value, kChoices, &l->tls.client_auth);
}

void ReadVersion(const YamlValue& value, int* minor) {
  std::string name;
  if (!value.Read(&name)) return;
  if (name == "TLS12" || name == "TLS13") {
    *minor = name.back() - '0';
  } else if (name == "TLS10" || name == "TLS11") {
    value.Fail("TLS before 1.2 is not served; must be TLS12 or TLS13");
  } else {
    value.Fail("must be TLS12 or TLS13");
  }
}

// Texts that `check` finds nothing wrong with.
void ReadNames(const YamlValue& value, std::string (*check)(const std::string&),
               std::vector<std::string>* out) {
  for (const YamlValue& element : value.Elements()) {
    std::string name;
    if (!element.Read(&name)) continue;
    const std::string wrong = check(name);
    if (wrong.empty()) {
      out->push_back(name);
    } else {
      element.Fail(name + " is " + wrong);
    }
  }
}

std::string AnyName(const std::string& name) {
  return name.empty() ? "empty" : "";
}

constexpr KeySpec<TlsLoading> kTlsKeys[] = {
    {"cert", [](const YamlValue& v, TlsLoading* l) { l->cert.text = v; }},
    {"cert_file", [](const YamlValue& v, TlsLoading* l) { l->cert.file = v; }},
    {"key", [](const YamlValue& v, TlsLoading* l) { l->key.text = v; }},
    {"key_file", [](const YamlValue& v, TlsLoading* l) { l->key.file = v; }},
    {"client_ca",
     [](const YamlValue& v, TlsLoading* l) { l->client_ca.text = v; }},
    {"client_ca_file",
     [](const YamlValue& v, TlsLoading* l) { l->client_ca.file = v; }},
    {"client_auth_type", ReadClientAuth},
    {"client_allowed_sans",
     [](const YamlValue& v, TlsLoading* l) {
       l->sans = v;
       ReadNames(v, &AnyName, &l->tls.allowed_sans);
     }},
    {"min_version", [](const YamlValue& v,
                       TlsLoading* l) { ReadVersion(v, &l->tls.min_minor); }},
    {"max_version", [](const YamlValue& v,
                       TlsLoading* l) { ReadVersion(v, &l->tls.max_minor); }},
    {"cipher_suites",
     [](const YamlValue& v, TlsLoading* l) {
       ReadNames(v, &CheckCipherSuite, &l->tls.cipher_suites);
     }},
    {"curve_preferences",
     [](const YamlValue& v, TlsLoading* l) {
       ReadNames(v, &CheckCurve, &l->tls.curve_preferences);
     }},
    {"prefer_server_cipher_suites",
     [](const YamlValue& v, TlsLoading* l) {
       v.Read(&l->tls.prefer_server_ciphers);
     }},
};

void ReadHeader(const YamlValue& value, std::string_view name,
                std::vector<std::string_view> values, AccessOptions* access) {
  std::string text;
  if (!value.Read(&text) || text.empty()) return;  // unset if blank
  if (std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      })) {
    value.Fail("must not hold control characters");
    return;
  }
  if (!values.empty() &&
      std::find(values.begin(), values.end(), text) == values.end()) {
    std::string known;
    for (const std::string_view v : values) {
      known.append(known.empty() ? "" : " or ").append(v);
    }
    value.Fail("must be " + known);
    return;
  }
  access->headers.emplace_back(name, text);
}

constexpr KeySpec<AccessOptions> kHeaderKeys[] = {
    {"Content-Security-Policy",
     [](const YamlValue& v, AccessOptions* a) {
       ReadHeader(v, "Content-Security-Policy", {}, a);
     }},
    {"Strict-Transport-Security",
     [](const YamlValue& v, AccessOptions* a) {
       ReadHeader(v, "Strict-Transport-Security", {}, a);
     }},
    {"X-Content-Type-Options",
     [](const YamlValue& v, AccessOptions* a) {
       ReadHeader(v, "X-Content-Type-Options", {"nosniff"}, a);
     }},
    {"X-Frame-Options",
     [](const YamlValue& v, AccessOptions* a) {
       ReadHeader(v, "X-Frame-Options", {"deny", "sameorigin"}, a);
     }},
    {"X-XSS-Protection",
     [](const YamlValue& v, AccessOptions* a) {
       ReadHeader(v, "X-XSS-Protection", {}, a);
     }},
};

constexpr KeySpec<AccessOptions> kHttpKeys[] = {
    {"http2", [](const YamlValue& v, AccessOptions* a) { v.Read(&a->http2); }},
    {"headers",
     [](const YamlValue& v, AccessOptions* a) {
       ReadMap<AccessOptions>(v, kHeaderKeys, a);
     }},
};

void ReadBurst(const YamlValue& value, AccessOptions* access) {
  std::int64_t burst = 0;
  if (value.ReadWhole(0, 1'000'000, &burst)) {
    access->rate_burst = static_cast<int>(burst);
  }
}

constexpr KeySpec<AccessOptions> kRateKeys[] = {
    {"interval",
     [](const YamlValue& v, AccessOptions* a) {
       v.ReadSeconds(0, kMostInterval, &a->rate_interval);
     }},
    {"burst", ReadBurst},
};

void ReadUsers(const YamlValue& value, WebLoading* l) {
  for (const auto& [user, hash] : value.Entries()) {
    std::string text;
    if (!hash.Read(&text)) continue;
    std::string wrong = CheckPasswordHash(text);
    if (user.empty() || user.find(':') != user.npos) {
      wrong = "a user's name must not be empty nor hold a colon";
    }
    // Never with the hash: it may be a password by mistake.
    if (wrong.empty()) {
      l->access.users[user] = text;
    } else {
      hash.Fail(wrong);
    }
  }
}

void ReadRate(const YamlValue& value, WebLoading* l) {
  ReadMap<AccessOptions>(value, kRateKeys, &l->access);
  if (l->access.rate_interval > 0 && l->access.rate_burst == 0) {
    value.Fail("burst must be 1 or more, else nothing is ever answered");
  }
}

constexpr KeySpec<WebLoading> kWebKeys[] = {
    {"tls_server_config",
     [](const YamlValue& v, WebLoading* l) {
       l->tls_value = v;
       ReadMap<TlsLoading>(v, kTlsKeys, &l->tls);
     }},
    {"http_server_config",
     [](const YamlValue& v, WebLoading* l) {
       ReadMap<AccessOptions>(v, kHttpKeys, &l->access);
     }},
    {"basic_auth_users", ReadUsers},
    {"rate_limit", ReadRate},
};

// The text and what it is called.
void ReadPem(const Pem& pem, const std::string& config, std::string* text,
             std::string* name) {
  if (pem.text && pem.file) {
    pem.file->Fail("stands beside the text itself; give one of the two");
    return;
  }
  if (pem.text) {
    pem.text->Read(text);
    *name = config + ":" + std::to_string(pem.text->line()) + ": " +
            pem.text->name();
    return;
  }
  std::string path;
  if (!pem.file || !pem.file->Read(&path)) return;
  if (path.empty()) {
    pem.file->Fail("is empty");
    return;
  }
  const std::size_t slash = config.rfind('/');
  if (path[0] != '/' && slash != config.npos) {
    path.insert(0, config, 0, slash + 1);
  }
  const std::string wrong = ReadTextFile(path, text);
  if (!wrong.empty()) pem.file->Fail(path + ": " + wrong);
  *name = config + ":" + std::to_string(pem.file->line()) + ": " + path;
}

void CheckTls(const std::string& config, WebLoading* l) {
  TlsLoading& t = l->tls;
  const YamlValue& value = *l->tls_value;
  if (value.Entries().empty()) return;  // as if it were left out
  TlsOptions& tls = t.tls;
  ReadPem(t.cert, config, &tls.cert, &tls.cert_name);
  ReadPem(t.key, config, &tls.key, &tls.key_name);
  ReadPem(t.client_ca, config, &tls.client_ca, &tls.client_ca_name);
  const bool has_ca = t.client_ca.text || t.client_ca.file;
  if (!t.cert.text && !t.cert.file) value.Fail("cert_file is missing");
  if (!t.key.text && !t.key.file) value.Fail("key_file is missing");
  const bool verify = tls.client_auth == ClientAuth::kVerify ||
                      tls.client_auth == ClientAuth::kVerifyIfGiven;
  if (has_ca && tls.client_auth == ClientAuth::kNone) {
    value.Fail("client_ca_file is of no use without client_auth_type");
  }
  if (verify && !has_ca) {
    value.Fail("client_auth_type needs client_ca_file: who may sign");
  }
  if (!tls.allowed_sans.empty() && tls.client_auth != ClientAuth::kVerify &&
      tls.client_auth != ClientAuth::kRequireAny) {
    t.sans->Fail(
        "needs client_auth_type RequireAndVerifyClientCert or "
        "RequireAnyClientCert: else a client without a certificate gets by");
  }
  if (tls.min_minor > tls.max_minor) {
    value.Fail("min_version is above max_version");
  }
  l->access.tls = tls;
}

}  // namespace

std::vector<std::string> ParseWebConfig(const std::string& text,
                                        const std::string& name,
                                        AccessOptions* options) {
  WebLoading loading;
  std::vector<std::string> errors =
      ReadYaml(text, name, [&](const YamlValue& root) {
        ReadMap<WebLoading>(root, kWebKeys, &loading);
        if (loading.tls_value) CheckTls(name, &loading);
      });
  if (errors.empty() && loading.access.tls) {
    std::shared_ptr<TlsContext> tls;
    const std::string wrong = MakeTlsContext(*loading.access.tls, &tls);
    if (!wrong.empty()) {
      errors.push_back(wrong.starts_with(name) ? wrong : name + ": " + wrong);
    }
  }
  if (errors.empty()) *options = std::move(loading.access);
  return errors;
}

std::vector<std::string> LoadWebConfig(const std::string& path,
                                       AccessOptions* options) {
  std::string text;
  const std::string wrong = ReadTextFile(path, &text);
  if (!wrong.empty()) return {path + ": " + wrong};
  return ParseWebConfig(text, path, options);
}

}  // namespace rlrun
