#include "parsers/formats/wandb_line.h"

#include <algorithm>

namespace rlrun {
namespace {

constexpr auto kNowhere = std::string_view::npos;
constexpr std::size_t kMostOfAnId = 128;  // characters

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool MayBeOfId(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '-' || c == '_' || c == '.';
}

// The id at the front of `text`.
std::string_view FrontId(std::string_view text) {
  const auto end =
      std::find_if_not(text.begin(), text.end(), &MayBeOfId) - text.begin();
  text = text.substr(0, static_cast<std::size_t>(end));
  while (text.ends_with('.')) text.remove_suffix(1);  // of the sentence
  return text.size() <= kMostOfAnId ? text : std::string_view();
}

// Of `run-20260301_050000-<id>` in `text`.
std::string_view IdOfDirectory(std::string_view text) {
  constexpr std::string_view kRun = "run-";
  constexpr std::size_t kStamp = 16;  // with its hyphen
  for (std::size_t at = text.find(kRun); at != kNowhere;
       at = text.find(kRun, at + 1)) {
    const std::string_view stamp = text.substr(at + kRun.size(), kStamp);
    if (stamp.size() == kStamp && stamp[8] == '_' && stamp.back() == '-' &&
        std::count_if(stamp.begin(), stamp.end(), &IsDigit) == 14) {
      return FrontId(text.substr(at + kRun.size() + kStamp));
    }
  }
  return {};
}

std::string_view IdOfLink(std::string_view text) {
  constexpr std::string_view kRuns = "/runs/";
  const std::size_t link = text.find("://");
  const std::size_t at = text.rfind(kRuns);
  if (link == kNowhere || at == kNowhere || at < link) return {};
  return FrontId(text.substr(at + kRuns.size()));
}

}  // namespace

WandbLine ParseWandbLine(std::string_view payload) {
  constexpr std::string_view kFront = "wandb: ";
  if (!payload.starts_with(kFront)) return {};
  payload.remove_prefix(kFront.size());
  WandbLine line;
  line.of_agent = payload.find("Agent Starting Run") != kNowhere;
  if (line.of_agent) return line;
  line.id = IdOfDirectory(payload);
  if (line.id.empty()) line.id = IdOfLink(payload);
  return line;
}

}  // namespace rlrun
