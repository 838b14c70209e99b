#include "exporter/report/recommendations.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "exporter/report/advice.h"

namespace rlrun {
namespace {

struct Item {
  Cost cost = Cost::kRead;
  std::string text;
};

Item MakeItem(std::string_view name, const Advice& advice) {
  Item item{advice.cost, std::string(name) + ": " + std::string(advice.text)};
  if (item.cost == Cost::kIrreversible) {
    item.text += " That is your decision, and it cannot be undone.";
  }
  return item;
}

void AddFindings(const Judgement& judgement, std::size_t most,
                 std::vector<Item>* items) {
  std::set<std::string_view> said;
  const auto add = [&](std::string_view name, const Advice& advice) {
    if (advice.text.empty() || items->size() == most) return;
    if (said.insert(advice.text).second) {
      items->push_back(MakeItem(name, advice));
    }
  };
  for (const Level level : {Level::kCritical, Level::kWarning, Level::kInfo}) {
    for (const Finding& f : judgement.findings) {
      if (f.level == level) add(f.name, AdviceOn(f));
    }
  }
  for (const CheckResult& check : judgement.checks) {
    const bool is_told = std::any_of(
        judgement.findings.begin(), judgement.findings.end(),
        [&](const Finding& finding) { return Covers(finding, check); });
    if (check.failed() && !is_told) add(check.name, AdviceOn(check));
  }
}

// Where no finding and no check asks for anything.
std::string_view WithoutFindings(const Judgement& judgement) {
  if (judgement.state == RunState::kLost) {
    return "Look on its host, and on any other that may hold it, whether its "
           "process lives; if not, in the journal for how it ended.";
  }
  if (IsEnded(judgement.state)) return "";
  if (judgement.decision != Decision::kWait) return "Let it run.";
  switch (judgement.wait_reason) {
    case WaitReason::kUnreadable:
      return "Make its files readable again: until then nothing is known of "
             "it.";
    case WaitReason::kStale:
      return "Check on its host that its process lives: it has written nothing "
             "for long.";
    default:
      return "Let it run, and look again when it has made more steps.";
  }
}

}  // namespace

std::vector<std::string> Recommendations(const Judgement& judgement) {
  std::vector<Item> items;
  const bool stops = judgement.decision == Decision::kStop;
  AddFindings(judgement, kMaxRecommendations - (stops ? 1 : 0), &items);
  if (stops) {
    items.push_back({Cost::kIrreversible,
                     "Stopping this run is recommended. Nothing has been done "
                     "to it; whether to stop it is your decision."});
  }
  if (items.empty()) {
    const std::string_view text = WithoutFindings(judgement);
    if (!text.empty()) items.push_back({Cost::kRead, std::string(text)});
  }
  std::stable_sort(
      items.begin(), items.end(),
      [](const Item& a, const Item& b) { return a.cost < b.cost; });
  std::vector<std::string> out;
  out.reserve(items.size());
  for (Item& item : items) out.push_back(std::move(item.text));
  return out;
}

}  // namespace rlrun
