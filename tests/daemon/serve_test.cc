// The serving exporter: what it shows of files that change, and its signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/daemon/exporter_process.h"
#include "tests/scenarios/sample_run.h"

namespace rlrun::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

TEST(Serve, AppendedLineIsShown) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"), "step:1 - actor/lr:0.5\n");
  ExporterProcess exporter({dir.File("sums.log")});
  ASSERT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5))
      << exporter.Err();
  AppendFile(dir.File("sums.log"), "step:2 - actor/lr:0.25\n");
  EXPECT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.25))
      << exporter.Metrics();
  EXPECT_THAT(SampleValue(exporter.Metrics(), "rlrun_last_step", "train"),
              Optional(2));
}

TEST(Serve, PagesAndJsonOfARun) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"),
            "step:1 - actor/lr:0.5 - critic/score/mean:0.25\n");
  ExporterProcess exporter({dir.File("sums.log")});
  ASSERT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5));
  const HttpAnswer list = HttpGet(exporter.Url() + "/");
  EXPECT_EQ(list.status, 200);
  EXPECT_THAT(list.body, HasSubstr("href=\"./runs/-/sums\""));
  const HttpAnswer page = HttpGet(exporter.Url() + "/runs/-/sums?refresh=30");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<h1><bdi>sums</bdi></h1>"));
  EXPECT_THAT(page.body, HasSubstr("content=\"30\""));
  EXPECT_THAT(page.body, HasSubstr("<title>step 1: 0.25</title>"));
  // The next one shows what has come since.
  AppendFile(dir.File("sums.log"), "step:2 - actor/lr:0.25\n");
  ASSERT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.25));
  const HttpAnswer one = HttpGet(exporter.Url() + "/api/v1/runs/-/sums");
  EXPECT_EQ(one.status, 200);
  EXPECT_THAT(one.body, HasSubstr("\"run\":\"sums\""));
  const HttpAnswer all = HttpGet(exporter.Url() + "/api/v1/runs");
  EXPECT_EQ(all.status, 200);
  EXPECT_THAT(all.body, HasSubstr("\"runs\":[{"));
  const HttpAnswer none = HttpGet(exporter.Url() + "/runs/-/sumz");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("<a href=\"/runs/-/sums\">"));
  EXPECT_EQ(HttpGet(exporter.Url() + "/api/v1/runs/x/%3Cb%3E").status, 404);
}

TEST(Serve, HalfALineIsHeldUntilItsEnd) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"), "step:1 - actor/lr:0.5\nstep:2 - actor/lr:0");
  ExporterProcess exporter({dir.File("sums.log")});
  ASSERT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5));
  AppendFile(dir.File("sums.log"), ".25\n");
  EXPECT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.25));
}

TEST(Serve, NewFileOfADirectoryBecomesARun) {
  const TempDir dir;
  WriteFile(dir.File("first.log"), "step:1 - actor/lr:0.5\n");
  ExporterProcess exporter({dir.path()});
  ASSERT_TRUE(
      exporter.WaitForSample("rlrun_step_actor_lr", 0.5, "run=\"first\""));
  WriteFile(dir.File("second.log"), "step:1 - actor/lr:0.75\n");
  EXPECT_TRUE(
      exporter.WaitForSample("rlrun_step_actor_lr", 0.75, "run=\"second\""));
}

TEST(Serve, TerminatesWithinTwoSecondsOfSigterm) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"), "step:1 - actor/lr:0.5\n");
  for (const int signal : {SIGTERM, SIGINT}) {
    ExporterProcess exporter({dir.path()});
    ASSERT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5));
    exporter.Signal(signal);
    EXPECT_THAT(exporter.Wait(2), Optional(0)) << exporter.Err();
  }
}

TEST(Serve, BadConfigOnReloadKeepsServingAndSaysSo) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"), "step:1 - actor/lr:0.5\n");
  const std::string good = "roots:\n- path: " + dir.File("sums.log") + "\n";
  WriteFile(dir.File("config.yaml"), good);
  ExporterProcess exporter({"--config.file=" + dir.File("config.yaml")});
  constexpr char kReload[] = "rlrun_exporter_config_last_reload_successful";
  ASSERT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5))
      << exporter.Err();
  EXPECT_THAT(SampleValue(exporter.Metrics(), kReload), Optional(1));

  WriteFile(dir.File("config.yaml"), "no_such_key: 1\n");
  exporter.Signal(SIGHUP);
  EXPECT_TRUE(exporter.WaitForSample(kReload, 0)) << exporter.Err();
  EXPECT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5));

  WriteFile(dir.File("config.yaml"), good);
  exporter.Signal(SIGHUP);
  EXPECT_TRUE(exporter.WaitForSample(kReload, 1)) << exporter.Err();
  EXPECT_TRUE(exporter.WaitForSample("rlrun_step_actor_lr", 0.5));
}

TEST(Serve, UnreadableRootIsDown) {
  const TempDir dir;
  const std::string root = dir.File("closed");
  std::filesystem::create_directory(root);
  std::filesystem::permissions(root, std::filesystem::perms::none);
  ExporterProcess exporter({root}, WithoutRootRights());
  EXPECT_TRUE(exporter.WaitForSample("rlrun_exporter_root_up", 0))
      << exporter.Err();
  std::filesystem::permissions(root, std::filesystem::perms::owner_all);
}

// The family of a key that no template takes; empty: one may take it.
std::string PlainFamily(const std::string& key) {
  for (const char* prefix :
       {"timing_s/", "timing_per_token_ms/", "trajectory_filter/reason/"}) {
    if (key.starts_with(prefix)) return "";
  }
  if (key.find('@') != std::string::npos) return "";
  std::string family = "rlrun_step_";
  for (const char c : key) {
    family += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return family;
}

class SampleRuns : public ::testing::TestWithParam<scenarios::Kind> {};

TEST_P(SampleRuns, NewestValuesAreServedAsPrinted) {
  const scenarios::SampleRun run =
      scenarios::MakeSampleRun({GetParam(), 60, 7});
  const TempDir dir;
  WriteFile(dir.File("sums.log"), run.Text());
  ExporterProcess exporter({dir.File("sums.log")});
  constexpr char kLines[] = "rlrun_exporter_lines_total";
  EXPECT_TRUE(exporter.WaitForSample(
      kLines, static_cast<double>(run.ledger.step_lines), "outcome=\"step\""))
      << "want " << run.ledger.step_lines << "\n"
      << exporter.Metrics().substr(0, 4000);
  const std::string metrics = exporter.Metrics();
  EXPECT_THAT(SampleValue(metrics, kLines, "outcome=\"too_long\""),
              Optional(1));
  EXPECT_THAT(SampleValue(metrics, "rlrun_exporter_values_skipped_total",
                          "reason=\"glued\""),
              Optional(static_cast<double>(run.ledger.glued_values)));
  EXPECT_THAT(SampleValue(metrics, "rlrun_exporter_values_skipped_total",
                          "reason=\"not_a_number\""),
              Optional(static_cast<double>(run.ledger.not_a_number)));
  EXPECT_THAT(
      SampleValue(metrics, "rlrun_total_steps"),
      Optional(static_cast<double>(run.ledger.total_steps.value_or(-1))));
  const auto& [step, values] = *run.ledger.steps.rbegin();
  EXPECT_THAT(SampleValue(metrics, "rlrun_last_step", "line=\"train\""),
              Optional(static_cast<double>(step)));
  for (const auto& [key, value] : values) {
    const std::string family = PlainFamily(key);
    if (family.empty()) continue;
    const auto found = SampleValue(metrics, family);
    ASSERT_TRUE(found.has_value()) << key;
    EXPECT_TRUE(*found == value || (std::isnan(*found) && std::isnan(value)))
        << key << " is " << *found << ", printed " << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SampleRuns,
                         ::testing::Values(scenarios::Kind::kSync,
                                           scenarios::Kind::kAsync,
                                           scenarios::Kind::kSft),
                         [](const auto& param_info) -> std::string {
                           const scenarios::Kind kind = param_info.param;
                           return kind == scenarios::Kind::kSync    ? "Sync"
                                  : kind == scenarios::Kind::kAsync ? "Async"
                                                                    : "Sft";
                         });

}  // namespace
}  // namespace rlrun::daemon
