// The serving exporter below a service manager: what it tells at its socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "tests/daemon/exporter_process.h"
#include "tests/support/notify_socket.h"

namespace rlrun::daemon {
namespace {

using ::testing::Optional;
using ::testing::StartsWith;

std::vector<std::string> ToldOf(const TempDir& dir, const std::string& usec) {
  return {"/usr/bin/env", "NOTIFY_SOCKET=" + dir.File("notify"),
          "WATCHDOG_USEC=" + usec};
}

// The next message that is no sign of life.
std::string NextNews(NotifySocket* socket) {
  std::string message = socket->Next();
  while (message == "WATCHDOG=1") message = socket->Next();
  return message;
}

TEST(ServiceManager, IsToldOfStartReloadAndEnd) {
  const TempDir dir;
  WriteFile(dir.File("config.yaml"), "roots:\n  - path: " + dir.path() + "\n");
  NotifySocket socket(dir.File("notify"));
  ExporterProcess exporter({"--config.file=" + dir.File("config.yaml")},
                           ToldOf(dir, "60000000"));
  ASSERT_EQ(NextNews(&socket), "READY=1");
  ASSERT_NE(exporter.Url(), "");  // it is told behind the listener's start

  exporter.Signal(SIGHUP);
  EXPECT_THAT(NextNews(&socket), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_EQ(NextNews(&socket), "READY=1");

  // One that fails is over as well: the old configuration stays.
  WriteFile(dir.File("config.yaml"), "rotos: []\n");
  exporter.Signal(SIGHUP);
  EXPECT_THAT(NextNews(&socket), StartsWith("RELOADING=1"));
  EXPECT_EQ(NextNews(&socket), "READY=1");

  exporter.Signal(SIGTERM);
  EXPECT_EQ(NextNews(&socket), "STOPPING=1");
  EXPECT_THAT(exporter.Wait(), Optional(0));
}

TEST(ServiceManager, HearsSignsOfLifeAsLongAsTicksAreRun) {
  const TempDir dir;
  NotifySocket socket(dir.File("notify"));
  ExporterProcess exporter({dir.path()}, ToldOf(dir, "200000"));
  ASSERT_EQ(NextNews(&socket), "READY=1");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(socket.Next(), "WATCHDOG=1") << i;
  exporter.Signal(SIGSTOP);
  while (!socket.Next(2).empty()) {  // those that were on their way
  }
  exporter.Signal(SIGCONT);
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
}

TEST(ServiceManager, IsNotToldOfAStartThatFails) {
  const TempDir dir;
  NotifySocket socket(dir.File("notify"));
  ExporterProcess exporter({"--web.listen-address=192.0.2.1:1", dir.path()},
                           ToldOf(dir, "60000000"));
  EXPECT_THAT(exporter.Wait(), Optional(1));
  EXPECT_EQ(socket.Next(0), "");
}

}  // namespace
}  // namespace rlrun::daemon
