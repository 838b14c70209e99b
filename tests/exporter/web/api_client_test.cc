#include "exporter/web/api_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <thread>

#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A server of the library on a free loopback port.
class Stub {
 public:
  explicit Stub(std::unique_ptr<httplib::Server> server)
      : server_(std::move(server)) {
    server_->Get("/api", [](const auto&, auto& r) {
      r.set_content("fine", "application/json");
    });
    server_->Get("/busy", [](const auto&, auto& r) { r.status = 503; });
    server_->Get("/closed", [](const auto& q, auto& r) {
      r.status =
          q.get_header_value("Authorization") == "Basic YTpi" ? 200 : 401;
    });
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
    return GetFromApi(stub_.Url("http"), path, access_, limits_, &body_);
  }
  Stub stub_{std::make_unique<httplib::Server>()};
  ApiAccess access_;
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
  EXPECT_EQ(
      GetFromApi(stub_.Url("http") + "//", "/api", access_, limits_, &body_),
      "");
  EXPECT_THAT(GetFromApi(stub_.Url("http") + "/prefix", "/api", access_,
                         limits_, &body_),
              HasSubstr("404, nothing there"));
}

TEST_F(ApiClient, StatusesAreSaidInWords) {
  EXPECT_THAT(Get("/nothing"), AllOf(HasSubstr(stub_.Url("http")),
                                     HasSubstr("--web.external-url")));
  EXPECT_THAT(Get("/busy"), HasSubstr("503, no reports yet"));
  EXPECT_THAT(Get("/closed"),
              HasSubstr("401, it asks for credentials; --http.config.file"));
  EXPECT_THAT(Get("/odd"), HasSubstr("status 418"));
}

TEST_F(ApiClient, AuthorizationIsSentAndSentNoFurther) {
  access_.authorization = "Basic YTpi";
  EXPECT_EQ(Get("/closed"), "");
  EXPECT_THAT(Get("/moved"), AllOf(HasSubstr("302, it sends on to /api"),
                                   HasSubstr("credentials are for the URL")));
  access_.authorization = "Basic YTpj";
  EXPECT_THAT(Get("/closed"), HasSubstr("401, it does not take these"));
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
  EXPECT_THAT(GetFromApi(stub_.Url("https"), "/api", access_, limits_, &body_),
              HasSubstr("no TLS connection; does it speak plain http?"));
}

TEST(ApiClientAlone, NobodyListens) {
  std::string url;
  { url = Stub(std::make_unique<httplib::Server>()).Url("http"); }
  std::string body;
  EXPECT_THAT(GetFromApi(url, "/api", {}, {}, &body),
              AllOf(HasSubstr(url), HasSubstr("connection refused")));
}

TEST(ApiClientAlone, NameThatNobodyKnows) {
  std::string body;
  EXPECT_THAT(GetFromApi("http://no-such-host.invalid:1", "/", {}, {}, &body),
              HasSubstr("the name no-such-host.invalid is not known"));
}

// A certificate of 127.0.0.1 that signs for itself.
class TlsStub {
 public:
  explicit TlsStub(int seconds = 3600)
      : key_(EVP_RSA_gen(2048), &EVP_PKEY_free), cert_(X509_new(), &X509_free) {
    X509_set_version(cert_.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert_.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert_.get()), -7200);
    X509_gmtime_adj(X509_getm_notAfter(cert_.get()), seconds);
    X509_set_pubkey(cert_.get(), key_.get());
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(cert_.get()), "CN", MBSTRING_ASC,
        reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
    X509_set_issuer_name(cert_.get(), X509_get_subject_name(cert_.get()));
    const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> san(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name,
                            "IP:127.0.0.1"),
        &X509_EXTENSION_free);
    X509_add_ext(cert_.get(), san.get(), -1);
    X509_sign(cert_.get(), key_.get(), EVP_sha256());
    stub_ = std::make_unique<Stub>(
        std::make_unique<httplib::SSLServer>(cert_.get(), key_.get()));
    const std::unique_ptr<BIO, int (*)(BIO*)> out(
        BIO_new_file(File().c_str(), "w"), &BIO_free);
    PEM_write_bio_X509(out.get(), cert_.get());
  }
  std::string File() const { return folder_ / "ca.crt"; }
  std::string Get(const ApiAccess& access) const {
    std::string body;
    const std::string wrong =
        GetFromApi(stub_->Url("https"), "/api", access, {}, &body);
    EXPECT_EQ(body, wrong.empty() ? "fine" : "");
    return wrong;
  }

 private:
  const TempFolder folder_;
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> cert_;
  std::unique_ptr<Stub> stub_;
};

TEST(ApiClientAlone, CertificateThatNobodyTrusts) {
  const TlsStub stub;
  EXPECT_THAT(stub.Get({}), AllOf(HasSubstr("certificate is not trusted"),
                                  HasSubstr("SSL_CERT_FILE")));
  const TlsStub other;
  ApiAccess access;
  access.ca_file = other.File();
  EXPECT_THAT(stub.Get(access),
              HasSubstr("not of an authority in " + other.File()));
  access.ca_file = "/nowhere/ca.crt";
  EXPECT_THAT(stub.Get(access), HasSubstr("/nowhere/ca.crt: no certificate"));
}

TEST(ApiClientAlone, CertificateOfAnAuthorityOfTheFile) {
  const TlsStub stub;
  ApiAccess access;
  access.ca_file = stub.File();
  EXPECT_EQ(stub.Get(access), "");
}

TEST(ApiClientAlone, CertificateThatHasExpired) {
  const TlsStub stub(-60);
  ApiAccess access;
  access.ca_file = stub.File();
  EXPECT_THAT(stub.Get(access), HasSubstr("has expired"));
  access.skip_verify = true;
  EXPECT_EQ(stub.Get(access), "");
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
    EXPECT_THAT(CheckApiUrl(bad), Not(HasSubstr("pw"))) << bad;
  }
}

}  // namespace
}  // namespace rlrun
