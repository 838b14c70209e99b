#include "parsers/formats/async_line.h"

#include <algorithm>
#include <array>
#include <string>

#include "parsers/formats/run_line.h"
#include "parsers/values/number.h"

namespace rlrun {
namespace {

using Role = AsyncLine::Role;
constexpr auto kNowhere = std::string_view::npos;

std::string_view SkipBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// The number behind `label` in `text`.
std::optional<double> Value(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == kNowhere) return std::nullopt;
  const NumberFront number =
      ParseNumberFront(SkipBlanks(text.substr(at + label.size())));
  return number.size == 0 ? std::nullopt : std::optional(number.value);
}

AsyncLine Control(ControlKind kind, std::optional<double> value) {
  AsyncLine line;
  line.role = Role::kControl;
  line.control = kind;
  line.value = value;
  return line;
}

// `k/N samples` at the front of `text`.
AsyncLine Samples(std::string_view text, bool is_complete) {
  const auto collected = FrontInteger(text);
  const std::size_t slash = text.substr(0, 24).find('/');
  if (!collected || slash == kNowhere) return {};
  const auto required = FrontInteger(text.substr(slash + 1));
  if (!required || *collected < 0 || *required < 1) return {};
  AsyncLine line;
  line.role = Role::kSamples;
  line.collected = *collected;
  line.required = *required;
  line.is_complete = is_complete;
  return line;
}

AsyncLine ParseTrainer(std::string_view text) {
  constexpr std::string_view kRequest = "Requesting ";
  constexpr std::string_view kCollected = "Collected ";
  constexpr std::string_view kComplete = "Loop collection completed: ";
  if (text.starts_with("global_steps:")) {
    return Control(ControlKind::kHeartbeat, Value(text, "global_steps:"));
  }
  if (text.starts_with(kRequest)) {
    const auto required = FrontInteger(text.substr(kRequest.size()));
    if (!required || *required < 1 || text.find(" samples") == kNowhere) {
      return {};
    }
    AsyncLine line;
    line.role = Role::kSamples;
    line.required = *required;
    line.is_first = true;
    return line;
  }
  if (text.starts_with(kCollected)) {
    return Samples(text.substr(kCollected.size()), false);
  }
  if (text.starts_with(kComplete)) {
    return Samples(text.substr(kComplete.size()), true);
  }
  const auto sync = Value(text, "timing_s/param_sync:");
  return sync ? Control(ControlKind::kParamSync, sync) : AsyncLine();
}

AsyncLine ParseRollouter(std::string_view text) {
  constexpr std::string_view kStatistics = "[MonitorLoop][Statistics]";
  if (text.starts_with(kStatistics)) {
    AsyncLine line;
    line.rest = SkipBlanks(text.substr(kStatistics.size()));
    if (line.rest.starts_with('{')) line.role = Role::kStatistics;
    return line;
  }
  if (text.starts_with("[ShouldPause]")) {
    const auto size = Value(text, "size=");
    return Control(ControlKind::kPause,
                   size ? size : Value(text, "staleness_samples "));
  }
  if (text.find("Received pause signal") != kNowhere) {
    return Control(ControlKind::kDrain, std::nullopt);
  }
  if (text.find("Drain interrupted by resume signal") != kNowhere) {
    return Control(ControlKind::kResume,
                   Value(text, "active tasks remaining:"));
  }
  if (text.find("[reset_staleness]") != kNowhere) {
    return Control(ControlKind::kResume, std::nullopt);
  }
  return {};
}

}  // namespace

AsyncLine ParseAsyncLine(std::string_view payload) {
  constexpr std::string_view kTrainer = "[FullyAsyncTrainer]";
  constexpr std::string_view kRollouter = "[FullyAsyncRollouter]";
  if (payload.starts_with(kTrainer)) {
    return ParseTrainer(SkipBlanks(payload.substr(kTrainer.size())));
  }
  if (payload.starts_with(kRollouter)) {
    return ParseRollouter(SkipBlanks(payload.substr(kRollouter.size())));
  }
  if (payload.starts_with("MessageQueue stats:")) {
    return Control(ControlKind::kQueue, Value(payload, "queue_size="));
  }
  return {};
}

bool ParseStatistics(std::string_view text, QueueStatistics* out) {
  while (true) {
    const std::size_t open = text.find_first_of("'}");
    if (open == kNowhere) return false;
    if (text[open] == '}') return true;
    text.remove_prefix(open + 1);
    const std::size_t close = text.find('\'');
    if (close == kNowhere) return false;
    const std::string_view key = text.substr(0, close);
    text.remove_prefix(close + 1);
    if (!text.starts_with(':')) continue;
    text = SkipBlanks(text.substr(1));
    const NumberFront number = ParseNumberFront(text);
    if (number.size == 0) continue;
    text.remove_prefix(number.size);
    if (out->values.size() < kMaxQueueValues) {
      out->values.emplace_back(key, number.value);
    }
  }
}

}  // namespace rlrun
