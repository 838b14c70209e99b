#include "exporter/report/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/exporter/report/full_report.h"
#include "tests/exporter/report/report_fixture.h"
#include "tests/exporter/report/status_schema.h"

namespace rlrun {
namespace {

using ::testing::HasSubstr;

class ReportJsonTest : public ReportFixture {
 protected:
  static std::string Json(const std::vector<RunReport>& reports,
                          const LogTails& tails = {}) {
    return StatusJson(reports, ChooseRuns(reports, "", {}), tails, 12.5);
  }
  static rapidjson::Document Parsed(const std::string& json) {
    rapidjson::Document document;
    document.Parse(json.c_str());
    EXPECT_FALSE(document.HasParseError()) << json;
    return document;
  }
};

TEST_F(ReportJsonTest, NoRunsAreAnEmptyList) {
  EXPECT_EQ(Json({}),
            "{\"generated_at\":12.5,\"exit_code\":0,\"runs\":[],"
            "\"other_runs\":[]}\n");
  EXPECT_EQ(SchemaError(Json({})), "");
}

TEST_F(ReportJsonTest, ListThatIsNotWholeSaysSo) {
  const std::string json = StatusJson({}, {}, {}, 12.5, true);
  EXPECT_THAT(json, HasSubstr("\"partial\":true"));
  EXPECT_EQ(SchemaError(json), "");
}

TEST_F(ReportJsonTest, RunThatNothingIsKnownOf) {
  const std::string json = Json({Report()});
  EXPECT_EQ(SchemaError(json), "");
  const auto document = Parsed(json);
  const auto& run = document["runs"][0];
  for (const char* name : {"project", "step", "total_steps", "epoch", "phase",
                           "start_time", "gpus", "log", "log_tail"}) {
    EXPECT_FALSE(run.HasMember(name)) << name;
  }
}

TEST_F(ReportJsonTest, EveryFieldIsInTheSchema) {
  const RunReport report = FullReport();
  EXPECT_EQ(SchemaError(Json({report}, {{"a", "b"}})), "");
}

// The test above can fail.
TEST_F(ReportJsonTest, SchemaKnowsWhatIsWrong) {
  std::string json = Json({Report()});
  const std::string state = "\"state\":\"running\"";
  ASSERT_THAT(json, HasSubstr(state));
  json.replace(json.find(state), state.size(), "\"state\":\"walking\"");
  EXPECT_THAT(SchemaError(json), HasSubstr("/state"));
  EXPECT_THAT(SchemaError("{\"runs\":[]}"), HasSubstr("required"));
  EXPECT_THAT(SchemaError("{\"generated_at\":1,\"exit_code\":0,\"runs\":[],"
                          "\"other_runs\":[],\"more\":1}"),
              HasSubstr("additionalProperties"));
}

TEST_F(ReportJsonTest, NumbersThatJsonHasNotAreText) {
  keys_.Key("critic/rewards/mean", RunBuilder::kNan)
      .Key("actor/grad_norm", RunBuilder::kInf)
      .Key("actor/lr", -RunBuilder::kInf);
  Play(1, 1);
  const std::string json = Json({Report()});
  EXPECT_EQ(SchemaError(json), "");
  EXPECT_THAT(json, HasSubstr("\"value\":\"NaN\""));
  EXPECT_THAT(json, HasSubstr("\"value\":\"+Inf\""));
  EXPECT_THAT(json, HasSubstr("\"value\":\"-Inf\""));
}

TEST_F(ReportJsonTest, HostileTextIsOneLineOfValidJson) {
  run_.identity.run = "a\n\"\x1b\xFF";
  run_.path = "/r/\xC3.log";
  const std::string json = Json({Report()}, {{"\xFF\n\x01"}});
  EXPECT_EQ(SchemaError(json), "");
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_STREQ(Parsed(json)["runs"][0]["run"].GetString(),
               "a\n\"\x1b\xEF\xBF\xBD");
}

TEST_F(ReportJsonTest, ListedRunsAreApartAndDoNotMakeTheExitCode) {
  RunReport live = Report();
  RunReport ended = Report();
  ended.run = "ended";
  ended.state = RunState::kFailed;
  ended.health = Health::kCritical;
  const std::string json = Json({ended, live}, {{"tail"}});
  EXPECT_EQ(SchemaError(json), "");
  const auto document = Parsed(json);
  EXPECT_EQ(document["exit_code"].GetInt(), 0);
  ASSERT_EQ(document["runs"].Size(), 1u);
  EXPECT_STREQ(document["runs"][0]["run"].GetString(), "sums");
  EXPECT_STREQ(document["runs"][0]["log_tail"][0].GetString(), "tail");
  ASSERT_EQ(document["other_runs"].Size(), 1u);
  EXPECT_STREQ(document["other_runs"][0]["run"].GetString(), "ended");
}

TEST_F(ReportJsonTest, FindingThatIsNotMatchedSaysOnlyThat) {
  change_ = [](Judgement* j) {
    Finding finding;
    finding.name = "stall";
    finding.activations = 2;
    j->findings = {finding};
  };
  EXPECT_THAT(Json({Report()}),
              HasSubstr("\"signatures\":[{\"signature\":\"stall\",\"level\":"
                        "\"none\",\"activations\":2}]"));
}

}  // namespace
}  // namespace rlrun
