#include "exporter/config/client_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ClientConfig : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::vector<std::string> Errors(const std::string& text) {
    return ParseClientConfig(text, folder_ / "c.yml", &access_);
  }
  std::string AuthorizationOf(const std::string& text) {
    EXPECT_THAT(Errors(text), IsEmpty()) << text;
    return access_.authorization;
  }

  const TempFolder folder_;
  ApiAccess access_;
};

TEST_F(ClientConfig, PasswordIsTextOrTheTrimmedFileBesideIt) {
  EXPECT_EQ(AuthorizationOf("basic_auth: {username: alice, password: secret}"),
            "Basic YWxpY2U6c2VjcmV0");
  Put("password", "secret\r\n");
  Put("user", " alice\n");
  EXPECT_EQ(
      AuthorizationOf("basic_auth: {username: alice, password_file: password}"),
      "Basic YWxpY2U6c2VjcmV0");
  EXPECT_EQ(AuthorizationOf(
                "basic_auth: {username_file: user, password_file: password}"),
            "Basic YWxpY2U6c2VjcmV0");
  EXPECT_EQ(AuthorizationOf("basic_auth: {username: a}"), "Basic YTo=");
  EXPECT_EQ(AuthorizationOf("authorization: {credentials: t0ken}"),
            "Bearer t0ken");
  EXPECT_EQ(
      AuthorizationOf("authorization: {type: X, credentials_file: password}"),
      "X secret");
  EXPECT_EQ(AuthorizationOf(""), "");
}

TEST_F(ClientConfig, TlsFilesAreBesideIt) {
  Put("ca.crt", "-----BEGIN CERTIFICATE-----\n");
  EXPECT_THAT(Errors("tls_config: {ca_file: ca.crt}"), IsEmpty());
  EXPECT_EQ(access_.ca_file, folder_ / "ca.crt");
  EXPECT_FALSE(access_.skip_verify);
  EXPECT_THAT(Errors("tls_config: {insecure_skip_verify: true}"), IsEmpty());
  EXPECT_TRUE(access_.skip_verify);
}

TEST_F(ClientConfig, WhatIsWrongIsSaidWithItsLineAndWithoutASecret) {
  Put("broken", "se\ncret");
  Put("no.crt", "secret");
  const struct {
    std::string text, error;
  } cases[] = {
      {"basic_auth: {username: a, user: a}",
       ":1: basic_auth.user: unknown key"},
      {"basic_auth: {password: secret}", "username is missing"},
      {"basic_auth: {username: 'a:b', password: secret}", "hold a colon"},
      {"basic_auth: {username: a, password: secret, password_file: f}",
       "give one of the two"},
      {"basic_auth: {username: a, password_file: none}",
       "none: No such file or directory"},
      {"basic_auth: {username: a, password_file: broken}",
       "control characters"},
      {"basic_auth: {username: a}\nauthorization: {credentials: secret}",
       ":2: authorization: stands beside basic_auth"},
      {"authorization: {type: Bearer}", "credentials are missing"},
      {"tls_config: {ca_file: no.crt}", "no.crt: no certificate in PEM"},
      {"tls_config: {ca_file: ''}", "is empty"},
      {"tls_config: {cert_file: no.crt}", "belong together"},
      {"tls_config: {cert_file: no.crt, key_file: no.crt}",
       "no.crt: no certificate in PEM"},
      {"tls_config: {server_name: x}", "tls_config.server_name: unknown key"},
      {"oauth2: {}", ":1: oauth2: unknown key"},
  };
  for (const auto& c : cases) {
    const std::vector<std::string> errors = Errors(c.text);
    EXPECT_THAT(errors, ElementsAre(HasSubstr(c.error))) << c.text;
    for (const std::string& e : errors)
      EXPECT_THAT(e, Not(HasSubstr("secret")));
  }
  EXPECT_THAT(LoadClientConfig(folder_ / "none.yml", &access_),
              ElementsAre(HasSubstr("none.yml: No such file")));
}

}  // namespace
}  // namespace rlrun
