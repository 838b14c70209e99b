#include "exporter/trials/split.h"

#include <algorithm>
#include <string>

#include "parsers/values/glob.h"

namespace rlrun {
namespace {

bool MatchesAny(const std::vector<std::string>& patterns,
                std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](const std::string& pattern) {
                       return GlobMatches(pattern, text);
                     });
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
