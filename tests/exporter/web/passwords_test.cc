#include "exporter/web/passwords.h"

#include <gmock/gmock.h>

#include <vector>

namespace rlrun {
namespace {

using ::testing::Optional;

// bcrypt of `secret`, in each of the three forms that are in use.
constexpr char kY[] =
    "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";
constexpr char kB[] =
    "$2b$05$ABCDEFGHIJKLMNOPQRSTUu6etqWyiSjMSF4tl3grqWcjDUkRhrNJe";
constexpr char kA[] =
    "$2a$04$0123456789abcdefghijkug0jfygDNbCc4YKM81lye0HjT.L3552O";

constexpr char kAlice[] = "Basic YWxpY2U6c2VjcmV0";        // alice:secret
constexpr char kWrong[] = "Basic YWxpY2U6U2VjcmV0";        // alice:Secret
constexpr char kUnknown[] = "Basic bm9ib2R5OnNlY3JldA==";  // nobody:secret

Passwords OneUser(const std::string& user, const std::string& hash) {
  return Passwords(std::map<std::string, std::string>{{user, hash}});
}

TEST(PasswordsTest, EveryFormOfBcryptIsChecked) {
  for (const char* hash : {kY, kB, kA}) {
    EXPECT_EQ(CheckPasswordHash(hash), "");
    Passwords passwords = OneUser("alice", hash);
    EXPECT_TRUE(passwords.Check(kAlice)) << hash;
    EXPECT_FALSE(passwords.Check(kWrong)) << hash;
    EXPECT_FALSE(passwords.Check(kUnknown)) << hash;
  }
}

TEST(PasswordsTest, WhatWasCheckedOnceIsKnown) {
  Passwords passwords = OneUser("alice", kY);
  for (const char* header : {kAlice, kWrong, kUnknown}) {
    EXPECT_EQ(passwords.Known(header), std::nullopt);
    const bool right = passwords.Check(header);
    EXPECT_EQ(right, header == kAlice);
    EXPECT_THAT(passwords.Known(header), Optional(right));
  }
  EXPECT_EQ(OneUser("alice", kY).Known(kAlice), std::nullopt);
}

TEST(PasswordsTest, GuessesDoNotDriveOutWhoIsRight) {
  Passwords passwords = OneUser("alice", kY);
  EXPECT_TRUE(passwords.Check(kAlice));
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";
  for (const char a : digits) {
    for (const char b : digits) {
      // alice:x and two bytes more
      passwords.Check(std::string("Basic YWxpY2U6eH") + a + b);
    }
  }
  EXPECT_THAT(passwords.Known(kAlice), Optional(true));
}

TEST(PasswordsTest, SchemeInAnyCaseAndSeveralBlanks) {
  Passwords passwords = OneUser("alice", kY);
  EXPECT_TRUE(passwords.Check("bASIC   YWxpY2U6c2VjcmV0"));
}

TEST(PasswordsTest, ColonIsOfThePassword) {
  // a:b of user `u`: no such user, and no crash.
  EXPECT_FALSE(OneUser("u:a", kY).Check("Basic dTphOmI="));
}

// crypt takes a NUL for the end: `secret`, NUL, `x` must not be `secret`.
TEST(PasswordsTest, NulDoesNotEndThePassword) {
  Passwords passwords = OneUser("alice", kY);
  EXPECT_THAT(passwords.Known("Basic YWxpY2U6c2VjcmV0AHg="), Optional(false));
  EXPECT_FALSE(passwords.Check("Basic YWxpY2U6c2VjcmV0AHg="));
}

TEST(PasswordsTest, WhatIsNoBasicHeaderIsRefusedAtOnce) {
  const Passwords passwords = OneUser("alice", kY);
  for (const char* header : {"", "Basic", "Basic ", "Bearer YWxpY2U6c2VjcmV0",
                             "Basic YWxpY2U", "Basic YWxp*2U6c2VjcmV0",
                             "Basic YWxpY2U6c2VjcmV0 ", "Basic ====", "Basic A",
                             "YWxpY2U6c2VjcmV0", "Basic\tYWxpY2U6c2VjcmV0"}) {
    EXPECT_THAT(passwords.Known(header), Optional(false)) << header;
  }
}

TEST(PasswordsTest, EmptyPasswordIsNotRight) {
  EXPECT_FALSE(OneUser("alice", kY).Check("Basic YWxpY2U6"));
}

TEST(CheckPasswordHashTest, WhatIsNoBcryptIsRefused) {
  std::vector<std::string> odd = {"",
                                  "secret",
                                  "$2y$",
                                  "$1$abcdefgh$0123456789012345678901",
                                  std::string(60, '$'),
                                  std::string(kY) + "a",
                                  std::string(kY).substr(0, 59),
                                  "$2x" + std::string(kY).substr(3),
                                  "$2y$03" + std::string(kY).substr(6),
                                  "$2y$17" + std::string(kY).substr(6),
                                  "$2y$+4" + std::string(kY).substr(6)};
  std::string plus = kY;
  plus[30] = '+';
  odd.push_back(plus);
  for (const std::string& hash : odd) {
    EXPECT_NE(CheckPasswordHash(hash), "") << hash;
  }
}

}  // namespace
}  // namespace rlrun
