#include "exporter/report/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "exporter/exposition/text.h"
#include "exporter/report/check_words.h"
#include "exporter/report/curve_words.h"
#include "exporter/report/report_numbers.h"
#include "exporter/signatures/check.h"

namespace rlrun {
namespace {

constexpr std::size_t kMostBounds = 3;

// The usual ones: of each row the first role that the run has values of.
constexpr std::array<std::array<Role, 2>, 10> kRows = {{
    {Role::kTaskReward, Role::kReward},
    {Role::kTrainLoss, Role::kTrainLoss},
    {Role::kActorGradNorm, Role::kTrainGradNorm},
    {Role::kPearson, Role::kPearson},
    {Role::kEffectiveSampleSize, Role::kEffectiveSampleSize},
    {Role::kTurns, Role::kTurns},
    {Role::kResponseLength, Role::kResponseLength},
    {Role::kEntropy, Role::kEntropy},
    {Role::kStepTime, Role::kStepTime},
    {Role::kValLoss, Role::kValLoss},
}};

const Check* CheckOf(std::string_view name) {
  for (const Check& check : Checks()) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

// What `e` of a finding tells of; the score of a validation: kCount, of which
// the curve of validations is made.
struct Shown {
  Role role = Role::kCount;
  bool same = true;
  bool validation = false;
};
Shown ShownBy(const History& history, const Finding& f, std::size_t i) {
  const std::string_view key = f.evidence[i].key;
  // There the reward is the evidence that training is well.
  if (f.name == "val_fake_zero" && i != 0) return {};
  if (ParseMainScoreKey(key)) return {Role::kCount, true, true};
  const auto [role, same] = RoleOfEvidence(history, key);
  return {role, same, false};
}

// A curve in the making.
struct Draft {
  Role role = Role::kCount;  // kCount: of validations
  Curve curve;
};

class CurveMaker {
 public:
  CurveMaker(const History& history, const Judgement& judgement)
      : history_(history), judgement_(judgement) {}

  std::vector<Curve> Make() {
    for (const auto& roles : kRows) {
      if (!Add(roles[0], 1) && roles[1] != roles[0]) Add(roles[1], 1);
    }
    InQuestion();
    Validations();
    for (Draft& draft : drafts_) {
      Mark(&draft);
      draft.curve.key = RepairUtf8(draft.curve.key);
      if (const auto last = LastStep()) draft.curve.last_step = last;
    }
    std::stable_partition(
        drafts_.begin(), drafts_.end(),
        [](const Draft& draft) { return !draft.curve.active.empty(); });
    std::vector<Curve> curves;
    curves.reserve(drafts_.size());
    for (Draft& draft : drafts_) curves.push_back(std::move(draft.curve));
    return curves;
  }

 private:
  std::optional<std::int64_t> LastStep() const {
    std::optional<std::int64_t> last;
    if (history_.steps() != 0) last = history_.newest().step;
    if (!history_.validations().empty()) {
      last =
          std::max(last.value_or(0), history_.validations().back().frame.step);
    }
    return last;
  }

  // False: there are fewer values than `least`, or the role is shown already.
  bool Add(Role role, std::size_t least) {
    for (const Draft& draft : drafts_) {
      if (draft.role == role) return false;
    }
    const Series& series = history_.series(role);
    Draft draft;
    draft.role = role;
    Curve& curve = draft.curve;
    for (const History::Unused& value : history_.unused()) {
      if (value.role == role) curve.unused.push_back({value.step, value.value});
    }
    const auto values = series.values();
    if (values.size() + curve.unused.size() < least) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      curve.points.push_back({series.steps()[i], values[i]});
    }
    curve.title = CurveTitle(role);
    curve.key = history_.key(role);
    curve.note = CurveNote(history_, role);
    curve.unused_why = WhyUnused(role);
    const NaturalRange range = RangeOf(role);
    curve.least = range.least;
    curve.most = range.most;
    drafts_.push_back(std::move(draft));
    return true;
  }

  // What findings and failed checks rest on beside the usual rows.
  void InQuestion() {
    for (const Finding& f : judgement_.findings) {
      if (f.level < Level::kWarning) continue;
      for (std::size_t i = 0; i < f.evidence.size(); ++i) {
        const Shown shown = ShownBy(history_, f, i);
        if (shown.role != Role::kCount) Add(shown.role, 2);
      }
    }
    for (const CheckResult& result : judgement_.checks) {
      const Check* check = result.failed() ? CheckOf(result.name) : nullptr;
      if (check != nullptr && check->role != Role::kCount) Add(check->role, 2);
    }
  }

  void Validations() {
    Draft draft;
    Curve& curve = draft.curve;
    std::size_t sources = 0;
    for (const auto& validation : history_.validations()) {
      if (validation.frame.scores == 0) continue;
      sources = std::max(sources, validation.scores.size());
      double sum = 0;
      for (const MainScore& score : validation.scores) {
        if (score.finite()) sum += score.value;
      }
      const auto finite = static_cast<double>(validation.frame.finite);
      auto& list = finite == 0 ? curve.unused : curve.points;
      list.push_back(
          {validation.frame.step, finite == 0 ? std::nan("") : sum / finite});
      curve.key = validation.scores.front().key;
    }
    if (curve.points.empty() && curve.unused.empty()) return;
    curve.title = "Validation (main score)";
    if (sources > 1) {
      curve.title = "Validation (mean of the main scores)";
      curve.key.clear();
      curve.note = "of " + std::to_string(sources) + " data sources" +
                   (sources < kMostSources ? "" : ", no more are kept");
    }
    drafts_.push_back(std::move(draft));
  }

  // What is active on the curve, and the bounds that are in force there.
  void Mark(Draft* draft) {
    Curve& curve = draft->curve;
    std::vector<std::tuple<int, int, CurveActive>> found;
    for (const CheckResult& result : judgement_.checks) {
      const Check* check = CheckOf(result.name);
      if (check == nullptr || check->role != draft->role) continue;
      if (check->role == Role::kCount &&
          check->trigger != RuleTrigger::kValidation) {
        continue;
      }
      AddBounds(result, &curve);
      if (!result.failed() || !result.since_step) continue;
      found.push_back({2, 0, {std::string(result.name), *result.since_step}});
    }
    for (const Finding& f : judgement_.findings) {
      if (f.level < Level::kWarning || !f.since_step) continue;
      for (std::size_t i = 0; i < f.evidence.size(); ++i) {
        const Shown shown = ShownBy(history_, f, i);
        if (shown.role != draft->role ||
            shown.validation != (draft->role == Role::kCount)) {
          continue;
        }
        if (shown.same) AddBound(f, f.evidence[i], &curve);
        found.push_back({i == 0 ? 0 : 1,
                         -static_cast<int>(f.level),
                         {std::string(f.name), *f.since_step}});
        break;
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) {
                       return std::pair(std::get<0>(a), std::get<1>(a)) <
                              std::pair(std::get<0>(b), std::get<1>(b));
                     });
    for (auto& [rank, level, active] : found) {
      curve.active.push_back(std::move(active));
    }
  }

  static void AddBounds(const CheckResult& check, Curve* curve) {
    if (check.min) {
      curve->bounds.push_back(
          {*check.min,
           (IsOpenAtMin(check) ? "healthy more than " : "healthy at least ") +
               ReportNumber(*check.min)});
    }
    if (check.max) {
      curve->bounds.push_back(
          {*check.max, "healthy at most " + ReportNumber(*check.max)});
    }
  }

  static void AddBound(const Finding& f, const Evidence& e, Curve* curve) {
    if (!e.bound || !std::isfinite(*e.bound)) return;
    const bool known = std::any_of(
        curve->bounds.begin(), curve->bounds.end(),
        [&](const CurveBound& bound) { return bound.value == *e.bound; });
    if (known || curve->bounds.size() >= kMostBounds) return;
    curve->bounds.push_back(
        {*e.bound, std::string(f.name) + " " + BoundText(e)});
  }

  static constexpr std::size_t kMostSources = 32;  // kept of a validation
  const History& history_;
  const Judgement& judgement_;
  std::vector<Draft> drafts_;
};

}  // namespace

std::vector<Curve> MakeCurves(const History& history,
                              const Judgement& judgement) {
  return CurveMaker(history, judgement).Make();
}

}  // namespace rlrun
