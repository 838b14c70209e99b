// `status --url` against an exporter that asks for TLS, a client certificate
// and a password: who it says it is, and what it says of a refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"

namespace rlrun::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

class StatusUrl : public ::testing::Test {
 protected:
  StatusUrl() {
    std::string log;
    for (int i = 1; i <= 12; ++i) {
      log += "step:" + std::to_string(i) + " - actor/lr:1e-06\n";
    }
    WriteFile(dir_.File("sums.log"), log);
  }
  // Of 127.0.0.1; it signs for itself.
  void MakeCertificate(const std::string& name) {
    ChildProcess openssl(
        {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
         dir_.File(name + ".key"), "-out", dir_.File(name + ".crt")});
    ASSERT_THAT(openssl.Wait(), Optional(0)) << openssl.Err();
  }
  // bcrypt of `secret`.
  void Start(const std::string& more_tls = "") {
    MakeCertificate("server");
    WriteFile(dir_.File("web.yml"),
              "tls_server_config:\n  cert_file: server.crt\n"
              "  key_file: server.key\n" +
                  more_tls +
                  "basic_auth_users:\n  alice: $2y$04$abcdefghijklmnopqrstuu2r9"
                  "OfJnfCsdneAXAGHnS4UpFFP8WIrW\n");
    exporter_.emplace(std::vector<std::string>{
        dir_.File("sums.log"), "--web.config.file=" + dir_.File("web.yml")});
    ASSERT_FALSE(exporter_->Url().empty()) << exporter_->Err();
  }
  CommandResult Ask(const std::string& config) {
    std::vector<std::string> words = {"status", "--url=" + exporter_->Url()};
    if (!config.empty()) {
      WriteFile(dir_.File("client.yml"), config);
      words.push_back("--http.config.file=" + dir_.File("client.yml"));
    }
    return RunExporter(words);
  }
  static constexpr char kAlice[] =
      "basic_auth: {username: alice, password_file: password}\n";

  const TempDir dir_;
  std::optional<ExporterProcess> exporter_;
};

TEST_F(StatusUrl, PasswordAndAuthorityComeFromTheFile) {
  Start();
  WriteFile(dir_.File("password"), "secret\n");
  const std::string good =
      std::string(kAlice) + "tls_config: {ca_file: server.crt}\n";
  ASSERT_TRUE(WaitUntil([&] { return Ask(good).status == 0; }))
      << Ask(good).err;
  const CommandResult report = Ask(good);
  EXPECT_THAT(report.out, HasSubstr("status — sums\n"));
  EXPECT_THAT(report.err, IsEmpty());
  // Each of the two missing, and a wrong one.
  const CommandResult stranger = Ask("");
  EXPECT_THAT(stranger.status, Optional(3));
  EXPECT_THAT(stranger.err, AllOf(HasSubstr("certificate is not trusted"),
                                  HasSubstr("--http.config.file")));
  EXPECT_THAT(Ask(kAlice).err, HasSubstr("certificate is not trusted"));
  const CommandResult nobody = Ask("tls_config: {ca_file: server.crt}\n");
  EXPECT_THAT(nobody.status, Optional(3));
  EXPECT_THAT(nobody.err, HasSubstr("401, it asks for credentials"));
  WriteFile(dir_.File("password"), "guess\n");
  const CommandResult guess = Ask(good);
  EXPECT_THAT(guess.status, Optional(3));
  EXPECT_THAT(guess.err, AllOf(HasSubstr("401, it does not take these"),
                               Not(HasSubstr("guess"))));
  EXPECT_THAT(guess.out, IsEmpty());
}

TEST_F(StatusUrl, ClientCertificateComesFromTheFile) {
  MakeCertificate("client");
  Start(
      "  client_auth_type: RequireAndVerifyClientCert\n"
      "  client_ca_file: client.crt\n");
  WriteFile(dir_.File("password"), "secret\n");
  const std::string pair =
      "tls_config: {ca_file: server.crt, cert_file: client.crt, key_file: "
      "client.key}\n";
  ASSERT_TRUE(WaitUntil([&] { return Ask(kAlice + pair).status == 0; }))
      << Ask(kAlice + pair).err;
  const CommandResult without =
      Ask(std::string(kAlice) + "tls_config: {ca_file: server.crt}\n");
  EXPECT_THAT(without.status, Optional(3));
  EXPECT_THAT(without.err, HasSubstr("does it ask for a client certificate?"));
}

TEST_F(StatusUrl, FileThatIsWrongOrOfNoUseIsAUsageError) {
  WriteFile(dir_.File("client.yml"), "basic_auth: {username: a, pass: b}\n");
  const std::string file = "--http.config.file=" + dir_.File("client.yml");
  const CommandResult wrong =
      RunExporter({"status", "--url=http://127.0.0.1:1", file});
  EXPECT_THAT(wrong.status, Optional(64));
  EXPECT_THAT(wrong.err, HasSubstr("client.yml:1: basic_auth.pass: unknown"));
  EXPECT_THAT(RunExporter({"status", dir_.File("sums.log"), file}).status,
              Optional(64));
  const CommandResult user =
      RunExporter({"status", "--url=http://alice:secret@127.0.0.1:1"});
  EXPECT_THAT(user.status, Optional(64));
  EXPECT_THAT(user.err, HasSubstr("--http.config.file"));
}

// The exporter goes, comes back with another password, and is asked again with
// what the file says then.
TEST_F(StatusUrl, WatchOutlivesTheExporterAndReadsTheFileAgain) {
  Start();
  WriteFile(dir_.File("password"), "old\n");
  WriteFile(dir_.File("client.yml"),
            std::string(kAlice) + "tls_config: {ca_file: server.crt}\n");
  ChildProcess watch({ExporterBinary(), "status", "--watch=1s",
                      "--url=" + exporter_->Url(),
                      "--http.config.file=" + dir_.File("client.yml")});
  const auto says = [&watch](const char* text) {
    return WaitUntil([&] {
      return (watch.Out() + watch.Err()).find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(says("401, it does not take these credentials")) << watch.Err();
  WriteFile(dir_.File("password"), "secret\n");
  EXPECT_TRUE(says("status — sums\n")) << watch.Err();
  exporter_.reset();
  EXPECT_TRUE(says("connection refused")) << watch.Err();
  EXPECT_TRUE(watch.Running());
  watch.Signal(SIGINT);
  EXPECT_THAT(watch.Wait(), Optional(3)) << watch.Err();
}

}  // namespace
}  // namespace rlrun::daemon
