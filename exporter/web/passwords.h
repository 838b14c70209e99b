// Users of basic authentication: whether an Authorization header names one of
// them with their password. bcrypt is slow on purpose, so verdicts are
// remembered, by a salted hash that tells nothing of the password.
// Safe to call from any thread.
//
// A header: `Basic YWxpY2U6c2VjcmV0`
// Rejects:  other schemes, what is no base64, no colon in it, a NUL in it.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rlrun {

// Empty, or why `hash` is no bcrypt hash ($2a$, $2b$ or $2y$) that can be
// checked in a few seconds.
std::string CheckPasswordHash(std::string_view hash);

std::string EncodeBase64(std::string_view bytes);

class Passwords {
 public:
  // By user: hashes that CheckPasswordHash finds nothing wrong with.
  explicit Passwords(std::map<std::string, std::string> users);

  bool empty() const { return users_.empty(); }
  // What is known of the header without a hash being computed; absent: only
  // Check can tell.
  std::optional<bool> Known(std::string_view authorization) const;
  // Computes one hash, whether there is such a user or not. One at a time.
  bool Check(std::string_view authorization);

 private:
  using Digest = std::array<unsigned char, 32>;

  Digest DigestOf(std::string_view user, std::string_view password) const;
  void Remember(const Digest& digest, bool right);

  const std::map<std::string, std::string> users_;
  std::string nobody_;  // what an unknown user's password is compared with
  Digest salt_{};
  std::mutex hashing_;
  mutable std::mutex mutex_;
  std::set<Digest> right_;    // guarded by mutex_; a few of each user
  std::set<Digest> wrong_;    // guarded by mutex_
  std::deque<Digest> order_;  // of wrong_, oldest first; guarded by mutex_
};

}  // namespace rlrun
