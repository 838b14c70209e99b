// The texts of Slack, PagerDuty and mail as Alertmanager has made them of real
// alerts: who reads one needs no tool.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstdio>
#include <optional>
#include <string>

#include "tests/e2e/story.h"

namespace rlrun::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct SlackText {
  std::string title, text, color, link;
};

std::optional<SlackText> ParseSlack(const notify::Post& post) {
  rapidjson::Document document;
  document.Parse(post.body.data(), post.body.size());
  if (post.path != "/slack" || document.HasParseError()) return std::nullopt;
  const auto& attachment = document["attachments"][0];
  return SlackText{
      attachment["title"].GetString(), attachment["text"].GetString(),
      attachment["color"].GetString(), attachment["title_link"].GetString()};
}

class Texts : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(story_.error(), ""); }

  SlackText Slack(const std::string& title) const {
    for (const notify::Post& post : story_.posts()) {
      const auto slack = ParseSlack(post);
      if (slack && slack->title == title) return *slack;
    }
    ADD_FAILURE() << "nothing of Slack is called " << title;
    return {};
  }

  const Story& story_ = Story::Get();
};

TEST_F(Texts, SlackTellsRunFailureTimeEvidenceAndNextAction) {
  const SlackText slack =
      Slack("[FIRING:1] lab/reward_hacking_suspect: RLRunRewardHackingSuspect");
  std::printf("%s\n%s\n", slack.title.c_str(), slack.text.c_str());
  EXPECT_EQ(slack.color, "warning");
  EXPECT_EQ(slack.link,
            story_.exporter_url + "/runs/lab/reward_hacking_suspect");
  EXPECT_THAT(
      slack.text,
      AllOf(ContainsRegex("^\\*WARNING\\* RLRunRewardHackingSuspect, since "
                          "20[0-9-]+ [0-9:]+ UTC\n"
                          "lab/reward_hacking_suspect: [A-Z][^\n]+\\.\n"
                          "Since step: [0-9]+\n"
                          "Evidence: [^\n]*critic/rewards/mean = -?[0-9.]+"),
            HasSubstr("critic/score/mean = "), ContainsRegex("\nNext: [A-Z]"),
            HasSubstr("|runbook> · <" + slack.link + "|run>")));
  // Nothing of the template is left over.
  EXPECT_THAT(slack.text, AllOf(Not(HasSubstr("{{")), Not(HasSubstr("<no ")),
                                Not(HasSubstr("none"))));
}

TEST_F(Texts, SlackTellsThatItIsOver) {
  const SlackText slack =
      Slack("[RESOLVED] lab/recovers-warning: RLRunStepSlowdown");
  EXPECT_EQ(slack.color, "good");
  EXPECT_THAT(slack.text,
              StartsWith("*RESOLVED* RLRunStepSlowdown: lab/recovers-warning: "
                         "Steps take "));
}

TEST_F(Texts, SlackIsNotToldOfInfo) {
  for (const notify::Post& post : story_.posts()) {
    const auto slack = ParseSlack(post);
    if (!slack) continue;
    EXPECT_THAT(slack->text, Not(HasSubstr("*INFO*")));
  }
}

TEST_F(Texts, PagerDutyTellsTheSameOfCriticalOnesAlone) {
  bool crash = false;
  for (const notify::Post& post : story_.posts()) {
    if (post.path != "/v2/enqueue") continue;
    rapidjson::Document document;
    document.Parse(post.body.data(), post.body.size());
    ASSERT_FALSE(document.HasParseError());
    const auto& payload = document["payload"];
    EXPECT_STREQ(payload["severity"].GetString(), "critical");
    // What is about the exporter has none.
    if (!payload.HasMember("component") ||
        std::string_view(payload["component"].GetString()) != "crashes_sick") {
      continue;
    }
    crash = true;
    EXPECT_STREQ(payload["summary"].GetString(),
                 "[FIRING:1] lab/crashes_sick: RLRunTrainerCrash");
    EXPECT_STREQ(payload["group"].GetString(), "lab");
    EXPECT_THAT(
        payload["custom_details"]["alerts"].GetString(),
        AllOf(StartsWith("CRITICAL RLRunTrainerCrash, since "),
              HasSubstr("\nSince step: 50\nEvidence: errors of the kind "
                        "disk_full = "),
              HasSubstr("\nNext: "), HasSubstr("\nRunbook: http")));
    break;
  }
  EXPECT_TRUE(crash);
}

// There is no server for mail here: amtool makes the mail of what the webhook
// was sent, by the shipped template.
TEST_F(Texts, MailIsMadeOfTheSameAlerts) {
  const notify::Post* found = nullptr;
  for (const notify::Post& post : story_.posts()) {
    if (post.path == "/rlrun" &&
        post.body.find("\"RLRunCheckTimeoutShare\"") != std::string::npos &&
        post.body.find("\"check-timeout_share\"") != std::string::npos) {
      found = &post;
    }
  }
  ASSERT_NE(found, nullptr);
  const daemon::TempDir dir;
  daemon::WriteFile(dir.File("data.json"), found->body);
  daemon::ChildProcess amtool(
      {Peer("usr/bin/amtool"), "template", "render",
       "--template.glob=" RLRUN_SOURCE_DIR "/alerts/templates/*.tmpl",
       "--template.text={{ template \"rlrun.email.html\" . }}",
       "--template.type=html", "--template.data=" + dir.File("data.json")});
  EXPECT_EQ(amtool.Wait(), 0) << amtool.Err();
  EXPECT_THAT(
      amtool.Out(),
      AllOf(HasSubstr("<h3>INFO RLRunCheckTimeoutShare, since 20"),
            HasSubstr("lab/check-timeout_share: "),
            ContainsRegex("Out of range on the last [3-7] steps\n"),
            HasSubstr("Bound in force: max 0.2"), HasSubstr(">runbook</a>")));
}

}  // namespace
}  // namespace rlrun::e2e
