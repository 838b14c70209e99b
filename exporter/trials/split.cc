#include "exporter/trials/split.h"

#include <algorithm>
#include <string>

namespace rlrun {
namespace {

// Linear in practice: on a mismatch only the newest `*` takes one byte more.
bool Matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool MatchesAny(const std::vector<std::string>& patterns,
                std::string_view text) {
  return std::any_of(
      patterns.begin(), patterns.end(),
      [text](const std::string& pattern) { return Matches(pattern, text); });
}

}  // namespace

TrialSplit SplitOfTask(std::string_view task_path,
                       const TrialOptions& options) {
  if (task_path.empty()) return TrialSplit::kUnknown;
  if (MatchesAny(options.val_patterns, task_path)) return TrialSplit::kVal;
  if (MatchesAny(options.train_patterns, task_path)) return TrialSplit::kTrain;
  return TrialSplit::kUnknown;
}

}  // namespace rlrun
