#include "parsers/values/redact.h"

#include <algorithm>
#include <array>

namespace rlrun {
namespace {

bool IsAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}
bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}
bool IsNameChar(char c) { return IsAlnum(c) || c == '_' || c == '-'; }
bool IsTokenChar(char c) {
  return IsNameChar(c) || c == '.' || c == '/' || c == '+' || c == '=' ||
         c == '~';
}
char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool StartsWithNoCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char a, char b) { return a == Lower(b); });
}
bool EndsWithNoCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         StartsWithNoCase(text.substr(text.size() - lower.size()), lower);
}

template <class Test>
std::size_t Span(std::string_view text, Test test) {
  return static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), test) - text.begin());
}

constexpr std::array<std::string_view, 22> kTokenFronts = {
    "sk-",   "hf_",       "ghp_",        "gho_",   "ghs_",      "ghu_",
    "ghr_",  "pypi-",     "github_pat_", "glpat-", "AKIA",      "ASIA",
    "AIza",  "xox",       "nvapi-",      "npm_",   "dckr_pat_", "dckr_oat_",
    "tvly-", "wandb_v1_", "gsk_",        "r8_"};
constexpr std::size_t kMinTokenTail = 8;

constexpr std::array<std::string_view, 9> kSecretNames = {
    "key", "token",         "secret", "password",  "passwd",
    "pwd", "authorization", "cookie", "passphrase"};

// Bytes of a word at the front of `text` that is a secret by its look.
std::size_t SecretWordSize(std::string_view text) {
  const std::size_t size = Span(text, IsNameChar);
  for (const std::string_view front : kTokenFronts) {
    if (size >= front.size() + kMinTokenTail && text.starts_with(front)) {
      return size;
    }
  }
  constexpr std::size_t kWandbKey = 40;
  return size == kWandbKey && Span(text, IsHex) == size ? size : 0;
}

// Bytes of the value behind an authorization scheme at the front of `text`;
// *keep: bytes of the scheme.
std::size_t SchemeValueSize(std::string_view text, std::size_t* keep) {
  for (const std::string_view scheme : {"bearer ", "basic "}) {
    if (!StartsWithNoCase(text, scheme)) continue;
    const std::size_t size = Span(text.substr(scheme.size()), IsTokenChar);
    if (size < kMinTokenTail) continue;
    *keep = scheme.size();
    return size;
  }
  return 0;
}

// `name` is how a secret is called; `key` alone is too common a word.
bool IsSecretName(std::string_view name) {
  if (name.size() == 3) return EndsWithNoCase(name, "pwd");
  return std::any_of(
      kSecretNames.begin(), kSecretNames.end(), [&](std::string_view s) {
        if (!EndsWithNoCase(name, s)) return false;
        if (s != "key" || name.size() == s.size()) {
          return s != "key";
        }
        const char before = name[name.size() - s.size() - 1];
        return !IsAlnum(before) || EndsWithNoCase(name, "apikey");
      });
}

// At a name: bytes of its value if it is a secret; *keep: bytes in front of it.
std::size_t NamedValueSize(std::string_view text, std::size_t* keep) {
  const std::size_t name = Span(text, IsNameChar);
  if (!IsSecretName(text.substr(0, name))) return 0;
  std::size_t at = name;
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  // A flag has its value behind a blank: `--token X`.
  const bool flag = text.starts_with("--") && at > name;
  const bool assigned =
      at < text.size() && (text[at] == '=' || text[at] == ':');
  if (at == text.size() || (!assigned && (!flag || text[at] == '-'))) return 0;
  if (assigned) ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  std::size_t size = 0;
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
    const char quote = text[at++];
    size = std::min(text.find(quote, at), text.size()) - at;
  } else {
    size = Span(text.substr(at), [](char c) {
      return c != ' ' && c != ',' && c != ';' && c != '&' && c != ')' &&
             c != '}' && c != ']' && c != '"' && c != '\'' && c != '\t';
    });
    std::size_t scheme = 0;
    const std::size_t rest = SchemeValueSize(text.substr(at), &scheme);
    if (rest != 0) size = scheme + rest;
    // A cookie is a list of pairs, up to the end of its line or quote.
    if (EndsWithNoCase(text.substr(0, name), "cookie")) {
      size = std::min(text.find_first_of("\"'\r\n", at), text.size()) - at;
    }
  }
  // `#token: 2266` counts tokens.
  const std::string_view value = text.substr(at, size);
  if (EndsWithNoCase(text.substr(0, name), "token") &&
      value.find_first_not_of("0123456789.") == std::string_view::npos) {
    return 0;
  }
  if (size == 0) return 0;
  *keep = at;
  return size;
}

// Bytes of a PEM block of a private key behind its mark, as far as it goes;
// *keep: bytes of the mark.
std::size_t PrivateKeySize(std::string_view text, std::size_t* keep) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kMark = "PRIVATE KEY-----";
  if (!text.starts_with(kBegin)) return 0;
  const std::size_t mark = text.substr(0, 64).find(kMark);
  if (mark == std::string_view::npos) return 0;
  *keep = mark + kMark.size();
  const std::size_t end = text.find("-----END", *keep);
  return std::min(end, text.size()) - *keep;
}

// At `://`: bytes of the password in `://user:X@`; *keep: bytes in front of it.
std::size_t UrlPasswordSize(std::string_view text, std::size_t* keep) {
  constexpr std::string_view kMark = "://";
  if (!text.starts_with(kMark)) return 0;
  const std::string_view rest = text.substr(kMark.size());
  const std::size_t end = rest.find_first_of("/ \t\"'<>?#");
  const std::string_view authority = rest.substr(0, end);
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos || at == 0) return 0;
  const std::size_t colon = authority.find(':');
  // A user without a password may be a token.
  const std::size_t begin = colon < at ? colon + 1 : 0;
  *keep = kMark.size() + begin;
  return at - begin;
}

}  // namespace

std::string Redact(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool at_word = true;  // no character of a name stands in front
  while (!text.empty()) {
    std::size_t keep = 0;
    std::size_t size = 0;
    if (at_word && IsNameChar(text.front())) {
      size = SecretWordSize(text);
      if (size == 0) size = PrivateKeySize(text, &keep);
      if (size == 0) size = SchemeValueSize(text, &keep);
      if (size == 0) size = NamedValueSize(text, &keep);
    } else if (text.front() == ':') {
      size = UrlPasswordSize(text, &keep);
    }
    if (size != 0) {
      out.append(text.substr(0, keep));
      out.append(kRedacted);
      text.remove_prefix(keep + size);
      at_word = false;
      continue;
    }
    at_word = !IsNameChar(text.front());
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

std::string RedactFront(std::string_view text, std::size_t size) {
  // Behind the cut, so many bytes are read that any secret is recognized.
  constexpr std::size_t kMargin = 256;
  std::string out = Redact(text.substr(0, size + kMargin));
  if (out.size() <= size) return out;
  while (size > 0 && (static_cast<unsigned char>(out[size]) & 0xC0) == 0x80) {
    --size;
  }
  out.resize(size);
  return out;
}

}  // namespace rlrun
