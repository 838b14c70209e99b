// Commands that end by themselves: their output and exit codes.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "tests/daemon/exporter_process.h"

namespace rlrun::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(CommandLine, VersionIsPrinted) {
  const CommandResult result = RunExporter({"--version"});
  EXPECT_THAT(result.status, Optional(0)) << result.err;
  EXPECT_THAT(result.out, HasSubstr(RLRUN_VERSION));
}

TEST(CommandLine, HelpIsNoError) {
  const CommandResult result = RunExporter({"--help"});
  EXPECT_THAT(result.status, Optional(0)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("--web.listen-address"));
}

TEST(CommandLine, MistypedCommandIsNoPathToWaitFor) {
  const CommandResult result = RunExporter({"staus", "/tmp"});
  EXPECT_THAT(result.status, Optional(64));
  EXPECT_THAT(result.err, HasSubstr("staus is neither a path nor a command"));
}

TEST(CommandLine, UnknownOptionIs64) {
  const CommandResult result = RunExporter({"--no-such-option"});
  EXPECT_THAT(result.status, Optional(64));
  EXPECT_THAT(result.err, HasSubstr("no-such-option"));
}

TEST(CommandLine, NeitherPathNorConfigIs64) {
  EXPECT_THAT(RunExporter({"--web.listen-address=127.0.0.1:0"}).status,
              Optional(64));
}

TEST(CommandLine, OnceOfNothingIs3) {
  const TempDir dir;
  EXPECT_THAT(RunExporter({"once", dir.File("missing.log")}).status,
              Optional(3));
  EXPECT_THAT(RunExporter({"once", dir.path()}).status, Optional(3));
}

TEST(CommandLine, OncePrintsWhatTheLogSays) {
  const TempDir dir;
  WriteFile(dir.File("sums.log"), "step:4 - actor/lr:1e-06\n");
  const CommandResult result = RunExporter({"once", dir.File("sums.log")});
  EXPECT_THAT(result.status, Optional(0)) << result.err;
  EXPECT_THAT(SampleValue(result.out, "rlrun_step_actor_lr", "run=\"sums\""),
              Optional(1e-6))
      << result.out;
}

TEST(CommandLine, OptionInFrontOfThePathLeavesItAlone) {
  const TempDir dir;
  const CommandResult result =
      RunExporter({"--web.listen-address=256.0.0.1:1", dir.File("sums.log")});
  ASSERT_TRUE(result.status.has_value());
  EXPECT_NE(*result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("256.0.0.1"));
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("nothing to read")));
}

TEST(CommandLine, MissingConfigFileIs64) {
  const TempDir dir;
  EXPECT_THAT(RunExporter({"--config.file=" + dir.File("none.yaml"),
                           "--web.listen-address=127.0.0.1:0"})
                  .status,
              Optional(64));
}

TEST(CommandLine, CheckConfigNamesEveryErrorWithItsLine) {
  const TempDir dir;
  const std::string file = dir.File("bad.yaml");
  WriteFile(file, "roots:\n- path: /tmp/a\n  colour: red\nsurprise: 1\n");
  const CommandResult result = RunExporter({"check-config", file});
  EXPECT_THAT(result.status, Optional(64));
  EXPECT_THAT(result.out + result.err,
              AllOf(HasSubstr(file + ":3"), HasSubstr("colour"),
                    HasSubstr(file + ":4"), HasSubstr("surprise")));
}

TEST(CommandLine, CheckConfigOfAGoodFileIs0) {
  const TempDir dir;
  WriteFile(dir.File("good.yaml"), "roots:\n- path: /tmp/a\n");
  const CommandResult result =
      RunExporter({"check-config", dir.File("good.yaml")});
  EXPECT_THAT(result.status, Optional(0)) << result.err;
}

TEST(CommandLine, AddressInUseIsNamed) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string taken =
      "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const TempDir dir;
  const CommandResult result =
      RunExporter({dir.path(), "--web.listen-address=" + taken});
  close(fd);
  ASSERT_TRUE(result.status.has_value());
  EXPECT_NE(*result.status, 0);
  EXPECT_THAT(result.err, HasSubstr(taken));
}

}  // namespace
}  // namespace rlrun::daemon
