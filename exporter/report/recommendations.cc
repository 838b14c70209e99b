#include "exporter/report/recommendations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace rlrun {
namespace {

// What following a recommendation costs.
enum class Cost : std::uint8_t { kRead = 0, kConfirm, kNextRun, kIrreversible };

struct Item {
  Cost cost = Cost::kRead;
  std::string text;
};

struct NamedCost {
  std::string_view name;
  Cost cost;
};

// Findings and checks whose next step is more than reading what is there.
constexpr std::array<NamedCost, 22> kCosts = {{
    {"r3_misalignment", Cost::kConfirm},
    {"frozen_model", Cost::kNextRun},
    {"grad_starvation", Cost::kNextRun},
    {"env_avalanche", Cost::kConfirm},
    {"val_fake_zero", Cost::kConfirm},
    {"no_tool_call_collapse", Cost::kIrreversible},
    {"critic_starvation", Cost::kNextRun},
    {"all_negative_batch_collapse", Cost::kIrreversible},
    {"dis_not_reaching_actor", Cost::kNextRun},
    {"step_slowdown", Cost::kConfirm},
    {"reward_drop", Cost::kIrreversible},
    {"nan_inf", Cost::kIrreversible},
    {"loss_spike", Cost::kIrreversible},
    {"loss_divergence", Cost::kIrreversible},
    {"grad_explosion", Cost::kIrreversible},
    {"entropy_collapse", Cost::kIrreversible},
    {"entropy_explosion", Cost::kIrreversible},
    {"length_collapse", Cost::kIrreversible},
    {"died_silently", Cost::kConfirm},
    {"stall", Cost::kConfirm},
    {"critic_grad_norm", Cost::kNextRun},
    {"critic_advantages_mean", Cost::kNextRun},
}};

Cost CostOf(std::string_view name) {
  const auto it = std::find_if(kCosts.begin(), kCosts.end(),
                               [&](const auto& c) { return c.name == name; });
  return it == kCosts.end() ? Cost::kRead : it->cost;
}

Item MakeItem(std::string_view name, std::string_view next) {
  Item item{CostOf(name), std::string(name) + ": " + std::string(next)};
  if (item.cost == Cost::kIrreversible) {
    item.text += " That is your decision, and it cannot be undone.";
  }
  return item;
}

void AddFindings(const Judgement& judgement, std::size_t most,
                 std::vector<Item>* items) {
  std::set<std::string_view> said;
  for (const Level level : {Level::kCritical, Level::kWarning, Level::kInfo}) {
    for (const Finding& f : judgement.findings) {
      if (f.level != level || f.next.empty()) continue;
      if (items->size() == most) return;
      if (said.insert(f.next).second)
        items->push_back(MakeItem(f.name, f.next));
    }
  }
  for (const CheckResult& check : judgement.checks) {
    if (!check.failed()) continue;
    if (items->size() == most) return;
    if (said.insert(check.means).second) {
      items->push_back(MakeItem(check.name, check.means));
    }
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
  if (items.empty() && !IsEnded(judgement.state)) {
    items.push_back({Cost::kRead, "Let it run."});
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
