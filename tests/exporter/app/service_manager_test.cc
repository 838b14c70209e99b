#include "exporter/app/service_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/notify_socket.h"
#include "tests/support/temp_folder.h"

namespace rlrun {
namespace {

using ::testing::DoubleEq;
using ::testing::MatchesRegex;
using ::testing::Optional;

TEST(ServiceManager, ASocketInAFolder) {
  const TempFolder folder;
  NotifySocket socket(folder / "notify");
  ServiceManager manager(folder / "notify");
  EXPECT_TRUE(manager.Ready());
  EXPECT_EQ(socket.Next(), "READY=1");
  EXPECT_TRUE(manager.Reloading());
  EXPECT_THAT(socket.Next(),
              MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]+"));
  EXPECT_TRUE(manager.Stopping());
  EXPECT_EQ(socket.Next(), "STOPPING=1");
}

TEST(ServiceManager, ASocketWithoutAFile) {
  const std::string name = "@rlrun-notify-" + std::to_string(getpid());
  NotifySocket socket(name);
  EXPECT_TRUE(ServiceManager(name).Ready());
  EXPECT_EQ(socket.Next(), "READY=1");
}

TEST(ServiceManager, WithoutASocketNothingHappens) {
  ServiceManager manager("", 1.0);
  EXPECT_TRUE(manager.Ready());
  EXPECT_TRUE(manager.Alive(1));
  EXPECT_TRUE(manager.Stopping());
}

TEST(ServiceManager, ASocketWhereNobodyListens) {
  const TempFolder folder;
  EXPECT_FALSE(ServiceManager(folder / "notify").Ready());
  EXPECT_FALSE(ServiceManager(std::string(200, 'x')).Ready());
}

TEST(ServiceManager, SignsOfLifeComeTwiceInTheTimeOfTheWatchdog) {
  const TempFolder folder;
  NotifySocket socket(folder / "notify");
  ServiceManager manager(folder / "notify", 10.0);
  EXPECT_TRUE(manager.Alive(100));
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
  EXPECT_TRUE(manager.Alive(104.9));
  EXPECT_EQ(socket.Next(0), "");
  EXPECT_TRUE(manager.Alive(105));
  EXPECT_EQ(socket.Next(), "WATCHDOG=1");
}

TEST(ServiceManager, WithoutAWatchdogThereIsNoSignOfLife) {
  const TempFolder folder;
  NotifySocket socket(folder / "notify");
  ServiceManager manager(folder / "notify");
  EXPECT_TRUE(manager.Alive(100));
  EXPECT_EQ(socket.Next(0), "");
}

TEST(WatchdogSeconds, OfAnotherProcessOrNoNumber) {
  EXPECT_THAT(WatchdogSeconds("30000000", "", 7), Optional(DoubleEq(30)));
  EXPECT_THAT(WatchdogSeconds("1500000", "7", 7), Optional(DoubleEq(1.5)));
  EXPECT_EQ(WatchdogSeconds("30000000", "8", 7), std::nullopt);
  EXPECT_EQ(WatchdogSeconds("30000000", "x", 7), std::nullopt);
  for (const char* usec : {"", "0", "-1", "x", "1s", "99999999999999999999"}) {
    EXPECT_EQ(WatchdogSeconds(usec, "", 7), std::nullopt) << usec;
  }
}

}  // namespace
}  // namespace rlrun
