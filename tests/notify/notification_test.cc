#include "tests/notify/notification.h"

#include <gtest/gtest.h>

namespace rlrun::notify {
namespace {

constexpr char kJson[] = R"({"receiver":"webhook","status":"firing",
  "groupLabels":{"project":"lab","run":"sums"},
  "alerts":[
    {"status":"firing","startsAt":"2026-03-01T10:20:31.125Z",
     "labels":{"alertname":"RLRunStall","severity":"warning"},
     "annotations":{"description":"lab/sums: silent\nNext: look",
       "runbook_url":"http://b/RLRunStall.md","run_url":"http://e/runs/x"}},
    {"status":"resolved","startsAt":"2026-03-01T10:20:31Z",
     "labels":{"alertname":"RLRunNanInf","severity":"critical"},
     "annotations":{"summary":"lab/sums: not finite"}}]})";

TEST(NotificationTest, PrintsWhatFiresAndWhatIsOver) {
  EXPECT_EQ(PrintNotification(ParseNotification(kJson), "10:21:00"),
            "10:21:00 WARNING RLRunStall, since 10:20:31 UTC\n"
            "    lab/sums: silent\n    Next: look\n"
            "    Runbook: http://b/RLRunStall.md\n    Run: http://e/runs/x\n\n"
            "10:21:00 RESOLVED RLRunNanInf\n    lab/sums: not finite\n\n");
}

TEST(NotificationTest, GroupAndReceiverAreRead) {
  const Notification notification = ParseNotification(kJson);
  EXPECT_EQ(notification.receiver, "webhook");
  EXPECT_EQ(notification.group.at("run"), "sums");
  EXPECT_EQ(notification.alerts.at(0).label("none"), "");
}

TEST(NotificationTest, WhatIsNoNotificationHasNoAlerts) {
  for (const char* text : {"", "{", "[]", "1", R"({"alerts":1})",
                           R"({"alerts":[1,null]})", R"({"alerts":{}})"}) {
    EXPECT_TRUE(ParseNotification(text).alerts.empty()) << text;
  }
}

}  // namespace
}  // namespace rlrun::notify
