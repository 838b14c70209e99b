#include "exporter/report/hidden_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "exporter/report/plain_text.h"
#include "exporter/signatures/rule.h"

namespace rlrun {
namespace {

// Rules of steps only compute; of the others, these.
bool IsOwnWords(std::string_view name) {
  constexpr std::array<std::string_view, 3> kOwn = {"stall", "no_progress",
                                                    "ended_early"};
  const auto is_it = [&](const StepRule& rule) { return rule.name == name; };
  const auto failures = FailureRules();
  const auto quality = QualityRules();
  return std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end() ||
         std::any_of(failures.begin(), failures.end(), is_it) ||
         std::any_of(quality.begin(), quality.end(), is_it);
}

}  // namespace

void HideLogText(RunReport* report) {
  report->log_text.clear();
  for (Finding& finding : report->findings) {
    if (finding.detail.empty() || IsOwnWords(finding.name)) continue;
    const std::string quoted = ": " + PlainFront(finding.detail, kMaxLogText);
    const std::size_t at = report->headline.find(quoted);
    if (at != std::string::npos) report->headline.erase(at, quoted.size());
    finding.detail.clear();
  }
}

}  // namespace rlrun
