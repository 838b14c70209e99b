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

// What a curve is called that is shown because something rests on it.
std::string_view TitleOf(Role role) {
  switch (role) {
    case Role::kScore:
      return "Score";
    case Role::kReward:
      return "Reward with its penalties";
    case Role::kAdvantage:
      return "Advantage";
    case Role::kPolicyLoss:
    case Role::kActorLoss:
      return "Policy loss";
    case Role::kKlLoss:
      return "KL from the reference";
    case Role::kPpoKl:
      return "KL from the step before";
    case Role::kRolloutKl:
    case Role::kRolloutK3Kl:
      return "KL of rollout and trainer";
    case Role::kPolicyClipFraction:
      return "Clipped policy updates";
    case Role::kActorLr:
      return "Learning rate";
    case Role::kValueLoss:
      return "Value loss";
    case Role::kExplainedVariance:
      return "Explained variance";
    case Role::kCriticGradNorm:
      return "Critic's gradient norm";
    case Role::kResponseClipRatio:
      return "Share of cut responses";
    case Role::kAbortedRatio:
      return "Share of aborted responses";
    case Role::kInvalidRatio:
      return "Share of dropped trajectories";
    case Role::kEnvSetupFailed:
      return "Environments that did not start";
    case Role::kTimeout:
      return "Trajectories out of time";
    default:
      return "Evidence";
  }
}

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

Curve CurveOf(const History& history, const Judgement& judgement, Role role,
              std::string_view title, std::string_view check) {
  const Series& series = history.series(role);
  const auto values = series.values();
  const auto steps = series.steps();
  Curve curve;
  curve.title = title;
  curve.key = history.key(role);
  curve.points.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    curve.points.push_back({steps[i], values[i]});
  }
  Bound(judgement, check, &curve);
  Mark(judgement, &curve);
  return curve;
}

// Keys that a finding or a failed check rests on, beside the usual rows.
std::vector<std::string> KeysInQuestion(const Judgement& judgement) {
  std::vector<std::string> keys;
  for (const Finding& f : judgement.findings) {
    if (f.level < Level::kWarning) continue;
    for (const Evidence& e : f.evidence) keys.push_back(e.key.str());
  }
  for (const CheckResult& check : judgement.checks) {
    if (check.failed()) keys.push_back(check.key.str());
  }
  return keys;
}

void AddEvidence(const History& history, const Judgement& judgement,
                 std::vector<Curve>* curves) {
  for (const std::string& key : KeysInQuestion(judgement)) {
    const bool shown =
        std::any_of(curves->begin(), curves->end(),
                    [&](const Curve& curve) { return curve.key == key; });
    if (shown) continue;
    for (const RoleRow& row : RoleTable()) {
      if (history.key(row.role) != key) continue;
      if (history.series(row.role).values().size() < 2) continue;
      curves->push_back(
          CurveOf(history, judgement, row.role, TitleOf(row.role), ""));
      break;
    }
  }
}

}  // namespace

std::vector<Curve> MakeCurves(const History& history,
                              const Judgement& judgement) {
  std::vector<Curve> curves;
  curves.reserve(kRows.size() + 1);
  for (const CurveRow& row : kRows) {
    const bool first = history.series(row.roles[0]).count() != 0;
    const Role role = row.roles[first ? 0 : 1];
    if (history.series(role).values().empty()) continue;
    curves.push_back(CurveOf(history, judgement, role, row.title, row.check));
  }
  AddEvidence(history, judgement, &curves);
  AddValidations(history, judgement, &curves);
  const std::vector<std::string> keys = KeysInQuestion(judgement);
  std::stable_partition(curves.begin(), curves.end(), [&](const Curve& curve) {
    return curve.active_since ||
           std::find(keys.begin(), keys.end(), curve.key) != keys.end();
  });
  for (Curve& curve : curves) curve.key = RepairUtf8(curve.key);
  return curves;
}

}  // namespace rlrun
