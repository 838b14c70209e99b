#include "parsers/formats/trial_result.h"

#include <rapidjson/reader.h>
#include <rapidjson/stream.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "parsers/values/iso_time.h"

namespace rlrun {
namespace {

constexpr unsigned kFlags = rapidjson::kParseNanAndInfFlag |
                            rapidjson::kParseInsituFlag |
                            rapidjson::kParseIterativeFlag;
constexpr std::size_t kMaxPathDepth = 4;    // deeper fields are not ours
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

// Follows the path of keys to the fields that are ours. Elements of arrays have
// an empty key.
class Handler
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
 public:
  explicit Handler(Stated* out) : out_(*out) {}

  bool StartObject() {
    if (depth_ == 0) is_object_ = true;
    if (depth_ == 1 && key_[0] == "verifier_result") out_.has_verifier = true;
    if (depth_ == 1 && key_[0] == "exception_info") out_.has_exception = true;
    return Push();
  }
  bool EndObject(rapidjson::SizeType) { return Pop(); }
  bool StartArray() { return Push(); }
  bool EndArray(rapidjson::SizeType) { return Pop(); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ >= 1 && depth_ <= kMaxPathDepth) {
      key_[depth_ - 1] = std::string_view(text, size);
    }
    return true;
  }
  bool Int(int v) { return Number(v); }
  bool Uint(unsigned v) { return Number(v); }
  bool Int64(std::int64_t v) { return Number(static_cast<double>(v)); }
  bool Uint64(std::uint64_t v) { return Number(static_cast<double>(v)); }
  bool Double(double v) { return Number(v); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    Text(std::string_view(text, size));
    return true;
  }
  bool is_object() const { return is_object_; }

 private:
  bool Push() {
    ++depth_;
    if (depth_ >= 1 && depth_ <= kMaxPathDepth) key_[depth_ - 1] = {};
    return true;
  }
  bool Pop() {
    --depth_;
    return true;
  }
  // The value stands below exactly these keys.
  bool At(std::string_view a) const { return depth_ == 1 && key_[0] == a; }
  bool At(std::string_view a, std::string_view b) const {
    return depth_ == 2 && key_[0] == a && key_[1] == b;
  }
  bool At(std::string_view a, std::string_view b, std::string_view c) const {
    return depth_ == 3 && key_[0] == a && key_[1] == b && key_[2] == c;
  }

  bool Number(double value) {
    if (At("verifier_result", "rewards", "reward") && std::isfinite(value)) {
      out_.result.reward = value;
    }
    constexpr std::array<std::string_view, kTrialTokenKinds> kTokenFields = {
        "n_input_tokens", "n_cache_tokens", "n_output_tokens"};
    for (std::size_t i = 0; i < kTrialTokenKinds; ++i) {
      if (At("agent_result", kTokenFields[i]) && value >= 0 && value < 1e15) {
        out_.result.tokens[i] = static_cast<std::uint64_t>(value);
      }
    }
    return true;
  }

  void Text(std::string_view text) {
    if (depth_ > 3) return;
    if (At("exception_info", "exception_type")) {
      out_.result.exception.assign(text.substr(0, kMaxException));
    } else if (At("exception_info", "exception_message")) {
      out_.message.assign(text);
    } else if (At("task_id", "path") || At("config", "task", "path")) {
      if (out_.result.task_path.empty()) out_.result.task_path.assign(text);
    } else if (At("agent_result", "metadata", "termination_reason") ||
               At("agent_result", "metadata", "exit_reason") ||
               At("agent_result", "metadata", "stop_reason")) {
      out_.ended_by.assign(text);
    } else {
      Time(text);
    }
  }

  void Time(std::string_view text) {
    constexpr auto kTotal = static_cast<std::size_t>(TrialStage::kTotal);
    if (At("started_at")) out_.begin[kTotal] = ParseIsoTime(text);
    if (At("finished_at")) out_.end[kTotal] = ParseIsoTime(text);
    for (std::size_t i = 0; i < kTotal; ++i) {
      if (At(kTrialStageNames[i], "started_at")) {
        out_.begin[i] = ParseIsoTime(text);
      } else if (At(kTrialStageNames[i], "finished_at")) {
        out_.end[i] = ParseIsoTime(text);
      }
    }
  }

  Stated& out_;
  std::size_t depth_ = 0;
  std::array<std::string_view, kMaxPathDepth> key_;
  bool is_object_ = false;
};

}  // namespace

TrialParse ParseTrialResult(std::string text, TrialResult* result) {
  Stated stated;
  Handler handler(&stated);
  rapidjson::Reader reader;
  // Text behind a NUL is not looked at: the parser takes it for the end.
  const std::size_t end = std::min(text.find('\0'), text.size());
  rapidjson::InsituStringStream stream(text.data());
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, handler);
  if (parsed.IsError()) {
    const bool at_end =
        parsed.Code() == rapidjson::kParseErrorDocumentEmpty ||
        parsed.Code() == rapidjson::kParseErrorStringMissQuotationMark ||
        parsed.Offset() + 1 >= end;
    return at_end ? TrialParse::kIncomplete : TrialParse::kMalformed;
  }
  if (!handler.is_object()) return TrialParse::kMalformed;
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
