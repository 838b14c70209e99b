// The command `status` as a process: what it prints where, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"
#include "tests/exporter/report/status_schema.h"

namespace rlrun::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::StartsWith;

// Twelve steps of nothing special.
std::string Healthy() {
  std::string text;
  for (int i = 1; i <= 12; ++i) {
    text += "(TaskRunner pid=7) step:" + std::to_string(i) +
            " - actor/lr:1e-06 - critic/rewards/mean:0.4" +
            std::to_string(i % 3) + " - actor/grad_norm:0.3\n";
  }
  return text;
}
// A check fails: half of the responses are aborted.
std::string AtRisk() {
  std::string text = Healthy();
  for (int i = 13; i <= 20; ++i) {
    text += "step:" + std::to_string(i) +
            " - critic/rewards/mean:0.4 - response/aborted_ratio:0.5\n";
  }
  return text;
}
std::string Sick() {
  return Healthy() + "step:13 - actor/lr:1e-06 - actor/pg_loss:nan\n";
}

class StatusCommand : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) {
    WriteFile(dir_.File(name), text);
  }
  // On the folder of the test.
  CommandResult Status(std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"status", dir_.path()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunExporter(arguments);
  }
  TempDir dir_;
};

TEST_F(StatusCommand, HealthyIs0AndTheReportAloneIsOnStandardOutput) {
  Put("sums.log", Healthy());
  const CommandResult result = Status();
  EXPECT_THAT(result.status, Optional(0)) << result.err;
  EXPECT_THAT(result.out, AllOf(StartsWith("## harbor status — sums\n"),
                                HasSubstr("\n  stage    step 12/?"),
                                HasSubstr("no known signature matched")));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(StatusCommand, CriticalIs2AndIsShownFirst) {
  Put("a.log", Healthy());
  Put("z.log", Sick());
  const CommandResult result = Status();
  EXPECT_THAT(result.status, Optional(2)) << result.err;
  EXPECT_LT(result.out.find("status — z\n"), result.out.find("status — a\n"));
  EXPECT_THAT(result.out, HasSubstr("- nan_inf (critical, since step 13)"));
}

TEST_F(StatusCommand, AtRiskIs1) {
  Put("sums.log", AtRisk());
  const CommandResult result = Status();
  EXPECT_THAT(result.status, Optional(1)) << result.out;
  EXPECT_THAT(result.out, HasSubstr("🟡 at risk"));
}

TEST_F(StatusCommand, RunIsChosenByNameBeginOrPart) {
  Put("grpo-8b.log", Healthy());
  Put("grpo-8b-long.log", Healthy());
  Put("ppo.log", Sick());
  for (const auto& [wanted, run] :
       std::vector<std::pair<std::string, std::string>>{
           {"grpo-8b", "grpo-8b"}, {"pp", "ppo"}, {"LONG", "grpo-8b-long"}}) {
    const CommandResult result = Status({"--run=" + wanted});
    EXPECT_THAT(result.status, Optional(run == "ppo" ? 2 : 0)) << wanted;
    EXPECT_THAT(result.out, StartsWith("## harbor status — " + run + "\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("Other runs")));
  }
}

TEST_F(StatusCommand, AmbiguousAndUnknownNamesAre3) {
  Put("grpo-1.log", Healthy());
  Put("grpo-2.log", Healthy());
  const CommandResult ambiguous = Status({"--run=grpo"});
  EXPECT_THAT(ambiguous.status, Optional(3));
  EXPECT_THAT(ambiguous.err,
              AllOf(HasSubstr("ambiguous: grpo"), HasSubstr("\n  grpo-1"),
                    HasSubstr("\n  grpo-2")));
  EXPECT_THAT(ambiguous.out, IsEmpty());
  const CommandResult unknown = Status({"--run=gpro-2"});
  EXPECT_THAT(unknown.status, Optional(3));
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("no run is called gpro-2"),
                                 HasSubstr("\n  grpo-2")));
  EXPECT_THAT(unknown.out, IsEmpty());
}

TEST_F(StatusCommand, UsageErrorsAre64) {
  Put("sums.log", Healthy());
  EXPECT_THAT(RunExporter({"status"}).status, Optional(64));
  for (const char* wrong :
       {"--format=xml", "--at=yesterday", "--at=inf", "--tail=-1", "--tail=x",
        "--watch=0s", "--watch=soon", "--run=", "--no-such-option"}) {
    const CommandResult result = Status({wrong});
    EXPECT_THAT(result.status, Optional(64)) << wrong;
    EXPECT_THAT(result.err, StartsWith("rlrun_exporter: ")) << wrong;
    EXPECT_THAT(result.out, IsEmpty()) << wrong;
  }
  EXPECT_THAT(Status({"--watch", "--at=0"}).status, Optional(64));
}

TEST_F(StatusCommand, NothingFoundIs3AndSaysWhy) {
  const CommandResult empty = Status();
  EXPECT_THAT(empty.status, Optional(3));
  EXPECT_THAT(empty.err, HasSubstr("no run found"));
  EXPECT_THAT(empty.out, IsEmpty());
  const CommandResult missing =
      RunExporter({"status", dir_.File("missing.log")});
  EXPECT_THAT(missing.status, Optional(3));
  EXPECT_THAT(missing.err, AllOf(HasSubstr("missing.log"),
                                 HasSubstr("No such file or directory")));
  Put("notes.log", "nothing of a run\n");
  EXPECT_THAT(RunExporter({"status", dir_.File("notes.log")}).status,
              Optional(3));
}

TEST_F(StatusCommand, FileThatCannotBeReadIs3AndNamed) {
  Put("sums.log", Healthy());
  const std::string file = dir_.File("sums.log");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  std::vector<std::string> words = WithoutRootRights();
  words.insert(words.end(), {ExporterBinary(), "status", file});
  ChildProcess process(words);
  EXPECT_THAT(process.Wait(), Optional(3));
  EXPECT_THAT(process.Err(),
              AllOf(HasSubstr(file), HasSubstr("Permission denied"),
                    HasSubstr("no run found")));
  EXPECT_THAT(process.Out(), IsEmpty());
}

TEST_F(StatusCommand, JsonIsAsItsSchemaSays) {
  Put("a.log", Healthy());
  Put("b.log", Sick());
  const CommandResult result = Status({"--format=json", "--tail=1"});
  EXPECT_THAT(result.status, Optional(2));
  EXPECT_EQ(SchemaError(result.out), "");
  EXPECT_THAT(result.out, AllOf(HasSubstr("\"exit_code\":2"),
                                HasSubstr("\"log_tail\":[\"step:13 - ")));
}

TEST_F(StatusCommand, MarkdownKeepsTheLinesInABlock) {
  Put("sums.log", Healthy());
  EXPECT_THAT(Status({"--format=markdown"}).out,
              AllOf(HasSubstr("\n~~~\n  stage    step 12/?"),
                    HasSubstr("\n~~~\n\n**Diagnosis**\n")));
}

TEST_F(StatusCommand, TailShowsTheLastLinesWithoutSecrets) {
  Put("sums.log", Healthy() + "one\nHF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUv\n");
  const CommandResult result = Status({"--tail=2"});
  EXPECT_THAT(result.out, HasSubstr("\n**Log**\none\nHF_TOKEN=***\n"));
}

TEST_F(StatusCommand, AtIsTakenInEveryForm) {
  Put("sums.log", Healthy());
  for (const char* at : {"32503680000", "3000-01-01T00:00:00Z",
                         "3000-01-01T02:00:00+02:00", "3000-01-01 00:00:00"}) {
    const CommandResult result =
        Status({std::string("--at=") + at, "--format=json"});
    EXPECT_THAT(result.out, HasSubstr("\"generated_at\":32503680000.0,")) << at;
    // Nobody has written for a thousand years.
    EXPECT_THAT(result.out, HasSubstr("\"state\":\"lost\"")) << at;
  }
}

TEST_F(StatusCommand, HelpNamesItsExitCodes) {
  const CommandResult result = RunExporter({"status", "--help"});
  EXPECT_THAT(result.status, Optional(0));
  EXPECT_THAT(result.out, AllOf(HasSubstr("--watch"), HasSubstr("--run"),
                                HasSubstr("0, 1, 2"), HasSubstr("64")));
}

TEST_F(StatusCommand, WatchReportsAgainAndEndsWithTheCodeOfTheLastReport) {
  Put("sums.log", Healthy());
  ChildProcess process({ExporterBinary(), "status", dir_.path(), "--watch=1s"});
  const auto reports = [&process] {
    const std::string out = process.Out();
    std::size_t n = 0, at = 0;
    while ((at = out.find("\nNext report at ", at)) != std::string::npos) {
      ++n, ++at;
    }
    return n;
  };
  ASSERT_TRUE(WaitUntil([&] { return reports() >= 1; })) << process.Err();
  Put("sums.log", Sick());
  ASSERT_TRUE(WaitUntil([&process] {
    return process.Out().find("nan_inf") != std::string::npos;
  })) << process.Out();
  const std::size_t before = reports();
  ASSERT_TRUE(WaitUntil([&] { return reports() > before; }));
  process.Signal(SIGINT);
  EXPECT_THAT(process.Wait(), Optional(2)) << process.Err();
}

// The exit code 1 of a run at risk is no failure of the watch.
TEST_F(StatusCommand, WatchOfARunAtRiskGoesOn) {
  Put("sums.log", AtRisk());
  ChildProcess process({ExporterBinary(), "status", dir_.path(), "--watch=1s"});
  ASSERT_TRUE(WaitUntil([&process] {
    const std::string out = process.Out();
    const std::size_t first = out.find("\nNext report at ");
    return first != std::string::npos &&
           out.find("\nNext report at ", first + 1) != std::string::npos;
  })) << process.Out();
  process.Signal(SIGINT);
  EXPECT_THAT(process.Wait(), Optional(1)) << process.Err();
}

TEST_F(StatusCommand, WatchedJsonIsOneReportPerLineAndNothingElse) {
  Put("sums.log", Healthy());
  ChildProcess process(
      {ExporterBinary(), "status", dir_.path(), "--watch=1s", "--format=json"});
  ASSERT_TRUE(WaitUntil([&process] {
    const std::string err = process.Err();
    const std::size_t first = err.find("next report at ");
    return first != std::string::npos &&
           err.find("next report at ", first + 1) != std::string::npos;
  })) << process.Err();
  process.Signal(SIGTERM);
  EXPECT_THAT(process.Wait(), Optional(0));
  const std::string out = process.Out();
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < out.size(); ++lines) {
    const std::size_t end = out.find('\n', begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(SchemaError(out.substr(begin, end - begin)), "");
    begin = end + 1;
  }
  EXPECT_GE(lines, 2u);
}

}  // namespace
}  // namespace rlrun::daemon
