#include "exporter/signatures/rule.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxEvidence = 4;

}  // namespace

bool RuleInput::sao() const {
  if (!history.has_critic()) return false;
  return history.has_actor_rollout_corr() ||
         (facts.estimator == "gae" && facts.bypass_mode == true);
}

void AddEvidence(const History& history, Role role, std::optional<double> bound,
                 RuleResult* result, Side side) {
  const std::string_view key = history.key(role);
  if (key.empty() || result->evidence.size() >= kMaxEvidence) return;
  const StepFrame& newest = history.newest();
  const Series& series = history.series(role);
  Evidence evidence{KeyText::Lasting(key), newest.step, 0, bound, side};
  if (newest.has(role)) {
    evidence.value = *newest.value(role);
  } else if (!series.values().empty()) {
    evidence.value = series.newest();
    evidence.step = series.newest_step();
  } else {
    return;
  }
  result->evidence.push_back(std::move(evidence));
}

Side SideOf(const Evidence& evidence) {
  if (!evidence.bound) return Side::kNone;
  if (evidence.side != Side::kNone) return evidence.side;
  if (evidence.value > *evidence.bound) return Side::kAbove;
  return evidence.value < *evidence.bound ? Side::kBelow : Side::kNone;
}

}  // namespace rlrun
