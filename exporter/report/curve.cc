#include "exporter/report/curve.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "exporter/exposition/text.h"

namespace rlrun {
namespace {

struct CurveRow {
  std::string_view title;
  std::array<Role, 2> roles;  // the first of them that has points
  std::string_view check;     // whose bounds are drawn; empty: none
};

constexpr std::array<CurveRow, 10> kRows = {{
    {"Reward", {Role::kTaskReward, Role::kReward}, ""},
    {"Training loss", {Role::kTrainLoss, Role::kTrainLoss}, ""},
    {"Gradient norm", {Role::kActorGradNorm, Role::kTrainGradNorm}, ""},
    {"Rollout and trainer agree",
     {Role::kPearson, Role::kPearson},
     "routing_replay_pearson"},
    {"Effective sample size",
     {Role::kEffectiveSampleSize, Role::kEffectiveSampleSize},
     "eff_sample_size"},
    {"Turns", {Role::kTurns, Role::kTurns}, ""},
    {"Response length", {Role::kResponseLength, Role::kResponseLength}, ""},
    {"Entropy", {Role::kEntropy, Role::kEntropy}, ""},
    {"Seconds per step", {Role::kStepTime, Role::kStepTime}, ""},
    {"Validation loss", {Role::kValLoss, Role::kValLoss}, ""},
}};

// Marks the curve where an active signature has its key among its evidence.
void Mark(const Judgement& judgement, Curve* curve) {
  for (const Finding& f : judgement.findings) {
    if (f.level < Level::kWarning || !f.since_step) continue;
    const bool rests =
        std::any_of(f.evidence.begin(), f.evidence.end(),
                    [&](const Evidence& e) { return e.key == curve->key; });
    if (!rests) continue;
    if (curve->active_since && *curve->active_since <= *f.since_step) continue;
    curve->active_since = f.since_step;
    curve->active_name = f.name;
  }
}

void Bound(const Judgement& judgement, std::string_view check, Curve* curve) {
  for (const CheckResult& c : judgement.checks) {
    // A row without a check of its own takes the one of its key.
    if (check.empty() ? c.key != curve->key : c.name != check) continue;
    curve->min = c.min;
    curve->max = c.max;
    return;
  }
}

void AddValidations(const History& history, const Judgement& judgement,
                    std::vector<Curve>* curves) {
  Curve curve;
  curve.title = "Validation (mean of the main scores)";
  for (const auto& validation : history.validations()) {
    if (validation.frame.finite == 0) continue;
    double sum = 0;
    for (const MainScore& score : validation.scores) {
      if (score.finite()) sum += score.value;
    }
    curve.points.push_back(
        {validation.frame.step,
         sum / static_cast<double>(validation.frame.finite)});
    if (curve.key.empty()) curve.key = validation.scores.front().key;
  }
  if (curve.points.empty()) return;
  Mark(judgement, &curve);
  curve.key = RepairUtf8(curve.key);
  curves->push_back(std::move(curve));
}

}  // namespace

std::vector<Curve> MakeCurves(const History& history,
                              const Judgement& judgement) {
  std::vector<Curve> curves;
  curves.reserve(kRows.size() + 1);
  for (const CurveRow& row : kRows) {
    const bool first = history.series(row.roles[0]).count() != 0;
    const Role role = row.roles[first ? 0 : 1];
    const Series& series = history.series(role);
    const auto values = series.values();
    const auto steps = series.steps();
    if (values.empty()) continue;
    Curve curve;
    curve.title = row.title;
    curve.key = history.key(role);
    curve.points.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      curve.points.push_back({steps[i], values[i]});
    }
    Bound(judgement, row.check, &curve);
    Mark(judgement, &curve);
    curve.key = RepairUtf8(curve.key);
    curves.push_back(std::move(curve));
  }
  AddValidations(history, judgement, &curves);
  return curves;
}

}  // namespace rlrun
