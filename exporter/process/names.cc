#include "exporter/process/names.h"

namespace rlrun {

bool NamesWord(std::string_view text, std::string_view name) {
  if (name.empty()) return false;
  constexpr std::string_view kBefore = "/,:;@=+'\"([{ \t\n";
  constexpr std::string_view kBehind = "/,:;@'\")]} \t\n";
  for (std::size_t at = text.find(name); at != text.npos;
       at = text.find(name, at + 1)) {
    if (at > 0 && kBefore.find(text[at - 1]) == kBefore.npos) continue;
    const std::string_view behind = text.substr(at + name.size());
    if (behind.empty() || kBehind.find(behind[0]) != kBehind.npos) return true;
    if (behind[0] == '.' && behind.size() > 1 &&
        ((behind[1] >= 'a' && behind[1] <= 'z') ||
         (behind[1] >= 'A' && behind[1] <= 'Z'))) {
      return true;
    }
  }
  return false;
}

bool NamesPath(std::string_view text, std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path.size() < 2) return false;
  constexpr std::string_view kBefore = ",:;@='\"([{ \t\n";
  constexpr std::string_view kBehind = "/,:;@'\")]} \t\n";
  for (std::size_t at = text.find(path); at != text.npos;
       at = text.find(path, at + 1)) {
    if (at > 0 && kBefore.find(text[at - 1]) == kBefore.npos) continue;
    const std::string_view behind = text.substr(at + path.size());
    if (behind.empty() || kBehind.find(behind[0]) != kBehind.npos) return true;
  }
  return false;
}

}  // namespace rlrun
