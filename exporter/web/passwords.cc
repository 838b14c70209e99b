#include "exporter/web/passwords.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace rlrun {
namespace {

constexpr std::size_t kHashBytes = 60;
constexpr int kLeastCost = 4, kMostCost = 16;  // 2^16 rounds: about 4 s
constexpr std::size_t kRemembered = 1000;      // of each verdict

struct Credentials {
  std::string user;
  std::string password;
};

int Base64Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    const int value = Base64Value(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffffff;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have & 0xff);
    }
  }
  return out;
}

std::optional<Credentials> Parse(std::string_view header) {
  constexpr std::string_view kScheme = "basic ";
  if (header.size() < kScheme.size() ||
      !std::equal(kScheme.begin(), kScheme.end(), header.begin(),
                  [](char want, char is) { return want == (is | 0x20); })) {
    return std::nullopt;
  }
  header.remove_prefix(kScheme.size());
  while (header.starts_with(' ')) header.remove_prefix(1);
  const auto text = DecodeBase64(header);
  if (!text) return std::nullopt;
  const std::size_t colon = text->find(':');
  // crypt would take a NUL for the end of the password.
  if (colon == text->npos || text->find('\0') != text->npos) {
    return std::nullopt;
  }
  return Credentials{text->substr(0, colon), text->substr(colon + 1)};
}

int CostOf(std::string_view hash) {
  return (hash[4] - '0') * 10 + (hash[5] - '0');
}

// Takes the same time for every password and every hash of one cost.
bool Matches(const std::string& password, const std::string& hash) {
  const auto data = std::make_unique<crypt_data>();
  const char* made = ::crypt_r(password.c_str(), hash.c_str(), data.get());
  const std::string_view text = made == nullptr ? "" : made;
  const bool right =
      text.size() == hash.size() &&
      ::CRYPTO_memcmp(text.data(), hash.data(), hash.size()) == 0;
  ::OPENSSL_cleanse(data.get(), sizeof *data);
  return right;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and a NUL
  const int size =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()),
                        static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string CheckPasswordHash(std::string_view hash) {
  const auto digit = [&](std::size_t i) {
    return hash[i] >= '0' && hash[i] <= '9';
  };
  const bool form =
      hash.size() == kHashBytes && hash.starts_with("$2") &&
      (hash[2] == 'a' || hash[2] == 'b' || hash[2] == 'y') && hash[3] == '$' &&
      digit(4) && digit(5) && hash[6] == '$' &&
      std::all_of(hash.begin() + 7, hash.end(),
                  [](char c) { return c == '.' || Base64Value(c) >= 0; }) &&
      hash.find('+') == hash.npos;
  if (!form) return "must be a bcrypt hash: $2y$, $2b$ or $2a$, 60 characters";
  if (CostOf(hash) < kLeastCost || CostOf(hash) > kMostCost) {
    return "a bcrypt cost must be from 4 to 16";
  }
  return "";
}

Passwords::Passwords(std::map<std::string, std::string> users)
    : users_(std::move(users)) {
  std::string cost = "04";
  for (const auto& [user, hash] : users_) {
    cost = std::max(cost, hash.substr(4, 2));
  }
  nobody_ = "$2b$" + cost + "$" + std::string(53, '.');
  if (::RAND_bytes(salt_.data(), static_cast<int>(salt_.size())) != 1) {
    salt_.fill(0);
  }
}

Passwords::Digest Passwords::DigestOf(std::string_view user,
                                      std::string_view password) const {
  std::string text(reinterpret_cast<const char*>(salt_.data()), salt_.size());
  text += std::to_string(user.size());
  text.append(":").append(user).append(password);
  Digest digest{};
  ::EVP_Digest(text.data(), text.size(), digest.data(), nullptr, ::EVP_sha256(),
               nullptr);
  ::OPENSSL_cleanse(text.data(), text.size());
  return digest;
}

std::optional<bool> Passwords::Known(std::string_view authorization) const {
  const auto given = Parse(authorization);
  if (!given) return false;
  const Digest digest = DigestOf(given->user, given->password);
  const std::scoped_lock lock(mutex_);
  if (right_.contains(digest)) return true;
  if (wrong_.contains(digest)) return false;
  return std::nullopt;
}

bool Passwords::Check(std::string_view authorization) {
  const auto given = Parse(authorization);
  if (!given) return false;
  const std::scoped_lock lock(hashing_);
  if (const auto known = Known(authorization)) return *known;
  const auto user = users_.find(given->user);
  const bool there = user != users_.end();
  const bool right = Matches(given->password, there ? user->second : nobody_);
  Remember(DigestOf(given->user, given->password), there && right);
  return there && right;
}

void Passwords::Remember(const Digest& digest, bool right) {
  const std::scoped_lock lock(mutex_);
  if (right) {
    // bcrypt ends a password behind 72 bytes: a user may have several.
    if (right_.size() >= kRemembered) right_.clear();
    right_.insert(digest);
    return;
  }
  if (!wrong_.insert(digest).second) return;
  order_.push_back(digest);
  if (order_.size() > kRemembered) {
    wrong_.erase(order_.front());
    order_.pop_front();
  }
}

}  // namespace rlrun
