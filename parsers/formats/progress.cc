#include "parsers/formats/progress.h"

#include <charconv>
#include <system_error>

namespace rlrun {
namespace {

constexpr auto kNowhere = std::string_view::npos;

std::string_view SkipBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// The number at the front of `text`; *rest is what stands behind it.
std::optional<std::int64_t> TakeCount(std::string_view text,
                                      std::string_view* rest) {
  std::int64_t value = 0;
  if (text.starts_with('-')) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc()) return std::nullopt;
  *rest = text.substr(static_cast<std::size_t>(result.ptr - text.data()));
  return value;
}

// N of `<words>[:] N`, where N is a whole word.
std::optional<std::int64_t> CountBehind(std::string_view text,
                                        std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == kNowhere) return std::nullopt;
  text.remove_prefix(at + words.size());
  if (text.starts_with(':')) text.remove_prefix(1);
  std::string_view rest;
  const std::optional<std::int64_t> count = TakeCount(SkipBlanks(text), &rest);
  if (!count || *count < 1) return std::nullopt;
  if (!rest.empty() && rest.front() != ' ' && rest.front() != ',') {
    return std::nullopt;
  }
  return count;
}

// The b of `| a/b [`.
std::optional<std::int64_t> ParseBarTotal(std::string_view bar) {
  const std::size_t percent = bar.find("%|");
  if (percent == kNowhere) return std::nullopt;
  const std::size_t close = bar.find('|', percent + 2);
  if (close == kNowhere) return std::nullopt;
  std::string_view rest;
  const auto done = TakeCount(SkipBlanks(bar.substr(close + 1)), &rest);
  if (!done || !rest.starts_with('/')) return std::nullopt;
  const auto total = TakeCount(rest.substr(1), &rest);
  if (!total || *total < 1 || !rest.starts_with(" [")) return std::nullopt;
  return total;
}

}  // namespace

std::optional<std::int64_t> ParseTotalSteps(std::string_view payload) {
  if (payload.empty()) return std::nullopt;
  constexpr std::string_view kBar = "Training Progress:";
  constexpr std::string_view kTotal = "Total training steps";
  constexpr std::string_view kAsyncTotal = "total_train_steps";
  switch (payload.front()) {
    case 'T':
      if (payload.starts_with(kBar)) return ParseBarTotal(payload);
      return payload.starts_with(kTotal) ? CountBehind(payload, kTotal)
                                         : std::nullopt;
    case 'I': {  // INFO:2026-07-16 18:46:48,452:Total training steps: 1005
      constexpr std::size_t kStampBytes = 29;
      if (!payload.starts_with("INFO:") || payload.size() < kStampBytes) {
        return std::nullopt;
      }
      const std::string_view behind = payload.substr(kStampBytes);
      return behind.starts_with(kTotal) ? CountBehind(behind, kTotal)
                                        : std::nullopt;
    }
    case 'N':
      return payload.starts_with("Number of steps")
                 ? CountBehind(payload, "total number of steps")
                 : std::nullopt;
    case 't':
      if (payload.starts_with("total number of steps")) {
        return CountBehind(payload, "total number of steps");
      }
      return payload.starts_with(kAsyncTotal)
                 ? CountBehind(payload, kAsyncTotal)
                 : std::nullopt;
    case '[':
      return payload.starts_with("[FullyAsync") || payload.starts_with("[ASYNC")
                 ? CountBehind(payload, kAsyncTotal)
                 : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace rlrun
