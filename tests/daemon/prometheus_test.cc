// The exporter beside a real Prometheus: what it scrapes is what the log says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
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
  Prometheus(const TempDir& dir, const std::string& target)
      : process_({Tool("prometheus"), "--config.file=" + Config(dir, target),
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
  static std::string Config(const TempDir& dir, const std::string& target) {
    WriteFile(dir.File("prometheus.yaml"),
              "global: {scrape_interval: 1s}\n"
              "scrape_configs:\n"
              "- job_name: rlrun_exporter\n"
              "  static_configs: [{targets: ['" +
                  target + "']}]\n");
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
  Prometheus prometheus(dir, exporter.Url().substr(7));
  const std::string series = "rlrun_step_critic_rewards_mean{run=\"sums\"}";
  ASSERT_TRUE(prometheus.WaitForValue(series, "0.125")) << prometheus.Log();
  AppendFile(log, "step:2 - critic/rewards/mean:0.3000000000000004\n");
  EXPECT_TRUE(prometheus.WaitForValue(series, "0.3000000000000004"))
      << prometheus.Query(series);
  EXPECT_EQ(prometheus.Query("up"), "1");
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
