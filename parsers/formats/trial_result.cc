#include "parsers/formats/trial_result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "parsers/formats/json_document.h"
#include "parsers/values/iso_time.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxException = 120;  // bytes kept of a type's name

bool HasAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](auto part) {
    return text.find(part) != std::string_view::npos;
  });
}

constexpr std::array<std::string_view, 3> kContextMessages = {
    "maximum context length", "leaves no room to generate",
    "context_length_exceeded"};
constexpr std::array<std::string_view, 7> kPodMessages = {
    "Pod not ready after",  "Failed to pull image:",
    "Pod failed to start:", "Failed to create pod:",
    "Kubernetes API error", "Container not ready for exec",
    "not found (404)"};

// What the file states, before it is judged.
struct Stated {
  TrialResult result;
  bool has_verifier = false;
  bool has_exception = false;
  std::string message;   // of the exception
  std::string ended_by;  // a reason that the agent's metadata names
  std::array<std::optional<double>, kTrialStages> begin, end;
};

TrialReason Judge(const Stated& s) {
  const std::string_view type = s.result.exception;
  const std::string_view message = s.message;
  const auto says = [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  if (type == "AgentTimeoutError" || type == "VerifierTimeoutError" ||
      says("Verifier execution timed out")) {
    return TrialReason::kTimeout;
  }
  if (type == "ContextLengthExceededError" ||
      HasAny(message, kContextMessages) || s.ended_by == "overlong") {
    return TrialReason::kOverlong;
  }
  if (s.ended_by == "max_turns_reached" || s.ended_by == "max_turns") {
    return TrialReason::kMaxTurnsReached;
  }
  if (type == "NonZeroAgentExitCodeError" || says("Command failed (exit")) {
    return TrialReason::kAgentCompleted;
  }
  if (s.has_verifier) return TrialReason::kAgentCompleted;
  if (type == "EnvironmentStartTimeoutError" ||
      type == "AgentSetupTimeoutError" ||
      (type == "RuntimeError" && HasAny(message, kPodMessages))) {
    return TrialReason::kEnvSetupFailed;
  }
  return TrialReason::kUnscored;
}

class Fields : public JsonVisitor {
 public:
  explicit Fields(Stated* out) : out_(*out) {}

  void Begin(const JsonPath& path) override {
    if (path.Is("verifier_result")) out_.has_verifier = true;
    if (path.Is("exception_info")) out_.has_exception = true;
  }
  void Number(const JsonPath& path, double value) override {
    if (path.Is("verifier_result", "rewards", "reward") &&
        std::isfinite(value)) {
      out_.result.reward = value;
    }
    constexpr std::array<std::string_view, kTrialTokenKinds> kTokenFields = {
        "n_input_tokens", "n_cache_tokens", "n_output_tokens"};
    for (std::size_t i = 0; i < kTrialTokenKinds; ++i) {
      if (path.Is("agent_result", kTokenFields[i]) && value >= 0 &&
          value < 1e15) {
        out_.result.tokens[i] = static_cast<std::uint64_t>(value);
      }
    }
  }

  void Text(const JsonPath& path, std::string_view text) override {
    if (path.depth > 3) return;
    if (path.Is("exception_info", "exception_type")) {
      out_.result.exception.assign(text.substr(0, kMaxException));
    } else if (path.Is("exception_info", "exception_message")) {
      out_.message.assign(text);
    } else if (path.Is("task_id", "path") ||
               path.Is("config", "task", "path")) {
      if (out_.result.task_path.empty()) out_.result.task_path.assign(text);
    } else if (path.Is("agent_result", "metadata", "termination_reason") ||
               path.Is("agent_result", "metadata", "exit_reason") ||
               path.Is("agent_result", "metadata", "stop_reason")) {
      out_.ended_by.assign(text);
    } else {
      Time(path, text);
    }
  }

 private:
  void Time(const JsonPath& path, std::string_view text) {
    constexpr auto kTotal = static_cast<std::size_t>(TrialStage::kTotal);
    if (path.Is("started_at")) out_.begin[kTotal] = ParseIsoTime(text);
    if (path.Is("finished_at")) out_.end[kTotal] = ParseIsoTime(text);
    for (std::size_t i = 0; i < kTotal; ++i) {
      if (path.Is(kTrialStageNames[i], "started_at")) {
        out_.begin[i] = ParseIsoTime(text);
      } else if (path.Is(kTrialStageNames[i], "finished_at")) {
        out_.end[i] = ParseIsoTime(text);
      }
    }
  }

  Stated& out_;
};

}  // namespace

TrialParse ParseTrialResult(std::string text, TrialResult* result) {
  Stated stated;
  Fields fields(&stated);
  switch (ParseJsonDocument(std::move(text), &fields)) {
    case DocumentParse::kIncomplete:
      return TrialParse::kIncomplete;
    case DocumentParse::kMalformed:
      return TrialParse::kMalformed;
    case DocumentParse::kOk:
      break;
  }
  TrialResult& r = stated.result;
  for (std::size_t i = 0; i < kTrialStages; ++i) {
    if (stated.begin[i] && stated.end[i]) {
      r.seconds[i] = std::max(0.0, *stated.end[i] - *stated.begin[i]);
    }
  }
  constexpr auto kTotal = static_cast<std::size_t>(TrialStage::kTotal);
  r.started_at = stated.begin[kTotal];
  r.finished_at = stated.end[kTotal];
  if (stated.has_exception && r.exception.empty()) r.exception = "unknown";
  r.reason = Judge(stated);
  *result = std::move(r);
  return TrialParse::kOk;
}

}  // namespace rlrun
