// --web.config.file with the real curl and the real openssl: who is let in, how
// it is read again, what is refused. Certificates are made here.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporter/web/router.h"
#include "tests/daemon/exporter_process.h"

namespace rlrun::daemon {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::StartsWith;

// bcrypt of `secret`.
constexpr char kUsers[] =
    "basic_auth_users:\n"
    "  alice: $2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW\n";
constexpr char kReload[] = "rlrun_exporter_config_last_reload_successful";

struct Reply {
  std::string status;  // 000: none came
  std::string body;
  int exit = -1;
};

Reply Curl(std::vector<std::string> arguments) {
  // The body may hold anything: the status stands behind it.
  arguments.insert(arguments.begin(),
                   {"curl", "-s", "--max-time", "60", "-w", "\n%{http_code}"});
  ChildProcess curl(arguments);
  Reply reply;
  reply.exit = curl.Wait(70).value_or(-1);
  reply.body = curl.Out();
  const std::size_t end = reply.body.rfind('\n');
  if (end == std::string::npos) return reply;
  reply.status = reply.body.substr(end + 1);
  reply.body.erase(end);
  return reply;
}

std::string OpenSsl(const std::string& arguments) {
  ChildProcess openssl({"sh", "-c", "openssl " + arguments + " </dev/null"});
  openssl.Wait();
  return openssl.Out() + openssl.Err();
}

// Every path of the server, one with a name behind it where it takes one, and
// some that it has not.
std::vector<std::string> EveryPath() {
  std::vector<std::string> paths = Router(WebOptions(), {}).Paths();
  for (std::size_t i = paths.size(); i-- > 0;) {
    if (paths[i].ends_with('/')) paths.push_back(paths[i] + "-/sums");
  }
  paths.insert(paths.end(), {"/nothing", "/%2e%2e/"});
  return paths;
}

class WebConfigTest : public ::testing::Test {
 protected:
  // An authority, a server, a client with the name scraper.test, and a client
  // that only signs for itself.
  static void SetUpTestSuite() {
    dir_ = new TempDir;
    MakeCertificate("ca", "/CN=test authority", "basicConstraints=CA:TRUE", "");
    MakeServer("server");
    MakeCertificate("client", "/CN=client", "subjectAltName=DNS:scraper.test",
                    "ca");
    MakeCertificate("stranger", "/CN=client", "subjectAltName=DNS:scraper.test",
                    "");
    WriteFile(dir_->File("sums.log"), "step:1 - actor/lr:0.5\n");
  }
  static void TearDownTestSuite() { delete dir_; }

  static void MakeServer(const std::string& name) {
    MakeCertificate(name, "/CN=" + name, "subjectAltName=IP:127.0.0.1", "ca");
  }
  static void MakeCertificate(const std::string& name,
                              const std::string& subject,
                              const std::string& extension,
                              const std::string& signer) {
    const std::string file = dir_->File(name);
    std::string words = "req -x509 -newkey ec -pkeyopt " +
                        std::string("ec_paramgen_curve:P-256 -nodes -days 2") +
                        " -subj '" + subject + "' -addext " + extension +
                        " -keyout " + file + ".key -out " + file + ".crt";
    if (!signer.empty()) {
      words += " -CA " + dir_->File(signer) + ".crt -CAkey " +
               dir_->File(signer) + ".key";
    }
    const std::string said = OpenSsl(words);
    ASSERT_FALSE(ReadFile(file + ".crt").empty()) << said;
  }
  static std::string Tls(const std::string& more = "") {
    return "tls_server_config:\n  cert_file: server.crt\n"
           "  key_file: server.key\n" +
           more;
  }

  void Start(const std::string& config) {
    WriteFile(dir_->File("web.yml"), config);
    exporter_.emplace(std::vector<std::string>{
        dir_->File("sums.log"), "--web.config.file=" + dir_->File("web.yml"),
        "--web.enable-lifecycle"});
    url_ = exporter_->Url();
    ASSERT_FALSE(url_.empty()) << exporter_->Err();
  }
  Reply Get(const std::string& path, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--cacert", dir_->File("ca.crt"), url_ + path});
    return Curl(more);
  }
  std::vector<std::string> As(const std::string& name) const {
    return {"--cert", dir_->File(name + ".crt"), "--key",
            dir_->File(name + ".key")};
  }
  bool WaitForReload(int good, const std::vector<std::string>& more) {
    return WaitUntil([&] {
      return SampleValue(Get("/metrics", more).body, kReload) == good;
    });
  }
  std::string Handshake(const std::string& more) {
    return OpenSsl("s_client -brief -connect " + url_.substr(8) + " " + more);
  }

  static TempDir* dir_;
  std::optional<ExporterProcess> exporter_;
  std::string url_;
};

TempDir* WebConfigTest::dir_ = nullptr;

TEST_F(WebConfigTest, WithoutThePasswordEveryRouteIs401) {
  Start(kUsers);
  EXPECT_TRUE(url_.starts_with("http://"));
  for (const std::string& path : EveryPath()) {
    for (const std::vector<std::string>& who :
         {std::vector<std::string>(), {"-u", "alice:Secret"}}) {
      const Reply none = Get(path, who);
      EXPECT_EQ(none.status, "401") << path;
      EXPECT_EQ(none.body, "401 unauthorized\n") << path;
    }
  }
  EXPECT_EQ(Get("/metrics", {"-u", "bob:secret"}).status, "401");
  EXPECT_EQ(Get("/-/reload", {"-X", "POST"}).status, "401");
  const std::vector<std::string> alice = {"-u", "alice:secret"};
  EXPECT_EQ(Get("/-/healthy", alice).status, "200");
  EXPECT_EQ(Get("/nothing", alice).status, "404");
  EXPECT_TRUE(WaitUntil([&] {
    return SampleValue(Get("/metrics", alice).body, "rlrun_step_actor_lr") ==
           0.5;
  }));
  EXPECT_EQ(Get("/-/reload", {"-X", "POST", "-u", "alice:secret"}).status,
            "200");
}

TEST_F(WebConfigTest, WithoutTheCertificateNoByteIsAnswered) {
  Start(
      Tls("  client_auth_type: RequireAndVerifyClientCert\n"
          "  client_ca_file: ca.crt\n"
          "  client_allowed_sans: [scraper.test]\n"));
  EXPECT_TRUE(url_.starts_with("https://"));
  EXPECT_EQ(Get("/metrics", As("client")).status, "200");
  for (const std::string& path : EveryPath()) {
    // The last: one that the authority has signed for something else.
    for (const auto& who :
         {std::vector<std::string>(), As("stranger"), As("server")}) {
      const Reply none = Get(path, who);
      EXPECT_EQ(none.status, "000") << path;
      EXPECT_EQ(none.body, "") << path;
      EXPECT_NE(none.exit, 0) << path;
    }
  }
  const Reply plain = Curl({"http" + url_.substr(5) + "/metrics"});
  EXPECT_EQ(plain.status, "000");
}

TEST_F(WebConfigTest, WithACertificateThePasswordIsAskedForAsWell) {
  Start(Tls("  client_auth_type: RequireAndVerifyClientCert\n"
            "  client_ca_file: ca.crt\n") +
        kUsers);
  for (const std::string& path : EveryPath()) {
    const Reply none = Get(path, As("client"));
    EXPECT_EQ(none.status, "401") << path;
    EXPECT_EQ(none.body, "401 unauthorized\n") << path;
  }
}

TEST_F(WebConfigTest, WhatIsNoRequestSeesNoMoreThanThatByTlsEither) {
  Start(Tls() + kUsers);
  const std::string connect =
      "openssl s_client -quiet -connect " + url_.substr(8) + " 2>/dev/null";
  const std::pair<const char*, const char*> asks[] = {
      {"printf '<b>\\r\\n\\r\\n'", "400 Bad Request"},
      {"printf 'GET /%09000d HTTP/1.1\\r\\n\\r\\n' 1", "414 URI Too Long"},
      {"printf 'GET / HTTP/1.1\\r\\nA: %020000d\\r\\n\\r\\n' 1",
       "431 Request Header Fields Too Large"}};
  for (const auto& [ask, status] : asks) {
    ChildProcess client({"sh", "-c", std::string(ask) + " | " + connect});
    client.Wait(60);
    const std::string reply = client.Out();
    EXPECT_THAT(reply, StartsWith(std::string("HTTP/1.1 ") + status + "\r\n"));
    EXPECT_THAT(reply, EndsWith("\r\n\r\nmalformed request\n"));
    EXPECT_THAT(reply, Not(HasSubstr("<b>")));
    EXPECT_THAT(reply, Not(HasSubstr("rlrun")));
  }
}

TEST_F(WebConfigTest, VersionsSuitesAndCurvesAreThoseOfTheFile) {
  Start(
      Tls("  max_version: TLS12\n"
          "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]\n"
          "  curve_preferences: [CurveP384]\n"));
  const std::string said = Handshake("");
  EXPECT_THAT(said, HasSubstr("Protocol version: TLSv1.2\n"));
  EXPECT_THAT(said, HasSubstr("Ciphersuite: ECDHE-ECDSA-AES256-GCM-SHA384\n"));
  EXPECT_THAT(said, HasSubstr("Server Temp Key: ECDH, secp384r1"));
  EXPECT_THAT(Handshake("-tls1_3"), HasSubstr("alert protocol version"));
  EXPECT_THAT(Handshake("-cipher ECDHE-ECDSA-AES128-GCM-SHA256"),
              HasSubstr("handshake failure"));
  EXPECT_THAT(Handshake("-curves P-256"), HasSubstr("handshake failure"));
  EXPECT_EQ(Get("/metrics", {"--tlsv1.2"}).status, "200");
}

TEST_F(WebConfigTest, TlsBefore12IsNotServed) {
  Start(Tls());
  EXPECT_THAT(Handshake("-tls1_1 -cipher ALL:@SECLEVEL=0"),
              Not(HasSubstr("Protocol version")));
  EXPECT_THAT(Handshake("-tls1_2"), HasSubstr("Protocol version: TLSv1.2"));
  EXPECT_THAT(Handshake("-tls1_3"), HasSubstr("Protocol version: TLSv1.3"));
  // HTTP/2 is not served, and who can speak HTTP/1.1 is not turned away.
  EXPECT_EQ(Get("/-/healthy", {"--http2"}).status, "200");
}

TEST_F(WebConfigTest, CertificateAndUsersAreReadAgain) {
  Start(Tls() + kUsers);
  const std::vector<std::string> alice = {"-u", "alice:secret"};
  EXPECT_TRUE(WaitForReload(1, alice));
  MakeServer("renewed");
  EXPECT_THAT(Handshake(""), HasSubstr("Peer certificate: CN = server"));
  // The key is not there yet.
  WriteFile(dir_->File("server.crt"), ReadFile(dir_->File("renewed.crt")));
  EXPECT_TRUE(WaitForReload(0, alice)) << exporter_->Err();
  EXPECT_THAT(Handshake(""), HasSubstr("Peer certificate: CN = server"));
  EXPECT_THAT(exporter_->Err(), HasSubstr("not the key of the certificate"));
  WriteFile(dir_->File("server.key"), ReadFile(dir_->File("renewed.key")));
  EXPECT_TRUE(WaitForReload(1, alice)) << exporter_->Err();
  EXPECT_THAT(Handshake(""), HasSubstr("Peer certificate: CN = renewed"));
  // Another user in place of the one that there is.
  std::string config = Tls() + kUsers;
  config.replace(config.find("alice"), 5, "carol");
  WriteFile(dir_->File("web.yml"), config);
  EXPECT_TRUE(WaitForReload(1, {"-u", "carol:secret"})) << exporter_->Err();
  EXPECT_EQ(Get("/metrics", alice).status, "401");
  MakeServer("server");
}

TEST_F(WebConfigTest, FileThatWouldOpenTheServerIsRefused) {
  Start(Tls() + kUsers);
  const std::vector<std::string> alice = {"-u", "alice:secret"};
  for (const std::string& half : {std::string(), Tls(), std::string(kUsers)}) {
    WriteFile(dir_->File("web.yml"), half);
    EXPECT_TRUE(WaitForReload(0, alice)) << half;
    EXPECT_EQ(Get("/metrics").status, "401") << half;
    const Reply reply = Get("/-/reload", {"-X", "POST", "-u", "alice:secret"});
    EXPECT_EQ(reply.status, "500");
    EXPECT_THAT(reply.body, HasSubstr("takes a restart"));
    WriteFile(dir_->File("web.yml"), Tls() + kUsers);
    EXPECT_TRUE(WaitForReload(1, alice)) << half;
  }
}

TEST_F(WebConfigTest, WhatCannotBeHonouredIsRefusedWithItsLine) {
  const struct {
    std::string config, error;
  } cases[] = {
      {"tls_server_config:\n  cret_file: a\n",
       "web.yml:2: tls_server_config.cret_file: unknown key; did you mean "
       "cert_file?"},
      {"tls:\n", "web.yml:1: tls: unknown key; known here: tls_server_config"},
      {Tls("  min_version: TLS10\n"),
       "web.yml:4: tls_server_config.min_version"
       ": TLS before 1.2 is not served"},
      {Tls("  curve_preferences: [X25519MLKEM768]\n"),
       "web.yml:4: tls_server_config.curve_preferences[0]: X25519MLKEM768 is "
       "no curve that this OpenSSL has"},
      {Tls("  cipher_suites: [TLS_MADE_UP]\n"),
       "web.yml:4: tls_server_config.cipher_suites[0]: TLS_MADE_UP is no"},
      {Tls("  client_auth_type: RequireAndVerifyClientCert\n"),
       "needs client_ca_file"},
      {Tls("  client_auth_type: Sometimes\n"), "web.yml:4: "},
      {Tls("  client_ca_file: ca.crt\n"), "without client_auth_type"},
      {Tls("  client_auth_type: RequestClientCert\n"
           "  client_allowed_sans: [a]\n"),
       "web.yml:5: tls_server_config.client_allowed_sans: needs"},
      {"tls_server_config:\n  cert_file: none.crt\n  key_file: server.key\n",
       "none.crt: No such file or directory"},
      {"tls_server_config:\n  cert_file: server.crt\n  key_file: client.key\n",
       "client.key: not the key of the certificate in "},
      {"tls_server_config:\n  cert_file: server.key\n  key_file: server.key\n",
       "server.key: no certificate in PEM"},
      {"http_server_config:\n  headers:\n    Server: x\n",
       "web.yml:3: http_server_config.headers.Server: unknown key"},
      {"http_server_config:\n  headers:\n    X-Frame-Options: maybe\n",
       "must be deny or sameorigin"},
      {"basic_auth_users:\n  alice: secret\n",
       "web.yml:2: basic_auth_users.alice: must be a bcrypt hash"},
      {"rate_limit:\n  interval: 1s\n", "burst must be 1 or more"},
  };
  for (const auto& c : cases) {
    WriteFile(dir_->File("web.yml"), c.config);
    const CommandResult result =
        RunExporter({"serve", dir_->path(), "--web.listen-address=127.0.0.1:0",
                     "--web.config.file=" + dir_->File("web.yml")});
    EXPECT_THAT(result.status, Optional(64)) << c.config;
    EXPECT_THAT(result.err, HasSubstr(c.error)) << c.config;
    EXPECT_THAT(result.err, Not(HasSubstr("secret"))) << c.config;
    const CommandResult check = RunExporter(
        {"check-config", "--web.config.file=" + dir_->File("web.yml")});
    EXPECT_THAT(check.status, Optional(64)) << c.config;
    EXPECT_THAT(check.err, HasSubstr(c.error)) << c.config;
  }
  WriteFile(dir_->File("web.yml"), Tls() + kUsers);
  EXPECT_THAT(RunExporter({"check-config",
                           "--web.config.file=" + dir_->File("web.yml")})
                  .out,
              HasSubstr("web.yml: ok, TLS, 1 user\n"));
}

// Clients that connect and say nothing, or half of something.
TEST_F(WebConfigTest, AHundredHalfOpenClientsKeepNoScrapeWaiting) {
  Start(Tls() + kUsers);
  const std::vector<std::string> alice = {"-u", "alice:secret"};
  EXPECT_EQ(Get("/metrics", alice).status, "200");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(
      static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1))));
  std::vector<int> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(clients.back(), reinterpret_cast<sockaddr*>(&address),
                        sizeof address),
              0);
    // The first bytes of a handshake.
    if (i % 2 == 0) ::send(clients.back(), "\x16\x03\x01", 3, MSG_NOSIGNAL);
  }
  EXPECT_EQ(Get("/metrics", alice).status, "200");
  for (const int fd : clients) ::close(fd);
}

}  // namespace
}  // namespace rlrun::daemon
