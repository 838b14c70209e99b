#include "parsers/formats/engine_line.h"

#include <optional>
#include <string>

#include "parsers/lines/front.h"
#include "parsers/values/number.h"

namespace rlrun {
namespace {

constexpr std::string_view kOnly = "000";
constexpr std::string_view kAll = "all";
constexpr auto kNowhere = std::string_view::npos;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number behind `label` in `text`, followed by `unit`.
std::optional<double> Field(std::string_view text, std::string_view label,
                            std::string_view unit) {
  const std::size_t at = text.find(label);
  if (at == kNowhere) return std::nullopt;
  text.remove_prefix(at + label.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  const NumberFront number = ParseNumberFront(text);
  if (number.size == 0) return std::nullopt;
  text.remove_prefix(number.size);
  // A cut line may end in the middle of a number.
  if (text.empty() || !text.starts_with(unit)) return std::nullopt;
  const char next = text.front();
  if (IsDigit(next) || next == '.') return std::nullopt;
  return number.value;
}

void Set(const std::optional<double>& value, std::optional<double>* out) {
  if (value) *out = value;
}

void SetRatio(const std::optional<double>& percent,
              std::optional<double>* out) {
  if (percent) *out = *percent / 100;
}

void ParseVllm(std::string_view text, EngineReading* r) {
  Set(Field(text, "Avg prompt throughput:", " tokens/s"), &r->prompt_rate);
  Set(Field(text, "Avg generation throughput:", " tokens/s"),
      &r->generation_rate);
  Set(Field(text, "Running:", " reqs"), &r->running);
  const auto waiting = Field(text, "Waiting:", " reqs");
  Set(waiting ? waiting : Field(text, "Pending:", " reqs"), &r->waiting);
  SetRatio(Field(text, "GPU KV cache usage:", "%"), &r->kv_cache_usage);
  const auto hits = Field(text, ", Prefix cache hit rate:", "%");
  SetRatio(hits ? hits : Field(text, "Prefix cache hit rate: GPU:", "%"),
           &r->prefix_hit_ratio);
}

// SGLang ends a field with `,` or the line.
std::optional<double> SglangField(std::string_view text,
                                  std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == kNowhere) return std::nullopt;
  text.remove_prefix(at + label.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  const NumberFront number = ParseNumberFront(text);
  if (number.size == 0) return std::nullopt;
  text.remove_prefix(number.size);
  if (!text.empty() && text.front() != ',' && text.front() != ' ') {
    return std::nullopt;
  }
  return number.value;
}

void ParseSglang(EngineLineKind kind, std::string_view text, EngineReading* r) {
  Set(SglangField(text, "#running-req:"), &r->running);
  Set(SglangField(text, "#queue-req:"), &r->waiting);
  // `full token usage` and `swa token usage` of hybrid models stand in front.
  const auto usage = SglangField(text, ", token usage:");
  Set(usage ? usage : SglangField(text, "full token usage:"),
      &r->kv_cache_usage);
  if (kind == EngineLineKind::kSglangDecode) {
    Set(SglangField(text, "gen throughput (token/s):"), &r->generation_rate);
    return;
  }
  Set(SglangField(text, "input throughput (token/s):"), &r->prompt_rate);
  const auto fresh = SglangField(text, "#new-token:");
  const auto cached = SglangField(text, "#cached-token:");
  if (fresh && cached && *fresh + *cached > 0) {
    r->prefix_hit_ratio = *cached / (*fresh + *cached);
  }
}

// `text`: from `Decode batch` on; `head`: what stands in front of it.
EngineLine FindSglang(std::string_view text, std::string_view head) {
  EngineLine line;
  if (text.starts_with("Decode batch")) {
    line.kind = EngineLineKind::kSglangDecode;
  } else if (text.starts_with("Prefill batch")) {
    line.kind = EngineLineKind::kSglangPrefill;
  } else {
    return {};
  }
  line.number = kOnly;
  const std::size_t at = head.find(" DP");
  if (at == kNowhere) return line;
  head.remove_prefix(at + 3);
  std::size_t size = 0;
  while (size < head.size() && IsDigit(head[size])) ++size;
  if (size != 0) line.number = head.substr(0, size);
  return line;
}

// `text`: what follows ` MM-DD HH:MM:SS ` in a line of vLLM's logger.
EngineLine FindVllm(std::string_view text) {
  constexpr std::size_t kFileBytes = 11;
  if (text.starts_with('[')) text.remove_prefix(1);
  if (!HasFront(text, "loggers.py:") && !HasFront(text, "metrics.py:")) {
    return {};
  }
  std::size_t at = kFileBytes;
  while (at < text.size() && IsDigit(text[at])) ++at;
  text.remove_prefix(at);
  if (!HasFront(text, "] ")) return {};
  text.remove_prefix(2);
  if (HasFront(text, "Engine ")) {
    text.remove_prefix(7);
    std::size_t size = 0;
    while (size < text.size() && IsDigit(text[size])) ++size;
    if (size == 0 || !HasFront(text.substr(size), ": Avg")) return {};
    return {EngineLineKind::kVllm, text.substr(0, size)};
  }
  if (HasFront(text, "Avg ")) return {EngineLineKind::kVllm, kOnly};
  if (!text.empty() && IsDigit(text.front()) &&
      text.substr(0, 32).find(" Engines Aggregated: ") != kNowhere) {
    return {EngineLineKind::kVllm, kAll};
  }
  return {};
}

}  // namespace

EngineLine FindEngineLine(std::string_view payload, const Stamp* stamp) {
  constexpr std::size_t kDateBytes = 15;  // `MM-DD HH:MM:SS `
  if (stamp != nullptr && stamp->year == 0 && stamp->month != 0) {
    std::size_t date = 0;
    while (payload[date] != ' ' && date < kDateBytes) ++date;
    ++date;  // behind the level
    if (payload.size() <= date + kDateBytes) return {};
    return FindVllm(payload.substr(date + kDateBytes));
  }
  const char c = payload.empty() ? ' ' : payload.front();
  if (c == 'D' || c == 'P') return FindSglang(payload, {});
  if (c == '[' && stamp != nullptr) {
    const std::size_t close = payload.substr(0, 48).find("] ");
    if (close == kNowhere) return {};
    return FindSglang(payload.substr(close + 2), payload.substr(0, close));
  }
  // A copy that begins behind the level.
  if (IsDigit(c) && payload.size() > kDateBytes) {
    return FindVllm(payload.substr(kDateBytes));
  }
  return {};
}

std::string EngineName(std::string_view ip, std::string_view pid,
                       std::string_view number) {
  std::string name(ip.empty() ? std::string_view("local") : ip);
  name += ':';
  name += pid.empty() ? std::string_view("-") : pid;
  name += '/';
  for (std::size_t width = number.size(); width < kOnly.size(); ++width) {
    name += '0';
  }
  name += number;
  return name;
}

void ParseEngineLine(EngineLineKind kind, std::string_view payload,
                     EngineReading* reading) {
  if (kind == EngineLineKind::kVllm) {
    ParseVllm(payload, reading);
  } else {
    ParseSglang(kind, payload, reading);
  }
}

}  // namespace rlrun
