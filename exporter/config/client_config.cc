#include "exporter/config/client_config.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "exporter/config/key_spec.h"
#include "exporter/config/yaml_file.h"
#include "exporter/web/passwords.h"

namespace rlrun {
namespace {

// A text in the file itself, or the name of a file that holds it.
struct Secret {
  std::optional<YamlValue> text, file;
  bool given() const { return text || file; }
};

struct ClientLoading {
  ApiAccess access;
  std::string type = "Bearer";
  Secret username, password, credentials;
  std::optional<YamlValue> basic, authorization, tls;
  std::optional<YamlValue> ca_file, cert_file, key_file;
};

constexpr KeySpec<ClientLoading> kBasicKeys[] = {
    {"username",
     [](const YamlValue& v, ClientLoading* l) { l->username.text = v; }},
    {"username_file",
     [](const YamlValue& v, ClientLoading* l) { l->username.file = v; }},
    {"password",
     [](const YamlValue& v, ClientLoading* l) { l->password.text = v; }},
    {"password_file",
     [](const YamlValue& v, ClientLoading* l) { l->password.file = v; }},
};

constexpr KeySpec<ClientLoading> kAuthorizationKeys[] = {
    {"type", [](const YamlValue& v, ClientLoading* l) { v.Read(&l->type); }},
    {"credentials",
     [](const YamlValue& v, ClientLoading* l) { l->credentials.text = v; }},
    {"credentials_file",
     [](const YamlValue& v, ClientLoading* l) { l->credentials.file = v; }},
};

constexpr KeySpec<ClientLoading> kTlsKeys[] = {
    {"ca_file", [](const YamlValue& v, ClientLoading* l) { l->ca_file = v; }},
    {"cert_file",
     [](const YamlValue& v, ClientLoading* l) { l->cert_file = v; }},
    {"key_file", [](const YamlValue& v, ClientLoading* l) { l->key_file = v; }},
    {"insecure_skip_verify",
     [](const YamlValue& v, ClientLoading* l) {
       v.Read(&l->access.skip_verify);
     }},
};

constexpr KeySpec<ClientLoading> kClientKeys[] = {
    {"basic_auth",
     [](const YamlValue& v, ClientLoading* l) {
       l->basic = v;
       ReadMap<ClientLoading>(v, kBasicKeys, l);
     }},
    {"authorization",
     [](const YamlValue& v, ClientLoading* l) {
       l->authorization = v;
       ReadMap<ClientLoading>(v, kAuthorizationKeys, l);
     }},
    {"tls_config",
     [](const YamlValue& v, ClientLoading* l) {
       l->tls = v;
       ReadMap<ClientLoading>(v, kTlsKeys, l);
     }},
};

// The text of the file that `value` names, beside `config`; *path: its own.
bool ReadNamed(const YamlValue& value, const std::string& config,
               std::string* path, std::string* text) {
  if (!value.Read(path)) return false;
  if (path->empty()) {
    value.Fail("is empty");
    return false;
  }
  const std::size_t slash = config.rfind('/');
  if (path->front() != '/' && slash != config.npos) {
    path->insert(0, config, 0, slash + 1);
  }
  const std::string wrong = ReadTextFile(*path, text);
  if (!wrong.empty()) value.Fail(*path + ": " + wrong);
  return wrong.empty();
}

std::string Trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string ReadSecret(const Secret& secret, const std::string& config) {
  std::string text, path;
  if (secret.text && secret.file) {
    secret.file->Fail("stands beside the text itself; give one of the two");
  } else if (secret.text) {
    secret.text->Read(&text);
  } else if (secret.file && ReadNamed(*secret.file, config, &path, &text)) {
    text = Trimmed(text);
  }
  // It becomes a part of a header.
  const bool odd = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (odd) {
    (secret.text ? secret.text : secret.file)
        ->Fail("must not hold control characters");
  }
  return odd ? "" : text;
}

void MakeAuthorization(const std::string& config, ClientLoading* l) {
  if (l->basic && l->authorization) {
    l->authorization->Fail("stands beside basic_auth; give one of the two");
    return;
  }
  if (l->basic) {
    const std::string user = ReadSecret(l->username, config);
    const std::string password = ReadSecret(l->password, config);
    if (user.empty()) l->basic->Fail("username is missing");
    if (user.find(':') != user.npos) {
      l->basic->Fail("a user's name must not hold a colon");
    }
    l->access.authorization = "Basic " + EncodeBase64(user + ":" + password);
  }
  if (l->authorization) {
    const std::string credentials = ReadSecret(l->credentials, config);
    if (credentials.empty()) l->authorization->Fail("credentials are missing");
    l->access.authorization = l->type + " " + credentials;
  }
}

void MakeTls(const std::string& config, ClientLoading* l) {
  ApiAccess& access = l->access;
  std::string path, text;
  if (l->ca_file && ReadNamed(*l->ca_file, config, &path, &text)) {
    if (text.find("-----BEGIN ") == text.npos) {
      l->ca_file->Fail(path + ": no certificate in PEM");
    }
    access.ca_file = path;
  }
  if (l->cert_file.has_value() != l->key_file.has_value()) {
    l->tls->Fail("cert_file and key_file belong together");
    return;
  }
  if (!l->cert_file) return;
  const bool has_cert =
      ReadNamed(*l->cert_file, config, &access.cert_name, &access.cert);
  const bool has_key =
      ReadNamed(*l->key_file, config, &access.key_name, &access.key);
  const std::string wrong = has_cert && has_key ? CheckApiAccess(access) : "";
  if (!wrong.empty()) l->tls->Fail(wrong);
}

}  // namespace

std::vector<std::string> ParseClientConfig(const std::string& text,
                                           const std::string& name,
                                           ApiAccess* access) {
  ClientLoading loading;
  std::vector<std::string> errors =
      ReadYaml(text, name, [&](const YamlValue& root) {
        ReadMap<ClientLoading>(root, kClientKeys, &loading);
        MakeAuthorization(name, &loading);
        MakeTls(name, &loading);
      });
  if (errors.empty()) *access = std::move(loading.access);
  return errors;
}

std::vector<std::string> LoadClientConfig(const std::string& path,
                                          ApiAccess* access) {
  std::string text;
  const std::string wrong = ReadTextFile(path, &text);
  if (!wrong.empty()) return {path + ": " + wrong};
  return ParseClientConfig(text, path, access);
}

}  // namespace rlrun
