#include "exporter/web/http_exchange.h"

#include <gmock/gmock.h>

namespace rlrun {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// bcrypt of `secret`.
constexpr char kHash[] =
    "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";
constexpr char kAlice[] = "Authorization: Basic YWxpY2U6c2VjcmV0\r\n";
constexpr char kWrong[] = "Authorization: Basic YWxpY2U6U2VjcmV0\r\n";

// What the router answers, and each that takes a name with one behind it.
std::vector<std::string> EveryPath(const Router& router) {
  std::vector<std::string> paths = router.Paths();
  for (std::size_t i = paths.size(); i-- > 0;) {
    if (paths[i].ends_with('/') && paths[i] != "/") {
      paths.push_back(paths[i] + "p/r");
    }
  }
  return paths;
}

class HttpExchangeTest : public ::testing::Test {
 protected:
  // As a listener does it: again where the password is to be checked.
  std::string Ask(const std::string& head, double now = 0) {
    Exchange exchange;
    exchange.head = head + "\r\n";
    if (access_ == nullptr)
      access_ = std::make_shared<Access>(options_, nullptr);
    exchange.access = access_;
    exchanger_.Answer(&exchange, now);
    checked_ = exchange.unchecked;
    if (exchange.unchecked) {
      exchange.may_check = true;
      exchanger_.Answer(&exchange, now);
    }
    close_ = exchange.close;
    return exchange.answer;
  }

  AccessOptions options_;
  std::shared_ptr<Access> access_;
  bool checked_ = false;  // of the last one
  bool close_ = false;    // likewise
  Router router_{WebOptions(), WebCallbacks()};
  HttpExchanger exchanger_{&router_, HttpLimits()};
};

TEST_F(HttpExchangeTest, NothingButA401WithoutThePasswordOnEveryRoute) {
  options_.users["alice"] = kHash;
  std::vector<std::string> paths = EveryPath(router_);
  paths.insert(paths.end(), {"/nothing", "/<script>", "*"});
  for (const std::string& path : paths) {
    for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "FOO"}) {
      for (const char* given :
           {"", kWrong, "Authorization: Bearer x\r\n",
            "Expect: 100-continue\r\n", "Range: bytes=x\r\n"}) {
        const std::string reply =
            Ask(std::string(method) + " " + path + " HTTP/1.1\r\n" + given);
        EXPECT_THAT(reply, StartsWith("HTTP/1.1 401 ")) << path;
        EXPECT_THAT(reply, HasSubstr("\r\nWWW-Authenticate: Basic realm="));
        EXPECT_THAT(reply, Not(HasSubstr("script")));
        if (std::string(method) != "HEAD") {
          EXPECT_THAT(reply, EndsWith("\r\n\r\n401 unauthorized\n"));
        }
      }
    }
  }
}

// Else the test above would be of paths that there are none of.
TEST_F(HttpExchangeTest, EveryPathOfTheRouterIsAnswered) {
  options_.users["alice"] = kHash;
  const std::vector<std::string> paths = EveryPath(router_);
  EXPECT_THAT(paths, ::testing::IsSupersetOf({"/metrics", "/", "/runs/p/r"}));
  for (const std::string& path : paths) {
    EXPECT_THAT(Ask("GET " + path + " HTTP/1.1\r\n" + kAlice),
                Not(HasSubstr("404 not found")))
        << path;
  }
}

// No question for a password, and not a word of what was sent either.
TEST_F(HttpExchangeTest, WhatIsNoRequestIsAnsweredByAFixedText) {
  options_.users["alice"] = kHash;
  options_.headers = {{"X-Frame-Options", "deny"}};
  const std::pair<std::string, const char*> heads[] = {
      {"<b>\r\n", "400 Bad Request"},
      {"<b>(> / HTTP/1.1\r\n", "400 Bad Request"},
      {"GET /<b> HTTP/9.9\r\n", "400 Bad Request"},
      {"GET /<b>\r\n", "400 Bad Request"},
      {"GET /<b>" + std::string(9000, 'b') + " HTTP/1.1\r\n",
       "414 URI Too Long"},
      {"GET / HTTP/1.1\r\nA: " + std::string(9000, 'b') + "\r\n",
       "400 Bad Request"},
      {std::string("\0\0<b> x\r\n", 9), "400 Bad Request"}};
  for (const auto& [head, status] : heads) {
    EXPECT_EQ(Ask(head), std::string("HTTP/1.1 ") + status +
                             "\r\nAccept-Ranges: none\r\n"
                             "Cache-Control: no-store\r\n"
                             "Connection: close\r\n"
                             "Content-Length: 18\r\n"
                             "Content-Type: text/plain; charset=utf-8\r\n"
                             "X-Content-Type-Options: nosniff\r\n\r\n"
                             "malformed request\n")
        << head.substr(0, 40);
    EXPECT_TRUE(close_);
  }
}

TEST_F(HttpExchangeTest, PasswordIsCheckedOnceAndKnownThen) {
  options_.users["alice"] = kHash;
  const std::string ask = std::string("GET /-/healthy HTTP/1.1\r\n") + kAlice;
  EXPECT_THAT(Ask(ask), StartsWith("HTTP/1.1 200 "));
  EXPECT_TRUE(checked_);
  EXPECT_THAT(Ask(ask), StartsWith("HTTP/1.1 200 "));
  EXPECT_FALSE(checked_);
}

TEST_F(HttpExchangeTest, TwoAuthorizationsAreNone) {
  options_.users["alice"] = kHash;
  EXPECT_THAT(Ask(std::string("GET / HTTP/1.1\r\n") + kAlice + kWrong),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Ask(std::string("GET / HTTP/1.1\r\n") + kWrong + kAlice),
              StartsWith("HTTP/1.1 401 "));
}

TEST_F(HttpExchangeTest, HeadersOfTheFileAreOnEveryAnswer) {
  options_.headers = {{"X-Frame-Options", "deny"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Content-Security-Policy", "frame-ancestors 'none'"}};
  for (const char* path : {"/", "/metrics", "/nothing"}) {
    const std::string reply = Ask("GET " + std::string(path) + " HTTP/1.1\r\n");
    EXPECT_THAT(reply, HasSubstr("\r\nX-Frame-Options: deny\r\n"));
    EXPECT_THAT(reply,
                HasSubstr("Content-Security-Policy: frame-ancestors 'none'"));
    const std::size_t sniff = reply.find("nosniff");
    EXPECT_EQ(reply.find("nosniff", sniff + 1), reply.npos);
  }
  // The page's own policy holds as well.
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\n"),
              HasSubstr("Content-Security-Policy: default-src 'none'"));
}

TEST_F(HttpExchangeTest, HeaderOfARouteStandsInPlaceOfTheDefault) {
  const std::string reply = Ask("GET /favicon.svg HTTP/1.1\r\n");
  const std::size_t first = reply.find("Cache-Control:");
  EXPECT_THAT(reply, HasSubstr("Cache-Control: max-age="));
  EXPECT_EQ(reply.find("Cache-Control:", first + 1), reply.npos);
}

TEST_F(HttpExchangeTest, MoreRequestsThanTheLimitAre429) {
  options_.rate_interval = 10;
  options_.rate_burst = 2;
  const std::string ask = "GET /-/healthy HTTP/1.1\r\n";
  EXPECT_THAT(Ask(ask, 100), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(ask, 100), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(ask, 109), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(Ask(ask, 110), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(ask, 110), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(Ask(ask, 1000), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpExchangeTest, WhatIsAskedForIsNotRepeatedInTheAnswer) {
  for (const std::string ask :
       {"GET /runs/<b>x</b>?refresh=<b> HTTP/1.1\r\n",
        "GET /%3Cb%3E HTTP/1.1\r\n", "<b> / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nRange: <b>\r\n", "POST /<b> HTTP/1.1\r\n"}) {
    EXPECT_THAT(Ask(ask), Not(HasSubstr("<b>"))) << ask;
  }
}

TEST_F(HttpExchangeTest, BodyEndsTheConnection) {
  Ask("GET / HTTP/1.1\r\n");
  EXPECT_FALSE(close_);
  for (const char* head :
       {"HEAD / HTTP/1.1\r\nContent-Length: 5\r\n", "GET / HTTP/1.0\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", "nonsense\r\n"}) {
    EXPECT_THAT(Ask(head), HasSubstr("\r\nConnection: close\r\n")) << head;
    EXPECT_TRUE(close_) << head;
  }
}

TEST(CheckAccessChangeTest, WhatOpensTheServerTakesARestart) {
  AccessOptions open, users, tls, verify, sans;
  users.users["alice"] = kHash;
  tls.tls = TlsOptions();
  verify.tls = tls.tls;
  verify.tls->client_auth = ClientAuth::kVerify;
  sans = verify;
  sans.tls->allowed_sans = {"a"};
  EXPECT_EQ(CheckAccessChange(open, users), "");
  EXPECT_EQ(CheckAccessChange(tls, verify), "");
  EXPECT_EQ(CheckAccessChange(verify, sans), "");
  AccessOptions strict = tls, limited;
  strict.tls->min_minor = 3;
  EXPECT_EQ(CheckAccessChange(tls, strict), "");
  EXPECT_THAT(CheckAccessChange(strict, tls), HasSubstr("min_version"));
  strict = tls;
  strict.tls->cipher_suites = {"a"};
  EXPECT_THAT(CheckAccessChange(strict, tls), HasSubstr("cipher_suites"));
  strict.tls->cipher_suites = {};
  strict.tls->curve_preferences = {"a"};
  EXPECT_THAT(CheckAccessChange(strict, tls), HasSubstr("curve_preferences"));
  limited.rate_interval = 1;
  EXPECT_EQ(CheckAccessChange(open, limited), "");
  EXPECT_THAT(CheckAccessChange(limited, open), HasSubstr("rate_limit"));
  EXPECT_THAT(CheckAccessChange(users, open), HasSubstr("no password"));
  EXPECT_THAT(CheckAccessChange(tls, open), HasSubstr("turn it off"));
  EXPECT_THAT(CheckAccessChange(open, tls), HasSubstr("turn it on"));
  EXPECT_THAT(CheckAccessChange(verify, tls), HasSubstr("less"));
  EXPECT_THAT(CheckAccessChange(sans, verify), HasSubstr("allowed_sans"));
}

}  // namespace
}  // namespace rlrun
