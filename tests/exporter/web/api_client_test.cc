#include "exporter/web/api_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <thread>

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A server of the library on a free loopback port.
class Stub {
 public:
  explicit Stub(std::unique_ptr<httplib::Server> server)
      : server_(std::move(server)) {
    server_->Get("/api", [](const auto&, auto& r) {
      r.set_content("fine", "application/json");
    });
    server_->Get("/busy", [](const auto&, auto& r) { r.status = 503; });
    server_->Get("/closed", [](const auto&, auto& r) { r.status = 401; });
    server_->Get("/odd", [](const auto&, auto& r) { r.status = 418; });
    server_->Get("/moved",
                 [](const auto&, auto& r) { r.set_redirect("/api"); });
    server_->Get("/large", [](const auto&, auto& r) {
      r.set_content(std::string(5000, 'x'), "text/plain");
    });
    server_->Get("/slow", [](const auto&, auto& r) {
      r.set_content_provider(
          1u << 20, "text/plain",
          [](std::size_t, std::size_t, httplib::DataSink& sink) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return sink.write("x", 1);
          });
    });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~Stub() {
    server_->stop();
    thread_.join();
  }
  std::string Url(const std::string& scheme) const {
    return scheme + "://127.0.0.1:" + std::to_string(port_);
  }

 private:
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::thread thread_;
};

class ApiClient : public ::testing::Test {
 protected:
  std::string Get(const std::string& path) {
    return GetFromApi(stub_.Url("http"), path, limits_, &body_);
  }
  Stub stub_{std::make_unique<httplib::Server>()};
  ApiLimits limits_;
  std::string body_;
};

TEST_F(ApiClient, AnswerIsTheBodyAlsoBehindARedirect) {
  EXPECT_EQ(Get("/api"), "");
  EXPECT_EQ(body_, "fine");
  EXPECT_EQ(Get("/moved"), "");
  EXPECT_EQ(body_, "fine");
}

TEST_F(ApiClient, PrefixAndLastSlashOfTheUrl) {
  EXPECT_EQ(GetFromApi(stub_.Url("http") + "//", "/api", limits_, &body_), "");
  EXPECT_THAT(
      GetFromApi(stub_.Url("http") + "/prefix", "/api", limits_, &body_),
      HasSubstr("404, nothing there"));
}

TEST_F(ApiClient, StatusesAreSaidInWords) {
  EXPECT_THAT(Get("/nothing"), AllOf(HasSubstr(stub_.Url("http")),
                                     HasSubstr("--web.external-url")));
  EXPECT_THAT(Get("/busy"), HasSubstr("503, no reports yet"));
  EXPECT_THAT(Get("/closed"), HasSubstr("401, it asks for credentials"));
  EXPECT_THAT(Get("/odd"), HasSubstr("status 418"));
}

TEST_F(ApiClient, AnswerThatNeverEndsIsGivenUp) {
  limits_.whole = std::chrono::milliseconds(100);
  EXPECT_THAT(Get("/slow"), HasSubstr("no answer within 1 s"));
}

TEST_F(ApiClient, AnswerThatIsTooLargeIsGivenUp) {
  limits_.bytes = 1000;
  EXPECT_THAT(Get("/large"), HasSubstr("too large"));
}

TEST_F(ApiClient, TlsToAPlainServer) {
  EXPECT_THAT(GetFromApi(stub_.Url("https"), "/api", limits_, &body_),
              HasSubstr("no TLS connection; does it speak plain http?"));
}

TEST(ApiClientAlone, NobodyListens) {
  std::string url;
  { url = Stub(std::make_unique<httplib::Server>()).Url("http"); }
  std::string body;
  EXPECT_THAT(GetFromApi(url, "/api", {}, &body),
              AllOf(HasSubstr(url), HasSubstr("connection refused")));
}

TEST(ApiClientAlone, NameThatNobodyKnows) {
  std::string body;
  EXPECT_THAT(GetFromApi("http://no-such-host.invalid:1", "/", {}, &body),
              HasSubstr("the name no-such-host.invalid is not known"));
}

TEST(ApiClientAlone, CertificateThatNobodyTrusts) {
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_RSA_gen(2048),
                                                     &EVP_PKEY_free);
  std::unique_ptr<X509, void (*)(X509*)> cert(X509_new(), &X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
  X509_set_pubkey(cert.get(), key.get());
  ASSERT_NE(X509_sign(cert.get(), key.get(), EVP_sha256()), 0);
  const Stub stub(std::make_unique<httplib::SSLServer>(cert.get(), key.get()));
  std::string body;
  EXPECT_THAT(GetFromApi(stub.Url("https"), "/api", {}, &body),
              AllOf(HasSubstr("certificate is not trusted"),
                    HasSubstr("SSL_CERT_FILE")));
  EXPECT_EQ(body, "");
}

TEST(CheckApiUrl, WhatIsNoUrlOfAnExporter) {
  for (const char* good :
       {"http://host:10190", "https://host", "host:10190", "host",
        "http://[::1]:10190/rl/", "http://127.0.0.1:65535"}) {
    EXPECT_EQ(CheckApiUrl(good), "") << good;
  }
  for (const char* bad :
       {"", "ftp://host", "http://", "http://host:", "http://host:x",
        "http://host:65536", "http://host:123456", "http://a b", "http://h?x",
        "http://h#x", "http://user:pw@host", "http://:80"}) {
    EXPECT_NE(CheckApiUrl(bad), "") << bad;
  }
}

}  // namespace
}  // namespace rlrun
