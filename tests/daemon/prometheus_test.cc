// The exporter beside a real Prometheus: what it scrapes is what the log says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"
#include "tests/scenarios/sample_run.h"
#include "tests/support/metric_files.h"

namespace rlrun::daemon {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;

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

void PutFile(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(path.substr(0, path.rfind('/')));
  WriteFile(path, text);
}

// Every kind of source, alone and joined, with nothing else telling of the run.
void WriteOtherSources(const std::string& tree, double start) {
  WandbRun run;
  run.config = {
      {"trainer", R"({"project_name": "lab", "experiment_name": "wandb"})"}};
  run.start_time = start;
  WandbFileWriter wandb;
  wandb.Add(WandbRunRecord(run));
  wandb.Add(WandbHistory(1, {{"timing_s/step", "60.5"}}));
  PutFile(tree + "/wandb/run-20260302_090000-abc/run-abc.wandb", wandb.text());
  PutFile(
      tree + "/board/lab/events.out.tfevents.1.host",
      EventRecord(FileVersionEvent(start)) +
          EventRecord(Event(start, 1, {SimpleValue("timing_s/step", 61.5)})));
  PutFile(tree + "/jsonl/only.jsonl",
          "{\"step\": 1, \"data\": {\"timing_s/step\": 62.5}}\n");
  PutFile(tree + "/out/launch.out",
          "=== Launching Harbor verl training ===\nproject:       lab\n"
          "experiment:    launched\ntrain log:     /gone/x.log\n");
  const auto record = [&](const std::string& id, const std::string& more) {
    const std::string time = std::to_string(static_cast<std::int64_t>(start));
    PutFile(tree + "/store/training-runs/" + id + ".json",
            R"({"training_run_id": ")" + id +
                R"(", "framework": "slime", "status": "running", )" +
                R"("created_at": )" + time + R"(, "updated_at": )" + time +
                more + "}");
  };
  record("alone", "");
  record("joined", R"(, "modal_app_id": "ap-1")");
  PutFile(tree + "/joined/train.log",
          "{'trainer': {'experiment_name': 'ap-1',\n 'project_name': "
          "'lab'}}\nstep:1 - timing_s/step:63.5\n");
  PutFile(tree + "/t/exp/logs/exp.log", "step:1 - timing_s/step:64.5\n");
  PutFile(tree + "/t/exp/step_0001/one/result.json",
          R"({"verifier_result": {"rewards": {"reward": 1}}})");
}

// Over TLS and with a password, so that what Prometheus needs for these is
// tried as well.
TEST(PrometheusPeer, TwoShardsHaveEachRunOnce) {
  if (Tool("prometheus").empty()) {
    GTEST_SKIP() << "prometheus is not unpacked (scripts/install-deps.sh test)";
  }
  const TempDir dir;
  const std::string tree = dir.File("tree");
  const std::time_t start = std::time(nullptr) - 7200;
  ChildProcess scenarios({RLRUN_BUILD_DIR "/bin/rlrun_scenario", "write",
                          "kl_blowup", "r3_misalignment", "frozen_model",
                          "grad_starvation", "no_signal", "val_fake_zero",
                          "validation_missing", "healthy-three_sources",
                          "--dir=" + tree, "--start=" + std::to_string(start)});
  ASSERT_THAT(scenarios.Wait(), Optional(0)) << scenarios.Err();
  WriteOtherSources(tree, static_cast<double>(start));
  // What one exporter says of them.
  std::vector<std::string> whole;
  std::istringstream lines(RunExporter({"once", tree}).out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("rlrun_info{")) whole.push_back(line);
  }
  for (const char* sources :
       {"log", "launch", "jsonl", "wandb", "tensorboard", "record",
        "log,record", "log,trials", "log,wandb,tensorboard"}) {
    const std::string label = std::string("sources=\"") + sources + "\"";
    EXPECT_THAT(whole, Contains(HasSubstr(label)));
  }
  EXPECT_THAT(whole, SizeIs(8 + 7));
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
  const std::string runs = std::to_string(whole.size());
  EXPECT_TRUE(prometheus.WaitForValue(
      "count(count by (project, run) (rlrun_info))", runs))
      << prometheus.Log() << first.Err() << second.Err();
  EXPECT_EQ(prometheus.Query("count(rlrun_info)"), runs);
  EXPECT_EQ(prometheus.Query("count(count by (instance) (rlrun_info))"), "2");
  EXPECT_EQ(prometheus.Query("sum(rlrun_exporter_runs)"), runs);
  EXPECT_EQ(prometheus.Query("count(count by (shard) (rlrun_exporter_shards)) "
                             "== max(rlrun_exporter_shards)"),
            "2");
  EXPECT_EQ(prometheus.Query("count(count by (instance) "
                             "(rlrun_trials_finished_total{run=\"exp\"}))"),
            "1");
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
