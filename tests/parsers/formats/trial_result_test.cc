#include "parsers/formats/trial_result.h"

#include <gtest/gtest.h>

#include <string>

namespace rlrun {
namespace {

TrialResult Parsed(const std::string& text) {
  TrialResult result;
  EXPECT_EQ(ParseTrialResult(text, &result), TrialParse::kOk) << text;
  return result;
}

TrialReason ReasonOf(const std::string& type, const std::string& message,
                     const std::string& verifier = "null",
                     const std::string& agent = "null") {
  return Parsed("{\"exception_info\": {\"exception_type\": \"" + type +
                "\", \"exception_message\": \"" + message +
                "\"}, \"verifier_result\": " + verifier +
                ", \"agent_result\": " + agent + "}")
      .reason;
}

constexpr char kReward[] = "{\"rewards\": {\"reward\": 1.0}}";

TEST(TrialResult, SolvedTrialWithStagesAndTokens) {
  const TrialResult r = Parsed(R"({
    "id": "1", "task_name": "t", "task_id": {"path": "/data/swe_train/42"},
    "config": {"task": {"path": "/other"}, "agent": {"name": "a"}},
    "agent_result": {"n_input_tokens": 100, "n_cache_tokens": null,
      "n_output_tokens": 7, "cost_usd": 0.5, "rollout_details": [{"reward": 9}],
      "metadata": {"harbor_agent_tool_call": 3.5}},
    "verifier_result": {"rewards": {"other": 3, "reward": 0.5}},
    "exception_info": null, "step_results": null,
    "started_at": "2026-01-02T03:04:05Z", "finished_at": "2026-01-02T03:10:05Z",
    "environment_setup": {"started_at": "2026-01-02T03:04:05",
                          "finished_at": "2026-01-02T03:04:35.5"},
    "agent_setup": null,
    "verifier": {"started_at": "2026-01-02T03:09:05Z"}})");
  EXPECT_EQ(r.reason, TrialReason::kAgentCompleted);
  EXPECT_EQ(r.reward, 0.5);
  EXPECT_EQ(r.task_path, "/data/swe_train/42");
  EXPECT_EQ(r.exception, "");
  EXPECT_EQ(r.seconds[0], 30.5);
  EXPECT_FALSE(r.seconds[1]);
  EXPECT_FALSE(r.seconds[3]);
  EXPECT_EQ(r.seconds[4], 360.0);
  EXPECT_EQ(r.tokens[0], 100u);
  EXPECT_FALSE(r.tokens[1]);
  EXPECT_EQ(r.tokens[2], 7u);
  EXPECT_EQ(r.started_at, 1767323045.0);
}

TEST(TrialResult, TaskPathOfTheConfigurationWhereTheIdHasNone) {
  EXPECT_EQ(Parsed(R"({"config": {"task": {"path": "/val/1"}}})").task_path,
            "/val/1");
}

TEST(TrialResult, TimeOutWithARewardIsATimeOutAndScored) {
  const TrialResult r = Parsed(R"({"exception_info": {
    "exception_type": "AgentTimeoutError", "exception_message": "m"},
    "verifier_result": {"rewards": {"reward": 1}}})");
  EXPECT_EQ(r.reason, TrialReason::kTimeout);
  EXPECT_EQ(r.reward, 1.0);
  EXPECT_EQ(r.exception, "AgentTimeoutError");
}

TEST(TrialResult, ReasonsInTheirOrder) {
  using enum TrialReason;
  EXPECT_EQ(ReasonOf("VerifierTimeoutError", "x"), kTimeout);
  EXPECT_EQ(ReasonOf("E", "Verifier execution timed out after 9"), kTimeout);
  EXPECT_EQ(ReasonOf("ContextLengthExceededError", "x"), kOverlong);
  EXPECT_EQ(ReasonOf("E", "the maximum context length is 9"), kOverlong);
  EXPECT_EQ(ReasonOf("E", "leaves no room to generate"), kOverlong);
  EXPECT_EQ(ReasonOf("E", "context_length_exceeded"), kOverlong);
  EXPECT_EQ(ReasonOf("AgentTimeoutError", "maximum context length"), kTimeout);
  EXPECT_EQ(ReasonOf("NonZeroAgentExitCodeError", "x"), kAgentCompleted);
  EXPECT_EQ(ReasonOf("E", "Command failed (exit 1)"), kAgentCompleted);
  EXPECT_EQ(ReasonOf("EnvironmentStartTimeoutError", "x"), kEnvSetupFailed);
  EXPECT_EQ(ReasonOf("AgentSetupTimeoutError", "x"), kEnvSetupFailed);
  EXPECT_EQ(ReasonOf("RewardFileNotFoundError", "x"), kUnscored);
  EXPECT_EQ(ReasonOf("CancelledError", ""), kUnscored);
  EXPECT_EQ(ReasonOf("E", "x", kReward), kAgentCompleted);
}

TEST(TrialResult, PodErrorsCountOnlyOfTheirTypeAndWithoutAVerifier) {
  using enum TrialReason;
  for (const char* message :
       {"Pod not ready after 600 seconds", "Failed to pull image: x",
        "Pod failed to start: x", "Failed to create pod: x",
        "Kubernetes API error: 500", "Container not ready for exec after 5",
        "Pod a not found (404)."}) {
    EXPECT_EQ(ReasonOf("RuntimeError", message), kEnvSetupFailed) << message;
    EXPECT_EQ(ReasonOf("ValueError", message), kUnscored) << message;
    EXPECT_EQ(ReasonOf("RuntimeError", message, kReward), kAgentCompleted);
  }
  EXPECT_EQ(ReasonOf("RuntimeError", "list index out of range"), kUnscored);
}

TEST(TrialResult, ReasonThatTheAgentStates) {
  using enum TrialReason;
  const auto with = [](const char* reason) {
    return Parsed(std::string("{\"verifier_result\": {}, \"agent_result\": "
                              "{\"metadata\": {\"stop_reason\": \"") +
                  reason + "\"}}}")
        .reason;
  };
  EXPECT_EQ(with("max_turns_reached"), kMaxTurnsReached);
  EXPECT_EQ(with("overlong"), kOverlong);
  EXPECT_EQ(with("end_turn"), kAgentCompleted);
}

TEST(TrialResult, NoVerifierIsUnscoredAndHasNoReward) {
  const TrialResult r = Parsed("{\"verifier_result\": null}");
  EXPECT_EQ(r.reason, TrialReason::kUnscored);
  EXPECT_FALSE(r.reward);
}

TEST(TrialResult, RewardThatIsNoNumberIsNone) {
  for (const char* reward : {"NaN", "Infinity", "null", "\"1\"", "[1]", "{}"}) {
    EXPECT_FALSE(Parsed("{\"verifier_result\": {\"rewards\": {\"reward\": " +
                        std::string(reward) + "}}}")
                     .reward)
        << reward;
  }
}

TEST(TrialResult, RewardOfSomethingElseIsNotTheTrials) {
  EXPECT_FALSE(Parsed(R"({"reward": 1, "rewards": {"reward": 1},
    "verifier_result": {"reward": 1, "rewards": [{"reward": 1}],
    "deep": {"rewards": {"reward": 1}}}})")
                   .reward);
}

TEST(TrialResult, NegativeDurationsAreZeroAndNegativeTokensNone) {
  const TrialResult r = Parsed(R"({"started_at": "2026-01-02T03:04:05Z",
    "finished_at": "2026-01-02T03:04:00Z",
    "agent_result": {"n_input_tokens": -4}})");
  EXPECT_EQ(r.seconds[4], 0.0);
  EXPECT_FALSE(r.tokens[0]);
}

TEST(TrialResult, EveryCutIsIncomplete) {
  const std::string text =
      R"({"exception_info": {"exception_type": "E\"x"}, "n": [1.5e3, true, null],)"
      R"( "verifier_result": {"rewards": {"reward": 1.0}}})";
  TrialResult result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_EQ(ParseTrialResult(text.substr(0, n), &result),
              TrialParse::kIncomplete)
        << n;
  }
  EXPECT_EQ(ParseTrialResult(text, &result), TrialParse::kOk);
}

TEST(TrialResult, OtherTextIsMalformed) {
  TrialResult result;
  for (const char* text :
       {"[1, 2]", "12 ", "{\"a\": 1} x {}", "{'a': 1, 'b': 2}", "<html></html>",
        "{\"a\" 1, \"b\": 2}"}) {
    EXPECT_EQ(ParseTrialResult(text, &result), TrialParse::kMalformed) << text;
  }
}

TEST(TrialResult, DeepNestingIsNoProblem) {
  const std::string deep(100000, '[');
  TrialResult result;
  EXPECT_EQ(ParseTrialResult("{\"a\": " + deep, &result),
            TrialParse::kIncomplete);
}

TEST(TrialResult, LongTypeOfAnExceptionIsCut) {
  const TrialResult r = Parsed("{\"exception_info\": {\"exception_type\": \"" +
                               std::string(5000, 'x') + "\"}}");
  EXPECT_LE(r.exception.size(), 200u);
}

}  // namespace
}  // namespace rlrun
