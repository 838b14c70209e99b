// The exporter beside a real Prometheus: what it scrapes is what the log says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include "tests/daemon/exporter_process.h"
#include "tests/scenarios/sample_run.h"

namespace rlrun::daemon {
namespace {

using ::testing::Optional;

// Path of an unpacked tool; empty: it is not here.
std::string Tool(const std::string& name) {
  const char* folder = std::getenv("RLRUN_PEERS");
  const std::string path =
      (folder != nullptr && *folder != '\0' ? folder : RLRUN_PEERS) +
      std::string("/usr/bin/") + name;
  return access(path.c_str(), X_OK) == 0 ? path : "";
}

class Prometheus {
 public:
  // `targets`: `'host:port', ...`; `more`: lines of the scrape configuration.
  Prometheus(const TempDir& dir, const std::string& targets,
             const std::string& more = "")
      : process_({Tool("prometheus"),
                  "--config.file=" + Config(dir, targets, more),
                  "--storage.tsdb.path=" + dir.File("data"),
                  "--web.listen-address=127.0.0.1:0"}) {}

  // The value of the only series of `expression`, as Prometheus prints it.
  std::string Query(const std::string& expression) {
    const HttpAnswer answer =
        HttpGet(Url() + "/api/v1/query?query=" + PercentEncode(expression));
    const std::size_t value = answer.body.find("\"value\":[");
    if (value == std::string::npos) return "";
    const std::size_t begin = answer.body.find('"', value + 9) + 1;
    return answer.body.substr(begin, answer.body.find('"', begin) - begin);
  }

  bool WaitForValue(const std::string& expression, const std::string& value) {
    return WaitUntil([&] { return Query(expression) == value; });
  }

  std::string Log() { return process_.Err(); }

 private:
  static std::string Config(const TempDir& dir, const std::string& targets,
                            const std::string& more) {
    WriteFile(dir.File("prometheus.yaml"),
              "global: {scrape_interval: 1s}\n"
              "scrape_configs:\n"
              "- job_name: rlrun_exporter\n" +
                  more + "  static_configs: [{targets: [" + targets + "]}]\n");
    return dir.File("prometheus.yaml");
  }

  std::string Url() {
    if (!url_.empty()) return url_;
    constexpr std::string_view kMark = "msg=\"Listening on\" address=";
    WaitUntil([&] {
      const std::string log = process_.Err();
      const std::size_t mark = log.find(kMark);
      if (mark == std::string::npos) return !process_.Running();
      const std::size_t begin = mark + kMark.size();
      const std::size_t end = log.find_first_of(" \n", begin);
      if (end == std::string::npos) return false;
      url_ = "http://" + log.substr(begin, end - begin);
      return true;
    });
    return url_;
  }

  ChildProcess process_;
  std::string url_;
};

TEST(PrometheusPeer, QueryReturnsTheAppendedValue) {
  if (Tool("prometheus").empty()) {
    GTEST_SKIP() << "prometheus is not unpacked (scripts/install-deps.sh test)";
  }
  const TempDir dir;
  const std::string log = dir.File("sums.log");
  WriteFile(log, "step:1 - critic/rewards/mean:0.125\n");
  ExporterProcess exporter({log});
  ASSERT_FALSE(exporter.Url().empty()) << exporter.Err();
  Prometheus prometheus(dir, "'" + exporter.Url().substr(7) + "'");
  const std::string series = "rlrun_step_critic_rewards_mean{run=\"sums\"}";
  ASSERT_TRUE(prometheus.WaitForValue(series, "0.125")) << prometheus.Log();
  AppendFile(log, "step:2 - critic/rewards/mean:0.3000000000000004\n");
  EXPECT_TRUE(prometheus.WaitForValue(series, "0.3000000000000004"))
      << prometheus.Query(series);
  EXPECT_EQ(prometheus.Query("up"), "1");
}

// Over TLS and with a password, so that what Prometheus needs for these is
// tried as well.
TEST(PrometheusPeer, TwoShardsHaveEachRunOnce) {
  if (Tool("prometheus").empty()) {
    GTEST_SKIP() << "prometheus is not unpacked (scripts/install-deps.sh test)";
  }
  const TempDir dir;
  const std::string tree = dir.File("tree");
  ChildProcess scenarios(
      {RLRUN_BUILD_DIR "/bin/rlrun_scenario", "write", "kl_blowup",
       "r3_misalignment", "frozen_model", "grad_starvation", "no_signal",
       "val_fake_zero", "validation_missing", "stall", "--dir=" + tree,
       "--start=" + std::to_string(std::time(nullptr) - 7200)});
  ASSERT_THAT(scenarios.Wait(), Optional(0)) << scenarios.Err();
  ChildProcess certificate(
      {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
       "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
       "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
       dir.File("server.key"), "-out", dir.File("server.crt")});
  ASSERT_THAT(certificate.Wait(), Optional(0)) << certificate.Err();
  // bcrypt of `secret`.
  WriteFile(dir.File("web.yml"),
            "tls_server_config: {cert_file: server.crt, key_file: server.key}\n"
            "basic_auth_users:\n  prometheus: $2y$04$abcdefghijklmnopqrstuu2r9O"
            "fJnfCsdneAXAGHnS4UpFFP8WIrW\n");
  const std::string web = "--web.config.file=" + dir.File("web.yml");
  ExporterProcess first({tree, web, "--shard=0/2"});
  ExporterProcess second({tree, web, "--shard=rlrun-exporter-1/2"});
  ASSERT_FALSE(first.Url().empty()) << first.Err();
  ASSERT_FALSE(second.Url().empty()) << second.Err();
  Prometheus prometheus(
      dir, "'" + first.Url().substr(8) + "', '" + second.Url().substr(8) + "'",
      "  scheme: https\n"
      "  tls_config: {ca_file: server.crt}\n"
      "  basic_auth: {username: prometheus, password: secret}\n");
  const std::string lines =
      "rlrun_exporter_lines_total{outcome=\"step\",project=\"lab\"}";
  EXPECT_TRUE(
      prometheus.WaitForValue("count(count by (run) (" + lines + "))", "8"))
      << prometheus.Log() << first.Err() << second.Err();
  EXPECT_EQ(prometheus.Query("count(" + lines + ")"), "8");
  EXPECT_EQ(prometheus.Query("max(count by (run) (" + lines + "))"), "1");
  EXPECT_EQ(prometheus.Query("count(count by (instance) (" + lines + "))"),
            "2");
}

// promtool's exit 3 are lint findings, which are allowed for raw step keys.
TEST(PrometheusPeer, PromtoolAcceptsTheExposition) {
  if (Tool("promtool").empty()) {
    GTEST_SKIP() << "promtool is not unpacked (scripts/install-deps.sh test)";
  }
  const TempDir dir;
  WriteFile(dir.File("sums.log"),
            scenarios::MakeSampleRun({scenarios::Kind::kSync, 20, 3}).Text());
  ExporterProcess exporter({dir.File("sums.log")});
  ASSERT_TRUE(exporter.WaitForSample("rlrun_last_step", 20, "train"));
  WriteFile(dir.File("metrics"), exporter.Metrics());
  ChildProcess check(
      {"sh", "-c",
       Tool("promtool") + " check metrics <" + dir.File("metrics")});
  EXPECT_THAT(check.Wait(), Optional(::testing::AnyOf(0, 3)));
  const std::string findings = check.Out() + check.Err();
  for (std::size_t begin = 0; begin < findings.size();) {
    const std::size_t end = findings.find('\n', begin);
    const std::string line = findings.substr(begin, end - begin);
    EXPECT_TRUE(line.empty() || line.starts_with("rlrun_step_")) << line;
    begin = end == std::string::npos ? findings.size() : end + 1;
  }
}

}  // namespace
}  // namespace rlrun::daemon
