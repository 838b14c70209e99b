// scripts/run.sh as a user starts it, but for the build: the demo with real
// peers, and a path.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/daemon/exporter_process.h"
#include "tests/scenarios/sample_run.h"

namespace rlrun::daemon {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

std::string Peers() {
  const char* folder = std::getenv("RLRUN_PEERS");
  return folder != nullptr && *folder != '\0' ? folder : RLRUN_PEERS;
}

class RunScript : public testing::Test {
 protected:
  ChildProcess::Environment Environment() const {
    return {{"RLRUN_BUILT", "yes"},
            {"RLRUN_BUILD_DIR", RLRUN_BUILD_DIR},
            {"RLRUN_PEERS", Peers()},
            {"TMPDIR", dir_.path()}};
  }

  // Command lines of processes that work below our folder.
  std::vector<std::string> Left() const {
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string line = ReadFile(entry.path() / "cmdline");
      if (line.find(dir_.path()) != std::string::npos) left.push_back(line);
    }
    return left;
  }

  const TempDir dir_;
};

TEST_F(RunScript, DemoPrintsNotificationsAndLeavesNothing) {
  ChildProcess demo({RLRUN_SOURCE_DIR "/scripts/run.sh"}, Environment());
  // The promise: less than two minutes to the first one.
  ASSERT_TRUE(WaitUntil(
      [&] {
        return demo.Out().find("    Run: http") != std::string::npos ||
               !demo.Running();
      },
      120))
      << demo.Out() << demo.Err();
  EXPECT_FALSE(Left().empty());
  demo.Signal(SIGINT);
  EXPECT_THAT(demo.Wait(), Optional(130)) << demo.Err();
  EXPECT_THAT(
      demo.Out(),
      AllOf(ContainsRegex("run: metrics +http://127.0.0.1:[0-9]+/metrics\n"),
            ContainsRegex("run: Prometheus +http://127.0.0.1:[0-9]+/alerts\n"),
            ContainsRegex("run: Alertmanager +http://127.0.0.1:[0-9]+/"),
            ContainsRegex("\n[0-9:]+ CRITICAL RLRunFrozenModel, since [0-9:]+ "
                          "UTC\n    lab/frozen_model: The learning rate is 0"),
            ContainsRegex("\n    Since step: [23]\n    Evidence: actor/lr = 0\n"
                          "    Next: [A-Z]"),
            HasSubstr("\nrun: stopped\n")));
  EXPECT_THAT(demo.Out(), Not(HasSubstr("lab/healthy:")));
  EXPECT_THAT(Left(), testing::IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(RunScript, DemoEndsByItself) {
  auto environment = Environment();
  environment.emplace_back("RLRUN_DEMO_SECONDS", "1");
  ChildProcess demo({RLRUN_SOURCE_DIR "/scripts/run.sh"}, environment);
  EXPECT_THAT(demo.Wait(100), Optional(0)) << demo.Out() << demo.Err();
  EXPECT_THAT(demo.Out(), HasSubstr("run: stopped\n"));
  EXPECT_THAT(Left(), testing::IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(RunScript, APathIsServed) {
  const std::string log = dir_.File("sums.log");
  WriteFile(log, "step:7 - critic/rewards/mean:0.125\n");
  ChildProcess script({RLRUN_SOURCE_DIR "/scripts/run.sh", log, "--",
                       "--web.listen-address=127.0.0.1:0"},
                      Environment());
  std::string url;
  ASSERT_TRUE(WaitUntil([&] {
    const std::string text = script.Err();
    const std::size_t at = text.find("http://127.0.0.1:");
    if (at == std::string::npos) return false;
    const std::size_t end = text.find_first_of("\" \n", at);
    if (end == std::string::npos) return false;
    url = text.substr(at, end - at);
    return true;
  })) << script.Out()
      << script.Err();
  EXPECT_TRUE(WaitUntil([&] {
    return SampleValue(HttpGet(url + "/metrics").body,
                       "rlrun_step_critic_rewards_mean") == 0.125;
  }));
  script.Signal(SIGTERM);
  EXPECT_THAT(script.Wait(), Optional(0)) << script.Err();
  EXPECT_THAT(Left(), testing::IsEmpty());
}

TEST_F(RunScript, AnUnknownOptionIsAnError) {
  ChildProcess script({RLRUN_SOURCE_DIR "/scripts/run.sh", "--prot=1"},
                      Environment());
  EXPECT_THAT(script.Wait(), Optional(1));
  EXPECT_THAT(script.Err(), HasSubstr("unknown option: --prot=1"));
}

}  // namespace
}  // namespace rlrun::daemon
