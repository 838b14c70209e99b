// The daemon under the real wrk: many connections at once, with and without TLS
// and a password. No figure of speed is held, only that every answer is good
// and that memory is bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"

namespace rlrun::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // slow, and keeps what is freed
#else
constexpr bool kSanitized = false;
#endif

// Metrics of some 4 MB.
constexpr int kRuns = 30, kKeys = 1900;

void WriteRuns(const TempDir& dir) {
  for (int run = 0; run < kRuns; ++run) {
    std::string line = "step:1";
    for (int key = 0; key < kKeys; ++key) {
      line += " - load/of_a_key_that_is_long_" + std::to_string(key) + ":0.5";
    }
    WriteFile(dir.File("run" + std::to_string(run) + ".log"), line + "\n");
  }
}

std::string Wrk(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"wrk", "--threads=2", "--timeout=30s"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ChildProcess wrk(command);
  EXPECT_THAT(wrk.Wait(120), Optional(0)) << wrk.Err();
  return wrk.Out();
}

// The most memory that a process has had, in MiB.
int MostMemory(int pid) {
  std::istringstream lines(
      ReadFile("/proc/" + std::to_string(pid) + "/status"));
  std::string word;
  while (lines >> word) {
    if (word != "VmHWM:") continue;
    int kib = 0;
    lines >> kib;
    return kib / 1024;
  }
  return 0;
}

TEST(LoadTest, ManyScrapesAtOnceTakeNoMoreMemoryThanSome) {
  const TempDir dir;
  WriteRuns(dir);
  ExporterProcess exporter({dir.path()});
  ASSERT_FALSE(exporter.Url().empty()) << exporter.Err();
  ASSERT_TRUE(exporter.WaitForSample("rlrun_exporter_runs", kRuns));
  ASSERT_GT(exporter.Metrics().size(), 3u << 20);
  const int before = MostMemory(exporter.pid());
  const std::string said =
      Wrk({"--connections=256", "--duration=3s", exporter.Url() + "/metrics"});
  EXPECT_THAT(said, HasSubstr("Requests/sec:"));
  EXPECT_THAT(said, Not(HasSubstr("Non-2xx")));
  if (kSanitized) return;
  EXPECT_THAT(said, Not(HasSubstr("Socket errors")));
  // 256 answers are 1,000 MB.
  const int after = MostMemory(exporter.pid());
  EXPECT_GT(before, 0);
  EXPECT_LT(after - before, 500);
}

TEST(LoadTest, EveryRequestIsAnsweredByTlsToWhoHasThePassword) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"), "step:1 - actor/lr:0.5\n");
  ChildProcess certificate(
      {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
       "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
       "-keyout", dir.File("server.key"), "-out", dir.File("server.crt")});
  ASSERT_THAT(certificate.Wait(), Optional(0)) << certificate.Err();
  // bcrypt of `secret`.
  WriteFile(dir.File("web.yml"),
            "tls_server_config: {cert_file: server.crt, key_file: server.key}\n"
            "basic_auth_users:\n  alice: $2y$04$abcdefghijklmnopqrstuu2r9O"
            "fJnfCsdneAXAGHnS4UpFFP8WIrW\n");
  ExporterProcess exporter(
      {dir.File("sums.log"), "--web.config.file=" + dir.File("web.yml")});
  const std::string url = exporter.Url();
  ASSERT_FALSE(url.empty()) << exporter.Err();
  for (const char* path : {"/-/healthy", "/metrics", "/"}) {
    const std::string said =
        Wrk({"--connections=64", "--duration=1s",
             "--header=Authorization: Basic YWxpY2U6c2VjcmV0", url + path});
    EXPECT_THAT(said, HasSubstr("Requests/sec:")) << path;
    EXPECT_THAT(said, Not(HasSubstr("Non-2xx"))) << path;
    EXPECT_THAT(said, Not(HasSubstr("Socket errors"))) << path;
  }
  // Without it there is nothing but a refusal, however often it is tried.
  const std::string said =
      Wrk({"--connections=64", "--duration=1s", url + "/metrics"});
  const std::size_t end = said.find(" requests in");
  std::istringstream words(said.substr(said.rfind('\n', end) + 1));
  long requests = 0;
  words >> requests;
  EXPECT_GT(requests, 0);
  EXPECT_THAT(said, HasSubstr("Non-2xx or 3xx responses: " +
                              std::to_string(requests) + "\n"));
}

}  // namespace
}  // namespace rlrun::daemon
